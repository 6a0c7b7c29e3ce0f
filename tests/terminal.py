#!/usr/bin/env python3
"""Run a program on a terminal of its own, and type to it.

    terminal.py SEEN KEYS [SEEN KEYS]... [SEEN] -- COMMAND [ARGUMENT]...

Each KEYS (with the escapes of Python's strings) is typed when SEEN, a regular
expression, has been shown since the last one; what moves the cursor or colours
is left out first. "!COMMAND" for SEEN waits until that command succeeds. After
a last SEEN without KEYS the terminal is closed, and the status is 0; otherwise
it is the command's. It is 99, with all that was shown, if one waited in vain.

TERMINAL is its TERM, xterm if nothing is said. RAW is a file for the bytes that
were shown, as they are; otherwise they are printed without what is left out.
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

SECONDS = 30
CONTROL = re.compile(r"\x1b(\[[0-9;?>=]*[ -/]*[@-~]|\][^\a\x1b]*(\a|\x1b\\)|[()][A-Z0-9]|[=>78DEHM])")


def start(command):
    child, fd = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        os.environ["TERM"] = os.environ.get("TERMINAL", "xterm")
        os.execvp(command[0], command)
    return child, fd


class Screen:
    def __init__(self, child, fd):
        self.child, self.fd = child, fd
        self.raw = b""
        self.at = 0  # what is before has been answered

    def text(self):
        return CONTROL.sub("", self.raw.decode("utf-8", "replace"))

    def give_up(self, why):
        print(self.text()[-4000:], "\n--", why, file=sys.stderr)
        os.kill(self.child, 9)
        sys.exit(99)

    def more(self, until):
        """Wait for more output; False at its end."""
        left = until - time.monotonic()
        if left <= 0 or not select.select([self.fd], [], [], left)[0]:
            self.give_up("waited in vain")
        try:
            got = os.read(self.fd, 65536)
        except OSError:  # how the end is told on a terminal
            got = b""
        self.raw += got
        return got != b""

    def wait_for(self, pattern):
        until = time.monotonic() + SECONDS
        while True:
            found = re.search(pattern, self.text()[self.at:])
            if found:
                self.at += found.end()
                return
            if not self.more(until):
                self.give_up("ended without " + pattern)

    def wait_until(self, command):
        until = time.monotonic() + SECONDS
        while subprocess.run(command, shell=True).returncode != 0:
            if time.monotonic() > until:
                self.give_up("waited in vain for " + command)
            if select.select([self.fd], [], [], 0.05)[0]:
                self.more(until)

    def wait(self, seen):
        if seen.startswith("!"):
            self.wait_until(seen[1:])
        else:
            self.wait_for(seen)


def main(arguments):
    at = arguments.index("--")
    steps, command = arguments[:at], arguments[at + 1:]
    child, fd = start(command)
    screen = Screen(child, fd)
    for pattern, keys in zip(steps[::2], steps[1::2]):
        screen.wait(pattern)
        os.write(fd, keys.encode().decode("unicode_escape").encode())
    if len(steps) % 2 == 1:
        screen.wait(steps[-1])
        os.close(fd)
        os.waitpid(child, 0)
        return
    while screen.more(time.monotonic() + SECONDS):
        pass
    if raw := os.environ.get("RAW"):
        with open(raw, "wb") as f:
            f.write(screen.raw)
    else:
        print(screen.text())
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main(sys.argv[1:])
