"""Let one call of sessfs fail, and look at what its user notices.

usage: faults.py FOLDER read|write PATTERN...

Each scenario (scenarios.py) whose name fits a pattern is carried out once to count its
calls of each kind (../lib/intercept.c), and then with each of them, or a sample, failing once.

`write` carries out the steps of the scenario. A step that is refused is repeated, as its
user would. Then:

- sessfs has neither ended nor hung, and a refusal is by the errno that fits.
- The session is as without the failure, and another mount shows the same.
- Every byte from before is there, and every new line is whole.
- No temporary file, no lock and no descriptor is left.

`read` mounts a folder with the session in it, and lists and reads everything. Then an
agent appends a line. Only the first of the scenario's files matter. Then:

- Either the mount is refused with one line on stderr and status 1, or each file is as
  without the failure. A file that can't be read at first can be read the second time.
- The agent's line shows at once.

Nobody notices an EINTR or a short read.

In the environment:

    SEED=N       for the samples; it is printed
    SAMPLE=N     so many calls of each scenario, kind and errno (1); or `all`: of the calls
                 that the same eight functions lead to, the first; or `calls`: each of them
    PART=K/N     of `all` every N-th, from the K-th on
    KINDS="K …"  only these kinds of calls
"""

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections import Counter

import trials
from checks import Failure, expect, read_files
from mounted import SESSFS, Mounted, NotMounted
from scenarios import SESSION, look

SAMPLE = os.environ.get("SAMPLE", "1")
PATIENCE = 30
STDERR_LINE = b"sessfs: "

# How each kind of call can fail.
FAILURES = {
    "open": ("EIO", "EMFILE", "ENOMEM"),
    "openat,create": ("EIO", "EMFILE", "ENOMEM", "EINTR"),
    "create": ("ENOSPC", "EDQUOT"),
    "read": ("EIO", "EINTR", "short"),
    "write": ("EIO", "ENOSPC", "EDQUOT", "EINTR", "short"),
    "sync": ("EIO", "ENOSPC", "EDQUOT", "EINTR"),
    "truncate": ("EIO", "EINTR"),
    "stat": ("EIO", "ENOMEM"),
    "access": ("EIO", "ENOMEM"),
    "xattr": ("EIO",),
    "readlink": ("EIO", "ENOMEM"),
    "getdents": ("EIO",),
    "rename": ("EIO", "ENOSPC", "EDQUOT"),
    "link": ("EIO", "ENOSPC", "EDQUOT"),
    "unlink": ("EIO",),
    "owner": ("EIO",),
    "lock": ("EIO", "EINTR"),
    "socket,bind": ("EMFILE", "ENOMEM"),
    "inotify,eventfd": ("EMFILE", "ENOSPC", "ENOMEM"),
    "poll": ("EINTR", "ENOMEM"),
    "dup": ("EIO", "EMFILE"),
    "path": ("EIO", "ENOMEM"),
    "thread": ("EAGAIN",),
    "alloc": ("ENOMEM",),
}
KINDS = os.environ.get("KINDS", "").split() or list(FAILURES)


def described(shown, known):
    """A look in which new entries, whose ids are random, go by their contents."""
    new = {k: v[0] for k, v in shown["entries"].items() if k not in known}

    def without_ids(data):
        for entry in new:
            data = data.replace(entry.encode(), b"ID")
        # Another one, or none, where the name was set before its step was refused.
        return re.sub(rb',\n  "previousTitle": "[^"]*"', b"", data)

    new = {k: without_ids(v) for k, v in new.items()}
    return {
        "entries": {k: v for k, v in shown["entries"].items() if k in known},
        "new": sorted(new.values()),
        "head": new.get(shown["head"], shown["head"]),
        "name": shown["name"],
    }


def difference(now, then):
    for key, value in then.items():
        if now.get(key) != value:
            return f"{key}: {str(now.get(key))[:300]}, not {str(value)[:300]}"
    return "the same"


