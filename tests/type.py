"""Type into a real shell: keys, with \\t for TAB, and print the words that the
command has in the end, one a line as Python writes them.

    type.py bash|zsh|fish COMPLETION COMMAND KEYS

The shell runs in the present directory. KEYS begin with COMMAND.
"""

import os
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
COMMAND() { printf '%s\\0' "$@" >"$OUT"; echo taken; }
""",
    "zsh": """
PS1='ready> ' PS2= RPS1=
unsetopt beep list_beep prompt_sp
setopt menu_complete
fpath=($SITE $fpath)
autoload -Uz compinit && compinit -u -C -d "$DUMP"
bindkey '\\t' complete-word
COMMAND() { printf '%s\\0' "$@" >"$OUT"; echo taken; }
""",
    "fish": """
function fish_prompt; printf 'ready> '; end
set fish_greeting
source $COMPLETION
function COMMAND; printf '%s\\0' $argv >$OUT; echo taken; end
""",
}


def command_line(shell, rc):
    """The command that starts the shell with this file as its only configuration."""
    return {
        "bash": ["bash", "--noprofile", "--rcfile", rc, "-i"],
        "zsh": ["zsh", "-d", "-i"],
        "fish": ["fish", "--private", "--no-config", "-i", "-C", f"source {rc}"],
    }[shell]


def type_into(shell, completion, command, keys, work):
    """The words, each followed by NUL."""
    out = os.path.join(work, "out")
    rc = os.path.join(work, ".zshrc")
    with open(rc, "w") as f:
        f.write(SETUP[shell].replace("COMMAND", command))
    # Zsh reads the first lines of a thousand files only once for all tests.
    dump = os.path.join(os.environ.get("BATS_FILE_TMPDIR", work), "zcompdump")
    os.symlink(completion, os.path.join(work, "_sessfs"))
    env = dict(os.environ, OUT=out, COMPLETION=completion, SITE=work, DUMP=dump, ZDOTDIR=work,
               XDG_RUNTIME_DIR=work, TERM="dumb", LC_ALL="C.UTF-8", INPUTRC="/dev/null")
    terminal = Terminal(command_line(shell, rc), env)
    terminal.wait_for("ready> ")
    terminal.type(keys.replace(b"\\t", b"\t") + b"\r")
    terminal.wait_for("taken\r\n")
    os.kill(terminal.child, signal.SIGKILL)
    terminal.close()
    with open(out, "rb") as f:
        return f.read()


with tempfile.TemporaryDirectory() as folder:
    typed = type_into(*sys.argv[1:4], os.fsencode(sys.argv[4]), folder)
for word in typed.split(b"\0")[:-1]:
    print(ascii(word.decode()))
