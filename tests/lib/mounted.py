"""A sessfs in the foreground, so that its process is known, and writes through it.

The tests that start these programs set PYTHONPATH to this folder (mount.bash).
"""

import os
import subprocess
import sys
import time

SESSFS = os.environ["SESSFS"]


class Shown:
    """A session as a mount shows it, at a folder."""

    def __init__(self, at):
        self.at = at

    def path(self, *names):
        return os.path.join(self.at, *names)

    def read(self, *names):
        with open(self.path(*names), "rb") as f:
            return f.read()

    def ids(self):
        return os.listdir(self.path("by-id"))

    def head(self):
        """The head's id, or None before the first entry."""
        to = os.readlink(self.path("HEAD"))
        return None if to == "tree" else to.removeprefix("by-id/")

    def move_head(self, name):
        """Move HEAD as ln -sfn does."""
        staged = self.path(f"HEAD.{os.getpid()}.{time.monotonic_ns()}")
        os.symlink(f"by-id/{name}", staged)
        try:
            os.rename(staged, self.path("HEAD"))
        except OSError:
            os.unlink(staged)
            raise

    def label(self, name):
        return self.read("by-id", name, "label").decode().rstrip("\n")

    def write(self, data, *names):
        """One write, without truncation."""
        fd = os.open(self.path(*names), os.O_WRONLY)
        try:
            done = os.write(fd, data)
        finally:
            os.close(fd)
        assert done == len(data), f"{done} bytes of {len(data)} were written"

    def set_label(self, name, text):
        """Without truncation it must be the longer text, to be one line."""
        self.write(text.encode() + b"\n", "by-id", name, "label")


class NotMounted(Exception):
    """sessfs has refused to mount, or takes too long."""

    def __init__(self, session, status, stderr):
        super().__init__(f"{session} can't be mounted: {status} {stderr}")
        self.status = status
        self.stderr = stderr


def is_copied(mount):
    """Has a namespace of another run got a copy of the mount? Nothing unmounts that."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/mountinfo", encoding="utf-8", errors="replace") as f:
                if f" {mount} " in f.read():
                    print(f"process {name} has a copy of the mount {mount}: sessfs is told to end", file=sys.stderr)
                    return True
        except OSError:
            continue
    return False


class Mounted(Shown):
    """A mount of a session, or of a folder of them. With stderr=PIPE it is kept."""

    def __init__(self, session, mount, environment=None, stderr=None, options=()):
        super().__init__(mount)
        self.session = session
        self.mount = mount
        below = os.stat(mount).st_dev
        self.process = subprocess.Popen([SESSFS, "-f", *options, session, mount], env=environment, stderr=stderr)
        end = time.monotonic() + 20
        while os.stat(mount).st_dev == below:
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                _, said = self.process.communicate()
                raise NotMounted(session, self.process.returncode, said)
            time.sleep(0.001)

    def unmount(self):
        # A child that another thread starts may have files in it for a moment.
        subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            if is_copied(self.mount):
                self.process.terminate()
            self.process.wait(20)

    def kill(self):
        """Writers get an error. The dead mount stays, so no file below is written."""
        self.process.kill()
        self.process.wait(20)

    def clear_away(self):
        """Unmount the dead mount."""
        subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
