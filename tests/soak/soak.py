"""A long day of one daemon: 2,000 sessions, agents, readers, and what goes wrong.

usage: soak.py SCRATCH

MINUTES=N, or HOURS=N, says how long; SEED=N repeats the choices of each thread.
See README.md.
"""

import difflib
import errno
import json
import os
import random
import re
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import readers
import scenarios
from measure import Measure, stacks
from mounted import Mounted, Shown
from sessions import OF_AGENTS, Agent, KINDS, Session, grow_claude

SESSIONS = 2000
GROWING = 50
FOLDERS = 20
READERS = 3
COMPARE_EVERY = 1000
# Nothing takes this long unless it hangs.
HANG = 60
GONE = (errno.ENOENT, errno.ESTALE)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, os.pardir, os.pardir)
INTERCEPT = os.path.join(ROOT, "build/intercept.so")
EVENTS = "/proc/sys/fs/inotify/max_queued_events"


def difference(shown, wanted):
    """Of two looks the lines that differ. Each is bytes, or the name of an errno, or None."""
    lines = [v.decode(errors="replace").split("\n") if isinstance(v, bytes) else [str(v)] for v in (shown, wanted)]
    return "\n".join(difflib.unified_diff(*lines, "shown", "a new mount", n=0, lineterm=""))[:2000]


