"""Mounts, processes and their times, and scratch folders that are cleaned up."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSFS = os.environ.get("SESSFS") or str(ROOT / "build/sessfs")
# The program of an earlier build, or None: rows that compare with it are left out then.
BASE = os.environ.get("BASE")
PROGRAMS = pathlib.Path(SESSFS).parent / "bench"
TIMEOUT = 600
SHM = "/dev/shm"


class NotRun(Exception):
    """Something that a row needs is missing, or failed."""


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise NotRun(f"{program} is not installed")


def took_too_long(*_):
    raise NotRun(f"it took more than {TIMEOUT} s")


signal.signal(signal.SIGALRM, took_too_long)


def run(*command, **options):
    """Run a command to its end; its output is discarded unless requested."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **options}
    # subprocess' own timeout polls every 50 ms.
    signal.alarm(TIMEOUT)
    try:
        return subprocess.run([str(word) for word in command], check=True, **options)
    except (OSError, subprocess.SubprocessError) as e:
        raise NotRun(str(e)) from e
    finally:
        signal.alarm(0)


def seconds(*command, **options):
    start = time.perf_counter()
    run(*command, **options)
    return time.perf_counter() - start


def printed_seconds(*command):
    """The seconds that a program measures and prints itself."""
    return float(run(*command, stdout=subprocess.PIPE).stdout)


def output(*command, **options):
    return run(*command, stdout=subprocess.PIPE, **options).stdout


def median(side, values):
    """Also prints all values: they vary a lot if the time of a request depends on
    the processors that the two processes run on."""
    print(f"    {side}:", *(f"{value:.4g}" for value in values), file=sys.stderr, flush=True)
    return statistics.median(values)


def in_turn(times, **sides):
    """The medians of both sides, which take turns."""
    results = [[side() for side in sides.values()] for _ in range(times)]
    return [median(name, values) for name, values in zip(sides, zip(*results))]


class Scratch:
    """Folders on disk and in memory. At the end they are unmounted and removed."""

    def __init__(self):
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        self.disk = self.folder(None)
        self.memory = self.tmpfs()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def folder(self, parent):
        made = pathlib.Path(tempfile.mkdtemp(prefix="sessfs-bench-", dir=parent)).resolve()
        self.stack.callback(remove, made)
        self.stack.callback(unmount_below, made)
        return made

    def tmpfs(self):
        """A folder in memory: a tmpfs of our own, else in the system's, else a folder
        on disk. `kind` says which."""
        self.kind = "tmpfs"
        at = self.disk / "tmpfs"
        at.mkdir()
        try:
            run("mount", "-t", "tmpfs", "tmpfs", at, stderr=subprocess.DEVNULL)
        except NotRun:
            if os.access(SHM, os.W_OK):
                return self.folder(SHM)
            self.kind = "in TMPDIR"
        return at

    def new(self, name):
        """An unused path on disk."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.disk)) / name


def mounted_below(folder):
    """The mount points in a folder, last one first."""
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as mounts:
        escaped = [line.split(" ")[1] for line in mounts]
    found = [re.sub(r"\\([0-7]{3})", lambda m: chr(int(m[1], 8)), at) for at in escaped]
    return [at for at in reversed(found) if at.startswith(f"{folder}/")]


def remove(folder):
    """Remove a folder, with read-only copies of a mount's folders in it. A folder
    with a mount in it is kept."""
    left = mounted_below(folder)
    if left:
        sys.exit(f"{left[0]} is still mounted: {folder} is left as it is")
    run("chmod", "-R", "u+rwX", folder)
    shutil.rmtree(folder)


def unmount(at):
    """Unmount lazily; root needs no fusermount3. Returns the reason on failure."""
    commands = [["fusermount3", "-u", "-z", str(at)]]
    if os.geteuid() == 0:
        commands.append(["umount", "-l", str(at)])
    why = ""
    for command in commands:
        try:
            done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        except OSError as e:
            why += f"{e}\n"
            continue
        if done.returncode == 0:
            return None
        why += done.stderr
    return why


def unmount_below(folder):
    """Unmount what an interrupted run left mounted."""
    for at in mounted_below(folder):
        why = unmount(at)
        if why:
            print(f"{at} can't be unmounted: {why}", file=sys.stderr)


class Mount:
    """A filesystem whose daemon runs in the foreground, so its process is known."""

    def __init__(self, *command, at, stderr=None, env=None):
        self.at = at
        at.mkdir(exist_ok=True)
        below = os.stat(at).st_dev
        words = [str(word) for word in command]
        try:
            self.process = subprocess.Popen([*words, str(at)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, env=env)
        except OSError as e:
            raise NotRun(str(e)) from e
        try:
            self.wait_until_mounted(words[0], below)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def wait_until_mounted(self, program, below):
        end = time.monotonic() + 60
        while os.stat(self.at).st_dev == below:
            if self.process.poll() is not None or time.monotonic() > end:
                raise NotRun(f"{program} does not mount")
            time.sleep(0.001)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The kernel may take long to drop a deep tree: detach it lazily, and wait
        # until the daemon has ended.
        why = unmount(self.at)
        if why:
            self.process.terminate()  # which unmounts, too, if it can
            print(f"{self.at} can't be unmounted: {why}", file=sys.stderr)
        try:
            self.process.wait(TIMEOUT)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def memory(self, key):
        """A value of the daemon's /proc status, in bytes: VmRSS, VmHWM."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
        raise NotRun(f"/proc does not tell {key}")


def sessfs(session, scratch, *options, stderr=None):
    return Mount(SESSFS, "-f", *options, session, at=scratch.new("mnt"), stderr=stderr)