class Trial(trials.Trial):
    """A script with the nth call of a kind failing; with 0, none fails."""

    def __init__(self, scenario, folder, kind, nth, name):
        super().__init__(scenario, folder)
        self.kind, self.nth, self.name = kind, nth, name
        self.during = os.path.join(folder, "during")
        self.hung = False

    def environment(self):
        return trials.preloading(
            CALL_KINDS=self.kind,
            CALL_NTH=str(self.nth),
            CALL_DO=self.name,
            CALL_WHILE=self.during,
            CALL_REPORT=self.report_to,
        )

    def callers(self):
        """The functions that led to the call that failed, by name, the innermost first."""
        return names_of(self.report().get("at", []))

    def run(self):
        """Mount, let the script run, and unmount, also if it hangs."""
        source = self.prepare()
        try:
            mounted = Mounted(source, self.mount, self.environment(), stderr=subprocess.PIPE)
        except NotMounted as e:
            self.not_mounted(e)
            return
        watchdog = threading.Timer(PATIENCE, self.hang, (mounted,))
        watchdog.start()
        try:
            self.script(mounted)
        finally:
            watchdog.cancel()
            expect(not self.hung, "it hangs")
            ended = mounted.process.poll()
            subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
            _, said = mounted.process.communicate(timeout=PATIENCE)
            expect(ended is None and mounted.process.returncode == 0, f"it ended with {mounted.process.returncode}: {said}")

    def hang(self, mounted):
        self.hung = True
        mounted.kill()

    def not_mounted(self, e):
        raise e

    def repeated(self, what, do):
        """What is refused is done again, as its user would."""
        try:
            return do()
        except (OSError, AssertionError) as e:
            self.refused.append((what, e))
            return do()

    def is_unnoticed(self):
        """Only a full disk writes a part of a line, so that is refused."""
        return self.name == "EINTR" or (self.name, self.kind) == ("short", "read")

    def check_refusals(self, failed):
        expect(len(self.refused) <= 1, f"several are refused: {self.refused}")
        for what, e in self.refused:
            expect(failed, f"{what} is refused, and no call had failed: {e!r}")
            expect(not self.is_unnoticed(), f"{what} notices: {e!r}")
            number = getattr(e, "errno", None)
            fits = [getattr(errno, self.name, errno.ENOSPC), errno.EIO]
            if self.scenario.dialect == "omp":
                # The title is at the start of the file. When it has changed and reading
                # that fails, nothing shows that the rest is the same.
                fits.append(errno.ESTALE)
            expect(isinstance(e, AssertionError) or number in fits, f"{what} is refused by {e!r}")


class WriteTrial(Trial):
    def prepare(self):
        return self.scenario.prepare(self.folder)

    def script(self, mounted):
        known = look(mounted)["entries"].keys()
        open(self.during, "x").close()
        for step in self.scenario.steps:
            self.repeated(step.what, lambda: step.do(mounted))
        os.unlink(self.during)
        self.seen = described(look(mounted), known)
        self.open_files = len(os.listdir(f"/proc/{mounted.process.pid}/fd"))
        self.known = known

    def check(self, without):
        """Compared with the trial in which nothing fails."""
        self.check_another_mount()
        failed = self.reported("met")
        self.check_refusals(failed)
        mine, other = self.seen, without.seen
        if self.may_be_twice(failed):
            mine, other = ({**s, "new": sorted(set(s["new"]))} for s in (mine, other))
        expect(mine == other, f"the mount shows {difference(mine, other)}")
        # Where they were short, the session's file is closed until it is read again.
        expect(self.open_files <= without.open_files, f"{self.open_files} descriptors are open, not {without.open_files}")
        self.check_files(without)

    def check_another_mount(self):
        again = Mounted(os.path.join(self.folder, SESSION), self.mount)
        try:
            fresh = described(look(again), self.known)
        finally:
            again.unmount()
        expect(fresh == self.seen, f"another mount shows {difference(fresh, self.seen)}")

    def may_be_twice(self, failed):
        """
        A line that was written, but not synced, stays, and so do lines of a part. Those
        of a Go tree and of oh-my-pi stay if the head or the title can't be changed then.
        """
        parts = any(isinstance(e, AssertionError) for _, e in self.refused)
        syncs = failed in ("fdatasync", "fsync") or "newfile_sync_folder" in self.callers()
        stays = syncs or self.scenario.dialect in ("go-tree", "omp")
        return parts or bool(self.refused) and stays

    def check_files(self, without):
        # oh-my-pi's lock that can't be removed is emptied, which locks nobody out.
        files = {name: data for name, data in read_files(self.folder).items() if data or not name.endswith(".lock")}
        other = read_files(without.folder)
        expect(files.keys() == other.keys(), f"there are {sorted(files)}, not {sorted(other)}")
        old = self.scenario.files[SESSION]
        if other[SESSION].startswith(old):
            expect(files[SESSION].startswith(old), "older bytes are changed")
        for line in files[SESSION].split(b"\n"):
            expect(not line or self.scenario.is_whole(line), f"a damaged line: {line[:200]}")


# Not listed, but there when named.
IN_SESSION = ("context.json", "tree.html", "lines.txt")
IN_ENTRY = ("context.txt", "context.json", "branch.jsonl", "raw.json", "words")


