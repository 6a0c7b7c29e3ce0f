"""The sessions of the soak: what they are, and how their files change."""

import json
import os
import subprocess
import threading
import uuid
from glob import glob

import scenarios

HERE = os.path.dirname(os.path.abspath(__file__))
INTEROP = os.path.join(HERE, os.pardir, "interop")
# A session that has grown beyond this begins anew, so that the load stays the same.
LARGEST = 60_000
OF_AGENTS = {"pi": "pi", "pi-v1": "pi", "pi-v2": "pi", "omp": "omp", "omp-untitled": "omp"}


def all_kinds():
    """By name: the bytes of a session, and what can be written (a Dialect) or None."""
    kinds = {key: (d.files[scenarios.SESSION], d) for key, d in scenarios.DIALECTS.items()}
    for path in sorted(glob(os.path.join(scenarios.FIXTURES, "*.jsonl"))):
        name = os.path.basename(path)
        kinds[name] = (scenarios.fixture(name), None)
    return kinds


KINDS = all_kinds()


class Session:
    """A file, and the folder that shows it. Who changes it holds its lock."""

    def __init__(self, folder, shown_in, name, kind):
        self.lock = threading.RLock()
        self.kind = kind
        self.born, self.dialect = KINDS[kind]
        self.file = os.path.join(folder, name + ".jsonl")
        self.shown = os.path.join(shown_in, name)
        self.there = False

    def beside(self):
        """The files that agents and sessfs may keep beside it."""
        return glob(glob_escaped(self.file.removesuffix(".jsonl")) + ".*")

    def make(self):
        if self.kind.startswith("go-tree"):
            with open(self.file.removesuffix(".jsonl") + ".head.json", "wb") as f:
                f.write(scenarios.fixture("go-tree.head.json"))
        with open(self.file, "wb") as f:
            f.write(self.born)
        self.there = True

    def remove(self):
        self.there = False
        for path in self.beside():
            os.unlink(path)

    def rotate(self):
        """Rename it away, and begin a new one: the old one is removed at last."""
        away = self.file + ".old"
        os.rename(self.file, away)
        for path in self.beside():
            if path != away:
                os.unlink(path)
        self.make()
        os.unlink(away)

    def replace(self):
        """A new file takes its place, as agents rewrite theirs."""
        for path in self.beside():
            if path != self.file:
                os.unlink(path)
        staged = self.file + ".new"
        with open(staged, "wb") as f:
            f.write(self.born)
        os.rename(staged, self.file)

    def truncate(self, size):
        os.truncate(self.file, size)

    def rewrite(self):
        """In place, from the first byte."""
        with open(self.file, "r+b") as f:
            f.truncate(0)
            f.write(self.born)

    def keep_small(self):
        if os.path.getsize(self.file) > LARGEST:
            self.rotate()
            return True
        return False

    def set_back(self, seconds):
        """Its times go back, as after a restore."""
        then = os.stat(self.file).st_mtime - seconds
        os.utime(self.file, (then, then))


def glob_escaped(path):
    return "".join(f"[{c}]" if c in "*?[" else c for c in path)


class Agent:
    """A process with an agent's code, which appends to one session after another."""

    def __init__(self, name, home):
        bun = os.path.join(INTEROP, "omp/node_modules/.bin/bun")
        run = [bun] if name == "omp" else ["node"]
        self.name = name
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [*run, os.path.join(HERE, "grow.mjs"), name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home},
        )

    def grow(self, file, seed):
        with self.lock:
            self.process.stdin.write(json.dumps({"file": file, "seed": seed}) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        assert answer, f"the code of {self.name} has ended while it appended to {file}"
        return int(answer)

    def end(self):
        self.process.kill()
        self.process.wait()


def grow_claude(session, choices):
    """Lines as Claude Code writes them: a branch below an entry of the beginning."""
    parent = session.dialect.entries[1]
    count = choices.randrange(1, 8)
    # Some entries are older than those before them, as after a step of the clock.
    day = choices.randrange(1, 28)
    with open(session.file, "ab") as f:
        for n in range(count):
            line = {
                "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/work/demo",
                "sessionId": "5e55f500-0000-4000-8000-000000000001", "version": "2.1.100", "type": "user",
                "message": {"role": "user", "content": f"grown {n} " + "x" * choices.randrange(300)},
                "uuid": str(uuid.UUID(int=choices.getrandbits(128), version=4)),
                "timestamp": f"2026-03-{day:02}T10:00:{n:02}.000Z",
            }
            f.write(scenarios.line_of(line))
            parent = line["uuid"]
    return count
