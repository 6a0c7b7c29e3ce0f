"""Kill the daemon while it writes, over and over.

usage: killed.py FIXTURE FOLDER ROUNDS SEED

Each round mounts the session anew, lets four writers run, kills the daemon
after a random few milliseconds and looks at what is left. The file is never
worse than one torn line at its end, and the next write of another mount repairs
that. What was reported as written is there, in the next round and at the end.
"""

import errno
import json
import os
import random
import shutil
import sys
import threading
import time

from mounted import Mounted

fixture, folder, rounds, seed = sys.argv[1:]
choices = random.Random(int(seed))
session = os.path.join(folder, "session.jsonl")
mount = os.path.join(folder, "mnt")
# These keep labels, or everything, beside the session; a version 1 file is rewritten.
labels_beside = "claude" in fixture
heads_beside = labels_beside or "go-tree" in fixture
migrates = "v1" in fixture


class Writer(threading.Thread):
    """A writer that writes values until the daemon has died."""

    def __init__(self, write, values, last):
        super().__init__()
        self.write = write
        self.values = values
        self.last = last  # that was reported as written
        self.pending = None  # that was on its way when the daemon was killed
        self.written = []
        self.killing = threading.Event()
        self.begun = threading.Event()
        self.failure = None

    def run(self):
        for self.pending in self.values:
            self.begun.set()
            try:
                self.write_again(self.pending)
            except OSError as e:
                if not self.killing.is_set():
                    self.failure = e
                return
            self.last = self.pending
            self.written.append(self.last)

    def write_again(self, value):
        """Names that were looked up before a migration may be stale."""
        for _ in range(10 if migrates else 0):
            try:
                return self.write(value)
            except OSError as e:
                if e.errno != errno.ESTALE:
                    raise
        return self.write(value)

    def may_be(self):
        return {self.last, self.pending}


def texts(name):
    """Labels that no other writer sets."""
    for number in range(1000000):
        yield f"{name}-{number}-" + "x" * choices.randrange(900)


def take_turns(ids):
    while True:
        yield from ids


def read_file():
    with open(session, "rb") as f:
        return f.read()


class Session:
    def __init__(self):
        self.fresh()
        self.reported = []  # of labels, and by whom the head was moved where
        self.moves = []
        self.torn = []
        self.counts = {"reported": 0, "on their way": 0, "of these written": 0}

    def fresh(self):
        shutil.copy(fixture, session)
        beside = fixture.removesuffix(".jsonl") + ".head.json"
        if os.path.exists(beside):
            shutil.copy(beside, session.removesuffix(".jsonl") + ".head.json")
        self.bytes = read_file()
        self.labels = {}
        self.head = None
        self.contents = None

    def look(self, mounted):
        """The mount shows the last reported value, or the one being written."""
        contents = {name: mounted.read("by-id", name, "content") for name in mounted.ids()}
        if self.contents is None:
            self.contents = contents
            self.labels = {name: {mounted.label(name)} for name in contents}
            self.head = {mounted.head()}
        for name, content in self.contents.items():
            assert contents.get(name) == content, f"{name} says {contents.get(name)}, not {content}"
        for name, may_be in self.labels.items():
            label = mounted.label(name)
            assert label in may_be, f"the label of {name} is {label[:40]}, not of {may_be}"
            self.labels[name] = {label}
        assert mounted.head() in self.head, f"HEAD is {mounted.head()}, not of {self.head}"
        self.head = {mounted.head()}

    def check_file(self):
        """All earlier lines are there, and at most the last line is torn."""
        now = read_file()
        if migrates and self.bytes == read_backup():
            json.loads(now.splitlines()[0])
        else:
            assert now.startswith(self.bytes), "earlier bytes have changed"
            new = now[len(self.bytes) :].split(b"\n")
            for line in new[:-1]:
                # Empty before the line that repairs a torn one.
                if line:
                    json.loads(line)
            if new[-1]:
                try:
                    json.loads(new[-1])
                except ValueError:
                    self.torn.append(now)
        self.bytes = now

    def check_reported(self):
        lines = []
        for line in self.bytes.split(b"\n"):
            try:
                lines.append(json.loads(line))
            except ValueError:
                pass
        if not labels_beside:
            for text in self.reported:
                assert f'"{text}"'.encode() in self.bytes, f"the label {text[:40]} is lost"
        if not heads_beside:
            marked = [line.get("parentId") for line in lines if line.get("customType") == "sessfs.head"]
            for target in set(self.moves):
                assert marked.count(target) >= self.moves.count(target), f"a move to {target} is lost"

    def round(self, number):
        mounted = Mounted(session, mount)
        self.look(mounted)
        ids = sorted(name for name in self.contents)[:6]
        writers = {}
        for name in ids[:3]:
            (last,) = self.labels[name]
            writers[name] = Writer(lambda text, name=name: mounted.set_label(name, text), texts(f"{number}-{name}"), last)
        (head,) = self.head
        turns = [name for name in ids[3:] if name != head]
        mover = Writer(mounted.move_head, take_turns(turns), head)
        everybody = [*writers.values(), mover]
        for writer in everybody:
            writer.start()
        for writer in everybody:
            assert writer.begun.wait(20), "a writer does not begin"
        time.sleep(choices.uniform(0, 0.012))
        for writer in everybody:
            writer.killing.set()
        mounted.kill()
        for writer in everybody:
            writer.join(20)
            assert not writer.is_alive(), "a writer hangs"
            assert not writer.failure, f"a write failed: {writer.failure}"
        mounted.clear_away()
        self.check_file()
        for name, writer in writers.items():
            self.labels[name] = writer.may_be()
            self.reported += writer.written
            self.counts["of these written"] += f'"{writer.pending}"'.encode() in self.bytes
        self.head = mover.may_be()
        self.moves += mover.written
        self.counts["reported"] += sum(len(writer.written) for writer in everybody)
        self.counts["on their way"] += len(everybody)


    def write_one(self, text):
        mounted = Mounted(session, mount)
        self.look(mounted)
        name = sorted(self.contents)[0]
        mounted.set_label(name, text)
        self.labels[name] = {text}
        self.look(mounted)
        mounted.unmount()
        self.check_file()


def read_backup():
    try:
        with open(session + ".v1.bak", "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def main():
    s = Session()
    if not migrates:
        # Every writer waits for a last line that is already torn.
        s.write_one("the first")
    for number in range(int(rounds)):
        if migrates:
            for name in os.listdir(folder):
                if name.startswith("session.jsonl."):
                    os.unlink(os.path.join(folder, name))
            s.fresh()
            s.reported, s.moves = [], []
        s.round(number)
        if migrates:
            s.check_reported()
    # The next mount continues with it.
    s.write_one("the last")
    s.check_reported()
    assert labels_beside or s.bytes.endswith(b"\n"), "the torn line was not repaired"
    figures = ", ".join(f"{n} {what}" for what, n in s.counts.items())
    print(f"{os.path.basename(fixture)}: {rounds} kills survived (seed {seed}); writes: {figures}; torn lines: {len(s.torn)}; {len(s.bytes)} bytes")


if __name__ == "__main__":
    main()
