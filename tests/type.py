"""Type into real shells: keys, with \\t for TAB, and compare the words that the command
has in the end, as Python writes them.

    type.py SHELLS COMPLETION [KEYS WORD... ""]...

SHELLS are some of bash, zsh and fish, COMPLETION is the name of the file without its end.
Each shell is started once, in the present directory, for all KEYS. These begin with a
command. Fish has a / after a folder, the others may have one: it is left out.
"""

import os
import re
import signal
import sys
import tempfile

from terminal import Terminal

SETUP = {
    "bash": """
PS1='ready> ' PS2=
bind 'set enable-bracketed-paste off' 'set bell-style none'
bind '"\\t": menu-complete'
. "$COMPLETION"
""",
    "zsh": """
PS1='ready> ' PS2= RPS1=
unsetopt beep list_beep prompt_sp
setopt menu_complete
fpath=($SITE $fpath)
autoload -Uz compinit && compinit -u -C -d "$DUMP"
bindkey '\\t' complete-word
""",
    "fish": """
function fish_prompt; printf 'ready> '; end
set fish_greeting
source $COMPLETION
""",
}


# What each command is in these shells.
TAKE = {
    "bash": """COMMAND() { printf '%s\\0' "$@" >"$OUT"; echo taken; }\n""",
    "zsh": """COMMAND() { printf '%s\\0' "$@" >"$OUT"; echo taken; }\n""",
    "fish": """function COMMAND; printf '%s\\0' $argv >$OUT; echo taken; end\n""",
}


def command_line(shell, rc):
    """The command that starts the shell with this file as its only configuration."""
    return {
        "bash": ["bash", "--noprofile", "--rcfile", rc, "-i"],
        "zsh": ["zsh", "-d", "-i"],
        "fish": ["fish", "--private", "--no-config", "-i", "-C", f"source {rc}"],
    }[shell]


def type_into(shell, completion, lines, work):
    """Of each line of keys, the words."""
    out = os.path.join(work, "out")
    rc = os.path.join(work, ".zshrc")
    with open(rc, "w") as f:
        f.write(SETUP[shell])
        for command in sorted({keys.split(" ")[0] for keys in lines}):
            f.write(TAKE[shell].replace("COMMAND", command))
    # Zsh reads the first lines of a thousand files only once for all tests.
    dump = os.path.join(os.environ.get("BATS_FILE_TMPDIR", work), "zcompdump")
    os.symlink(completion, os.path.join(work, "_sessfs"))
    env = dict(os.environ, OUT=out, COMPLETION=completion, SITE=work, DUMP=dump, ZDOTDIR=work,
               XDG_RUNTIME_DIR=work, TERM="dumb", LC_ALL="C.UTF-8", INPUTRC="/dev/null")
    terminal = Terminal(command_line(shell, rc), env)
    for keys in lines:
        terminal.wait_for("ready> ")
        terminal.type(os.fsencode(keys).replace(b"\\t", b"\t") + b"\r")
        terminal.wait_for("taken\r\n")
        with open(out, "rb") as f:
            words = f.read().split(b"\0")[:-1]
        yield [re.sub("(.)/'$", "\\1'", ascii(word.decode())) for word in words]
    os.kill(terminal.child, signal.SIGKILL)
    terminal.close()


def rows(arguments):
    row = []
    for argument in arguments:
        if argument:
            row.append(argument)
        else:
            yield row[0], row[1:]
            row = []


def main(shells, completion, *arguments):
    wanted = list(rows(arguments))
    wrong = []
    for shell in shells.split():
        with tempfile.TemporaryDirectory() as folder:
            found = type_into(shell, f"{completion}.{shell}", [keys for keys, _ in wanted], folder)
            wrong += [f"in {shell}, {keys!r} gives {' '.join(words)}, not {' '.join(want)}"
                      for (keys, want), words in zip(wanted, found, strict=True) if words != want]
    sys.exit("\n".join(wrong) or None)


main(*sys.argv[1:])