class ReadTrial(Trial):
    """The mounted folder has the session in a folder of its own, so that one is walked."""

    def prepare(self):
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        self.session = self.scenario.prepare(inner)
        open(self.during, "x").close()
        return self.folder

    def not_mounted(self, e):
        lines = e.stderr.splitlines()
        failed = self.reported("met")
        expect(failed and not self.is_unnoticed(), f"it is not mounted, and {failed} failed: {e.stderr}")
        expect(e.status == 1, f"the mount is refused with status {e.status}: {e.stderr}")
        expect(len(lines) == 1 and lines[0].startswith(STDERR_LINE), f"the mount is refused with {e.stderr}")
        self.seen = None

    def script(self, mounted):
        self.at = self.mount
        self.seen = {}
        self.attributes("")
        self.folder_of_sessions("", "inner")
        self.folder_of_sessions("inner/", "session")
        self.whole_session("inner/session")
        os.unlink(self.during)
        with open(self.session, "ab") as f:
            f.write(b"\n{an agent's line that is damaged\n")
        self.file("inner/session/info", "info after the agent's line")

    def look(self, what, do):
        data = self.repeated(what, do)
        expect(what not in self.seen, f"{what} twice")
        self.seen[what] = data
        return data

    def path(self, name):
        return f"{self.at}/{name}"

    def attributes(self, name):
        st = self.look(f"stat {name}", lambda: self.status(name))
        return st[0]

    def status(self, name):
        st = os.lstat(self.path(name))
        return st.st_mode, st.st_nlink, None if self.has_paths(name) else st.st_size

    def has_paths(self, name):
        """Its size depends on where the test is."""
        return name.endswith(("info", "sessions.txt", "tree.html"))

    def names(self, name):
        return self.look(f"ls {name}", lambda: sorted(os.listdir(self.path(name))))

    def link(self, name):
        self.look(f"readlink {name}", lambda: os.readlink(self.path(name)))

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read().replace(self.top.encode(), b"TOP")

    def file(self, name, what=None):
        return self.look(what or f"cat {name}", lambda: self.read(name))

    def folder_of_sessions(self, name, child):
        """A file that can't be read is left out, as long as that is so."""

        def find():
            names = os.listdir(self.path(name))
            assert names == [child], f"{names}"

        def read_line():
            data = self.read(f"{name}sessions.txt")
            assert data.count(b"\n") == 1, f"{data}"
            return data

        self.repeated(f"ls {name}", find)
        self.attributes(f"{name}{child}")
        self.look(f"cat {name}sessions.txt", read_line)

    def whole_session(self, name):
        self.file(f"{name}/info")
        self.walk(name, 0)
        for file in IN_SESSION:
            self.file(f"{name}/{file}")
        entries = self.repeated("entries", lambda: sorted(os.listdir(self.path(f"{name}/by-id"))))
        for entry in entries:
            for file in IN_ENTRY:
                self.file(f"{name}/by-id/{entry}/{file}")
        self.look("listxattr", lambda: sorted(os.listxattr(self.path(f"{name}/by-id/{entries[0]}"))))
        self.look("statvfs", lambda: os.statvfs(self.path(name)).f_namemax)

    def walk(self, name, depth):
        """What is in the folder, and two levels of tree/."""
        for child in self.names(name):
            path = f"{name}/{child}"
            if path.count("/tree/") and depth > 3:
                continue
            mode = self.attributes(path)
            if stat.S_ISDIR(mode):
                self.walk(path, depth + 1)
            elif stat.S_ISLNK(mode):
                self.link(path)
            elif not path.endswith("/info") and mode & 0o400:
                self.file(path)

    def check(self, without):
        failed = self.reported("met")
        if self.seen is not None:
            self.check_refusals(failed)
            expect(self.seen == without.seen, f"the mount shows {difference(self.seen, without.seen)}")


TRIALS = {"read": ReadTrial, "write": WriteTrial}


def names_of(offsets):
    """Of functions in sessfs, with file and line."""
    command = ["addr2line", "-f", "-s", "-e", SESSFS, *offsets]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.split("\n") if offsets else []
    return ", ".join(f"{name} ({place.split(' ')[0]})" for name, place in zip(lines[::2], lines[1::2]))


def attempt(make, scenario, top, kind, nth, name, without):
    """Returns what is wrong, or None. All folders have names of one length."""
    folder = tempfile.mkdtemp(dir=top)
    trial = make(scenario, folder, kind, nth, name)
    try:
        trial.run()
        trial.check(without)
    except (Failure, OSError, AssertionError, KeyError, ValueError, NotMounted, subprocess.SubprocessError) as e:
        failed = f"{trial.reported('failed') or 'no call'} in {trial.callers()}"
        return f"{kind} {nth} {name}: {failed}: {e if isinstance(e, Failure) else repr(e)}; refused: {trial.refused}"
    shutil.rmtree(folder)
    return None


def chosen(without, choices):
    count = int(without.reported("calls"))
    every = range(1, count + 1)
    if SAMPLE == "all":
        return trials.part([int(n) for n in without.report().get("way", [])])
    if SAMPLE == "calls" or count <= int(SAMPLE):
        return every
    return sorted(choices.sample(every, int(SAMPLE)))


def try_scenario(make, scenario, folder, choices, pool):
    todo = []
    for kind in KINDS:
        without = make(scenario, tempfile.mkdtemp(dir=folder), kind, 0, "EIO")
        without.run()
        for name in FAILURES[kind]:
            todo += [(kind, nth, name, without) for nth in chosen(without, choices)]
    results = pool.map(lambda t: attempt(make, scenario, folder, *t), todo)
    return Counter({"calls failed": len(todo)}), [r for r in results if r]


def main():
    folder, what, *patterns = sys.argv[1:]
    make = TRIALS[what]
    trials.try_all(folder, patterns, lambda *scenario: try_scenario(make, *scenario))


if __name__ == "__main__":
    main()
