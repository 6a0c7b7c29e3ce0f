"""Run a command on a terminal of its own, and type into it.

    terminal.py [TEXT KEYS]... -- COMMAND...

Each KEYS is typed when TEXT has come since the keys before it. What the command
has written goes to standard output, and its status is the status; 124 if it does
not end within 30 seconds.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time


def main(args):
    split = args.index("--")
    steps = list(zip(args[0:split:2], args[1:split:2]))
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 30, 100, 0, 0))
        os.execvp(args[split + 1], args[split + 1:])
    written = b""
    seen = 0
    deadline = time.monotonic() + 30
    while True:
        while steps and (at := written.find(steps[0][0].encode(), seen)) >= 0:
            seen = at + len(steps[0][0].encode())
            os.write(terminal, steps.pop(0)[1].encode())
        if not select.select([terminal], [], [], deadline - time.monotonic())[0]:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            sys.stdout.buffer.write(written)
            return 124
        try:
            got = os.read(terminal, 65536)
        except OSError:  # the last has closed it
            got = b""
        if not got:
            break
        written += got
    sys.stdout.buffer.write(written)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


sys.exit(main(sys.argv[1:]))
