"""Run the commands of a section of a page, the lines with "$ " in its indented
blocks, one after the other in the working directory, and compare their output with
the lines below them.

  readme.py PAGE SECTION
"""

import difflib
import subprocess
import sys


def blocks(path, section):
    """The lines of the indented blocks of a section."""
    inside = False
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            inside = line.strip("# \n") == section
        elif inside and line.startswith("    "):
            yield line[4:].rstrip("\n")


# As on a terminal.
ON_TERMINAL = """ls() { command ls -C -T0 "$@"; }
"""


def run(command):
    done = subprocess.run(["bash", "-c", ON_TERMINAL + command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode().splitlines()


expected = list(blocks(*sys.argv[1:]))
got = []
for text in expected:
    if text.startswith("$ "):
        got += [text, *run(text[2:])]
if not got:
    sys.exit("no commands")
diff = list(difflib.unified_diff(expected, got, "README", "output", lineterm=""))
print("\n".join(diff))
sys.exit(bool(diff))