class Soak:
    def __init__(self, scratch, seed):
        self.scratch = scratch
        self.seed = seed
        self.source = os.path.join(scratch, "sessions")
        self.mount = os.path.join(scratch, "mnt")
        self.home = os.path.join(scratch, "home")
        self.clock = os.path.join(scratch, "clock")
        for folder in (self.source, self.mount, self.home):
            os.mkdir(folder)
        self.folders = [f"{n:02}" for n in range(FOLDERS)]
        self.counts = Counter()
        self.counting = threading.Lock()
        # Held while the daemon is stopped: what the kernel has cached is old then.
        self.awake = threading.RLock()
        self.over = threading.Event()
        self.failures = []
        self.busy = {}
        self.number = 0

    def count(self, what, n=1):
        with self.counting:
            self.counts[what] += n
            return self.counts[what]

    def fail(self, text):
        self.failures.append(text)
        self.over.set()

    def choices(self, name):
        return random.Random(f"{self.seed} {name}")

    # Before.

    def add_filesystems(self):
        """Two of the folders are on filesystems of their own, if that can be."""
        if os.geteuid() != 0:
            print("not root: all sessions are on one filesystem")
            return
        image = os.path.join(self.scratch, "image")
        with open(image, "wb") as f:
            f.truncate(256 << 20)
        for kind, what, folder in (("tmpfs", "tmpfs", "00"), ("ext4", image, "01")):
            if kind == "ext4":
                subprocess.run(["mkfs.ext4", "-q", image], check=True)
            done = subprocess.run(["mount", "-t", kind, what, os.path.join(self.source, folder)], capture_output=True, text=True)
            print(f"folder {folder} is on {kind}" if done.returncode == 0 else f"without {kind}: {done.stderr.strip()}")

    def new_session(self, kind, choices):
        folder = choices.choice(self.folders)
        with self.counting:
            self.number += 1
            name = f"{self.number}-{kind.removesuffix('.jsonl')}"
        return Session(os.path.join(self.source, folder), os.path.join(self.mount, folder), name, kind)

    def make_sessions(self):
        choices = self.choices("sessions")
        for folder in self.folders:
            os.mkdir(os.path.join(self.source, folder))
        self.add_filesystems()
        kinds = sorted(KINDS)
        grow = [*OF_AGENTS, "claude", "claude-old"]
        self.growing = [self.new_session(grow[n % len(grow)], choices) for n in range(GROWING)]
        self.others = [self.new_session(kinds[n % len(kinds)], choices) for n in range(SESSIONS - GROWING)]
        for session in self.growing + self.others:
            session.make()

    def start(self):
        with open(self.clock, "wb") as f:
            f.write(struct.pack("q", 0))
        self.agents = {name: Agent(name, self.home) for name in sorted(set(OF_AGENTS.values()))}
        environment = dict(os.environ, LD_PRELOAD=INTERCEPT, CLOCK_OFFSET=self.clock, HOME=self.home)
        self.mounted = Mounted(self.source, self.mount, environment)
        self.measure = Measure(self.mounted.process.pid)
        # All are in memory from the beginning: loading them is no growth.
        for session in self.growing + self.others:
            readers.read(session.shown, "context.txt")
        readers.read(self.mount, "sessions.txt")

    # The threads. Each does one thing, again and again.

    def repeat(self, name, pause, do):
        choices = self.choices(name)

        def run():
            while not self.over.is_set():
                self.busy[name] = (time.monotonic(), name)
                try:
                    do(choices)
                except Exception:
                    if not self.over.is_set():
                        self.fail(f"{name}: {traceback.format_exc()[-3000:]}")
                self.busy.pop(name, None)
                self.over.wait(choices.uniform(0, 2 * pause))

        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def any_session(self, choices):
        return choices.choice(choices.choice((self.growing, self.others)))

    def look(self, choices):
        session = self.any_session(choices)
        # Other threads change it at the same time, so it may be gone.
        state = choices.getstate()
        try:
            readers.some_look(session.shown, choices)(session.shown)
        except OSError as e:
            if e.errno not in GONE:
                raise
            self.count("looks at what is gone")
        if self.count("looks") % COMPARE_EVERY == 0:
            choices.setstate(state)
            with session.lock:
                if session.there:
                    self.compare(session, choices)

    def look_at_all(self, choices):
        readers.read(self.mount, "sessions.txt")
        self.count("looks")

    def hold_open(self, choices):
        """Read a file in two halves, with time between them."""
        session = self.any_session(choices)
        try:
            with open(os.path.join(session.shown, "context.txt"), "rb") as f:
                f.read(100)
                self.over.wait(choices.uniform(0, 3))
                f.read()
        except OSError as e:
            if e.errno not in GONE:
                raise
            self.count("looks at what is gone")
        self.count("looks")

    def compare(self, session, choices):
        """The session's lock is held: a new mount has to show the same bytes."""
        at = os.path.join(self.scratch, f"fresh.{threading.get_ident()}")
        os.makedirs(at, exist_ok=True)
        with self.awake:
            fresh = Mounted(session.file, at)
            try:
                looks = [readers.some_look(at, choices), *(kind(at, choices) for kind, _ in readers.KINDS)]
                for look in looks:
                    # Not each session has each file.
                    wanted = self.shown_or_errno(look, at)
                    self.compare_one(session, look, wanted)
            finally:
                fresh.unmount()
        self.count("comparisons", len(looks))

    def shown_or_errno(self, look, root):
        try:
            return look(root)
        except OSError as e:
            if e.errno not in GONE:
                raise
            return errno.errorcode[e.errno]

    def compare_one(self, session, look, wanted):
        # What the kernel has cached is old until the daemon has been told of a change.
        end = time.monotonic() + HANG / 2
        early = False
        while True:
            shown = self.shown_or_errno(look, session.shown)
            if shown == wanted:
                return
            if time.monotonic() > end or self.over.is_set():
                raise AssertionError(f"{session.file}: {look.__qualname__}: {difference(shown, wanted)}")
            if not early:
                self.count("comparisons that were early")
            early = True
            time.sleep(0.01)

    def grow(self, choices):
        session = choices.choice(self.growing)
        with session.lock:
            if session.keep_small():
                self.count("rotated")
            if session.kind in OF_AGENTS:
                self.grow_and_label(session, choices)
            else:
                self.count("lines of Claude Code's form", grow_claude(session, choices))

    def grow_and_label(self, session, choices):
        """The agent appends; to Pi's newest form, without a lock, while labels are written: no line is lost or torn."""
        agent, shown, said = self.agents[OF_AGENTS[session.kind]], Shown(session.shown), []
        with ThreadPoolExecutor(1) as pool:
            growing = pool.submit(agent.grow, session.file, choices.randrange(1 << 30))
            while session.kind == "pi" and len(said) < 20 and not growing.done():
                said.append(f"meanwhile {choices.getrandbits(60)}")
                shown.set_label(choices.choice(session.dialect.entries), said[-1])
            self.count("entries by agents", growing.result())
        lines = [json.loads(line) for line in readers.read(session.file).splitlines()] if said else []
        there = Counter(line.get("label") for line in lines)
        assert all(there[text] == 1 for text in said), f"labels of {session.file}: {said}, not {there}"
        wrong = re.search(rb"^(bad-lines|duplicate-ids|missing-parents|cycles|torn).*", readers.read(session.shown, "info") if said else b"", re.M)
        assert not wrong, f"{session.file}: {wrong}"
        self.count("labels while an agent appends", len(said))

    def write(self, choices):
        """Through the mount: a head move, a label, or a line."""
        session = self.any_session(choices)
        d = session.dialect
        if not d:
            return
        shown = Shown(session.shown)
        what = choices.choice(("head", "label", "append") if d.message else ("head", "label"))
        if session.kind == "pi-v1":
            what = "append"  # Pi gives the entries new ids when it migrates the file
        text = f"soaked {choices.getrandbits(60)}"
        with session.lock:
            if not session.there:
                return
            if session.keep_small():
                self.count("rotated")
            # Names from before an agent's rewrite may be stale once.
            for last in (False, False, True):
                try:
                    if what == "head":
                        shown.move_head(choices.choice(d.entries))
                    elif what == "label":
                        shown.set_label(choices.choice(d.entries), text)
                    else:
                        shown.write(scenarios.line_of(d.message(text)), "append")
                    break
                except OSError as e:
                    if e.errno not in GONE or last:
                        raise AssertionError(f"{what} of {session.file}: {e}") from e
        self.count(f"writes: {what}")

    def change(self, choices):
        """Under the mount."""
        session = choices.choice(self.others)
        what = choices.choice(("new", "new", "rotate", "replace", "truncate", "set back"))
        with session.lock:
            if not session.there:
                return
            if what == "new":
                session.remove()
                new = self.new_session(session.kind, choices)
                new.make()
                self.others[self.others.index(session)] = new
            elif what == "rotate":
                session.rotate()
            elif what == "replace":
                session.replace()
            elif what == "truncate":
                session.truncate(choices.randrange(len(session.born)))
                self.over.wait(choices.uniform(0, 0.2))
                session.rewrite()
            else:
                session.set_back(choices.randrange(100_000))
        self.count({"new": "removed and created", "rotate": "rotated", "replace": "replaced", "truncate": "truncated and rewritten", "set back": "times set back"}[what])

    def step_clock(self, choices):
        with open(self.clock, "r+b") as f:
            f.write(struct.pack("q", choices.randrange(-100_000, 0)))
        self.count("steps of the clock")

    def suspend(self, choices):
        with self.awake:
            self.mounted.process.send_signal(signal.SIGSTOP)
            try:
                if choices.random() < 0.5:
                    self.overflow()
                self.over.wait(choices.uniform(0, 3))
            finally:
                self.mounted.process.send_signal(signal.SIGCONT)
        self.count("suspensions")

    def overflow(self):
        """More events than inotify keeps for a program that does not read them."""
        with open(EVENTS) as f:
            most = int(f.read())
        one, other = (os.path.join(self.source, self.folders[-1], name) for name in ("one.tmp", "other.tmp"))
        for _ in range(most // 4 + 1):
            for path in (one, other):
                with open(path, "w"):
                    pass
            for path in (one, other):
                os.unlink(path)
        self.count("overflows")

    # From beginning to end.

    def watch(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.over.wait(1):
            if self.mounted.process.poll() is not None:
                self.fail(f"the daemon has ended with {self.mounted.process.returncode}")
                break
            self.measure.sample()
            for since, name in list(self.busy.values()):
                if time.monotonic() - since > HANG:
                    self.fail(f"{name} hangs:\n" + "\n".join(stacks(self.mounted.process.pid)))
        self.over.set()

    def run(self, seconds):
        self.make_sessions()
        self.start()
        threads = [self.repeat(f"reader {n}", 0.001, self.look) for n in range(READERS)]
        for name, pause, do in (
            ("reader of all", 5, self.look_at_all),
            ("holder", 0.1, self.hold_open),
            ("grower", 0.05, self.grow),
            ("writer", 0.05, self.write),
            ("changer", 0.05, self.change),
            ("clock", 3, self.step_clock),
            ("suspender", 10, self.suspend),
        ):
            threads.append(self.repeat(name, pause, do))
        self.watch(seconds)
        end = time.monotonic() + HANG
        for thread in threads:
            thread.join(max(0, end - time.monotonic()))
        hanging = [thread.name for thread in threads if thread.is_alive()]
        if hanging:
            self.fail(f"hanging at the end: {hanging}\n" + "\n".join(stacks(self.mounted.process.pid)))
        elif not self.failures:
            self.failures += self.measure.not_flat()

    def stop(self):
        for agent in getattr(self, "agents", {}).values():
            agent.end()
        if hasattr(self, "mounted"):
            # A stopped one would not answer; a dead one's mount goes with the scratch.
            self.mounted.process.kill()
            self.mounted.process.wait()

    def print_figures(self):
        for what in sorted(self.counts):
            print(f"{what:>32} {self.counts[what]:>10}")
        if self.measure.samples:
            print("\n".join([*self.measure.table(), *self.measure.plot()]))


def main():
    seconds = float(os.environ.get("HOURS") or 0) * 3600 or float(os.environ.get("MINUTES") or 20) * 60
    seed = os.environ.get("SEED") or str(random.randrange(1 << 30))
    print(f"SEED={seed}, {seconds / 60:g} minutes", flush=True)
    soak = Soak(sys.argv[1], seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        soak.run(seconds)
        soak.print_figures()
    finally:
        soak.stop()
    for failure in soak.failures:
        print(f"failed (SEED={seed}): {failure}")
    # Threads that hang are not waited for.
    sys.stdout.flush()
    os._exit(1 if soak.failures else 0)


if __name__ == "__main__":
    main()
