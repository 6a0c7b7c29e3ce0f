"""A program on a terminal of its own, and someone who types to it.

    terminal.py [SEEN KEYS]... [SEEN] -- COMMAND [ARGUMENT]...

Each KEYS (with the escapes of Python's strings) is typed when SEEN, a regular
expression, has been shown since the last one; what moves the cursor or colours
is left out first. "!COMMAND" for SEEN waits until that command succeeds. After
a last SEEN without KEYS the terminal is closed, and the status is 0; otherwise
it is the command's. It is 99, with all that was shown, if one waited in vain.

TERMINAL is its TERM, xterm if nothing is said, and WIDTH its columns, 100. RAW is
a file for the bytes that were shown, as they are; otherwise they are printed
without what is left out. With STATES printed is what the screen says in the end,
a line each, then a line "--", then what was drawn over on the way: each state of
a line that was wiped or overwritten.

What only some calls need is imported by them: most of the time is that of starting Python.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

SECONDS = 60
CONTROL = r"\x1b(\[[0-9;?>=]*[ -/]*[@-~]|\][^\a\x1b]*(\a|\x1b\\)|[()][A-Z0-9]|[=>78DEHM])"


class Terminal:
    def __init__(self, command, environment, columns=100):
        self.child, self.fd = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execvpe(command[0], command, environment)
        self.raw = b""
        self.at = 0  # what is before has been answered

    def text(self):
        import re
        return re.sub(CONTROL, "", self.raw.decode("utf-8", "replace"))

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
        import re
        until = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.text()[self.at:])):
            if not self.more(until):
                self.give_up("ended without " + pattern)
        self.at += found.end()

    def wait_until(self, command):
        import subprocess
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

    def type(self, keys):
        os.write(self.fd, keys)

    def close(self):
        os.close(self.fd)
        os.waitpid(self.child, 0)

    def end(self):
        """The command's status, as a shell has it, when it has ended by itself."""
        while self.more(time.monotonic() + SECONDS):
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        return status if status >= 0 else 128 - status


def states_of(said):
    """What is printed with STATES."""
    screen, states, line, at = [], [], "", 0
    for c in said.decode().replace("\x1b[K", "\x00"):
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
    return "\n".join([*screen, *filter(None, [line]), "--", *states])


def main(arguments):
    at = arguments.index("--")
    steps, command = arguments[:at], arguments[at + 1:]
    environment = {**os.environ, "TERM": os.environ.get("TERMINAL", "xterm")}
    terminal = Terminal(command, environment, int(os.environ.get("WIDTH", 100)))
    for seen, keys in zip(steps[::2], steps[1::2]):
        terminal.wait(seen)
        terminal.type(keys.encode().decode("unicode_escape").encode())
    if len(steps) % 2 == 1:
        terminal.wait(steps[-1])
        terminal.close()
        return 0
    status = terminal.end()
    if raw := os.environ.get("RAW"):
        with open(raw, "wb") as f:
            f.write(terminal.raw)
    else:
        print(states_of(terminal.raw) if os.environ.get("STATES") else terminal.text())
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
