#!/usr/bin/env python3
"""Run a command on a terminal of its own: screen.py COLUMNS COMMAND...

Prints what the screen says in the end, a line each, then a line "--", then what
was drawn over on the way: each state of a line that was wiped or overwritten.
Exits as the command does.
"""
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
running = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs,
                           start_new_session=True)

# The other end stays open here, or output that is unread when the command ends would
# be lost.
said = b""
while running.poll() is None or select.select([ours], [], [], 0.3)[0]:
    if select.select([ours], [], [], 0.05)[0]:
        said += os.read(ours, 65536)
status = running.returncode

screen, states, line, at = [], [], "", 0
text = said.decode().replace("\x1b[K", "\x00")
for c in text:
    if c == "\r":
        at = 0
    elif c == "\x00":
        if line[at:]:
            states.append(line)
        line = line[:at]
    elif c == "\n":
        screen.append(line)
        line, at = "", 0
    elif c < " ":
        sys.exit(f"a control character: {c!r}")
    else:
        line = line[:at] + c + line[at + 1:]
        at += 1
if line:
    screen.append(line)
print("\n".join(screen + ["--"] + states))
sys.exit(status if status >= 0 else 128 - status)
