"""Let an agent write while sessfs is stopped in the middle of its own write.

usage: owners.py FOLDER ACT[,ACT...] PATTERN...

Each scenario (scenarios.py) whose name fits a pattern is carried out once to count the
calls by which sessfs writes (../lib/intercept.c). Then it is carried out again and again: sessfs is
stopped before one of these calls, an agent does an ACT (ACTS below) to the files as it
finds them, and sessfs goes on. A step that is refused is repeated, as its user would. Then:

- Every line of the agent is there, whole and byte for byte, and shown.
- What sessfs reported is there and shown, and what it refused left no line.
- No line is damaged or glued to another.
- HEAD is where the agent or sessfs left it, and another mount shows the same.
- No temporary file, no lock and no descriptor is left.

oh-my-pi takes its two locks for each act. If sessfs has one of them, it writes when sessfs
has finished.

In the environment:

    SEED=N       for the samples; it is printed
    SAMPLE=N     so many pairs of a call and an act of each scenario (3), or all of them
    PART=K/N     of all of them every N-th, from the K-th on
"""

import concurrent.futures
import errno
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter

import trials
from checks import Failure, expect, read_files
from faults import PATIENCE, described, difference
from mounted import Mounted
from scenarios import DIALECTS, SESSION, look
from xxh64 import xxh64

SAMPLE = os.environ.get("SAMPLE", "3")

# As in ERRORS of the manual. ENOENT: the name of an entry that has another id now.
REFUSALS = (errno.EBUSY, errno.EAGAIN, errno.ESTALE, errno.EIO)
MARK = "the agent writes"
# The calls by which sessfs writes.
WRITES = "create,write,sync,rename,link,unlink,lock,bind"
TIME = "2026-12-01T10:00:00.000Z"


class OmpLocks:
    """The two locks of oh-my-pi on a session, as in core/dialects/omp/lock.h."""

    def __init__(self, session):
        folder, name = os.path.split(session)
        self.file = os.path.join(folder, f".{name}.lock")
        gate = f"{self.file}.os".encode()
        seeds = (0x4F4D502D4C4F434B, 0x50492D46494C454C)
        self.address = "\0omp-file-lock-" + "".join(f"{xxh64(gate, seed):016x}" for seed in seeds)

    def try_both(self):
        """Trying once is enough while sessfs is stopped: it releases nothing."""
        self.gate = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self.gate.bind(self.address)
            fd = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except OSError as e:
            self.gate.close()
            if e.errno in (errno.EADDRINUSE, errno.EEXIST):
                return False
            raise
        os.write(fd, f"{os.getpid()}:{time.time_ns() // 1000000}\n".encode())
        os.close(fd)
        return True

    def release(self):
        os.unlink(self.file)
        self.gate.close()


class NoLocks:
    """Pi, its library, Claude Code and the others have none."""

    def try_both(self):
        return True

    def release(self):
        pass


class Agent:
    """Writes a session in one dialect, as its owner does."""

    def __init__(self, key, session):
        self.key, self.session = key, session
        self.parent = DIALECTS[key].entries[0]
        self.lines = []
        self.locks = OmpLocks(session) if key.startswith("omp") else NoLocks()

    def read(self):
        with open(self.session, "rb") as f:
            return f.read()

    def replace(self, path, data):
        """As every agent does that renames: no reader sees half of it."""
        with open(path + ".tmp", "wb") as f:
            f.write(data)
        os.rename(path + ".tmp", path)

    def is_v1(self):
        return self.key == "pi-v1" and b'"version"' not in self.read().split(b"\n", 1)[0]

    def id(self, number):
        if self.key.startswith("claude"):
            return f"c1a0de00-0000-4000-8000-0000000a9e{number:02}"
        return f"01HZZZZZZZ00000000000A9E{number:02}" if self.key == "go-tree" else f"a9e000{number:02}"

    def next_line(self):
        number = len(self.lines) + 1
        text, name = f"{MARK} line {number}", self.id(number)
        said = {"role": "user", "content": text}
        if self.key.startswith("claude"):
            known = [json.loads(line) for line in self.read().split(b"\n") if b'"type":"user"' in line]
            line = {**known[0], "parentUuid": self.parent, "uuid": name, "timestamp": TIME, "message": said}
        elif self.key == "go-tree":
            line = {"id": name, "parentId": self.parent, "kind": "turn.user", "ts": TIME, "payload": {"text": text}}
        elif self.key == "draft-uuid":
            line = {"type": "message", "uuid": name, "parentUuid": self.parent, "message": said}
        elif self.key == "draft-index":
            line = {"type": "message", "parent": int(self.parent), "message": said}
        elif self.is_v1():
            line = {"type": "message", "timestamp": TIME, "message": {**said, "timestamp": 5}}
        else:
            line = {"type": "message", "id": name, "parentId": self.parent, "timestamp": TIME, "message": {**said, "timestamp": 5}}
        self.lines.append(json.dumps(line).encode())
        return self.lines[-1] + b"\n"

    def append(self, count=1):
        """Each line by one write. A missing newline comes first, as it opens the session."""
        fd = os.open(self.session, os.O_RDWR | os.O_APPEND)
        try:
            if not self.read().endswith(b"\n"):
                os.write(fd, b"\n")
            for _ in range(count):
                line = self.next_line()
                expect(os.write(fd, line) == len(line), "the agent's write was short")
        finally:
            os.close(fd)
        if self.key == "go-tree":
            self.move_head(self.id(len(self.lines)))

    def append_several(self):
        self.append(3)

    def move_head(self, name):
        self.replace(self.session.replace(".jsonl", ".head.json"), json.dumps({"head": name}).encode())

    def rewrite(self):
        """A new file that is renamed over the old one, as by oh-my-pi."""
        data = self.read()
        if not data.endswith(b"\n"):
            data += b"\n"
        self.replace(self.session, data + self.next_line())

    def values(self):
        """What can be read: Pi leaves out the other lines."""
        for line in self.read().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                pass

    def migrate(self):
        """In place, as Pi does when it opens a session of version 1: with ids of its own."""
        if not self.is_v1():
            return self.append()
        header, *rest = self.values()
        lines, parent = [{**header, "version": 3}], None
        for i, entry in enumerate(rest):
            kept = entry.pop("firstKeptEntryIndex", None)
            if kept is not None:
                entry["firstKeptEntryId"] = f"b1e000{kept:02}"
            lines.append({**entry, "id": f"b1e000{i + 1:02}", "parentId": parent})
            parent = lines[-1]["id"]
        with open(self.session, "wb") as f:
            f.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        self.parent = parent
        return self.append()


ACTS = {
    "append": Agent.append,
    "several": Agent.append_several,
    "rewrite": Agent.rewrite,
    # For oh-my-pi: it keeps its locks until sessfs has given up.
    "hold": Agent.append,
    "migrate": Agent.migrate,
}


def has_act(scenario, act):
    # Only oh-my-pi does. A label that is removed meanwhile may stay (README.md).
    if act in ("hold", "rewrite"):
        return scenario.dialect == "omp" and not scenario.name.startswith("label/")
    return act != "migrate" or scenario.name.endswith("/pi-v1")


def is_stopped(pid):
    with open(f"/proc/{pid}/stat") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "T"


class Trial(trials.Trial):
    """A scenario in which sessfs is stopped before its nth call; with 0 it is not."""

    def __init__(self, scenario, folder, nth, act):
        super().__init__(scenario, folder)
        self.nth, self.act = nth, act
        self.counts_from = os.path.join(folder, "from")
        self.paused = self.waits = self.holds = False

    def environment(self):
        return trials.preloading(CALL_KINDS=WRITES, CALL_NTH=str(self.nth), CALL_DO="stop", CALL_WHILE=self.counts_from, CALL_REPORT=self.report_to)

    def session_lines(self):
        with open(os.path.join(self.folder, SESSION), "rb") as f:
            return f.read().split(b"\n")

    def run(self):
        session = self.scenario.prepare(self.folder)
        self.agent = Agent(self.scenario.name.split("/")[1], session)
        self.mounted = Mounted(session, self.mount, self.environment())
        try:
            self.known = look(self.mounted)["entries"].keys()
            open(self.counts_from, "x").close()
            for step in self.scenario.steps:
                self.carry_out(step)
            shown = self.watch(lambda: look(self.mounted))
            self.seen = described(shown, self.known)
            self.open_files = len(os.listdir(f"/proc/{self.mounted.process.pid}/fd"))
        except BaseException:
            self.mounted.kill()
            raise
        finally:
            subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
            status = self.mounted.process.wait(PATIENCE)
        expect(status == 0, f"it ended with {status}")
        again = Mounted(session, self.mount)
        try:
            fresh = look(again)
        finally:
            subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
            again.process.wait(PATIENCE)
        fresh = described(fresh, self.known)
        expect(fresh == self.seen, f"another mount shows {difference(fresh, self.seen)}")

    def watch(self, do):
        """What do() returns, with the agent's act while sessfs is stopped."""
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            future = pool.submit(do)
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    return future.result(0.002)
                except concurrent.futures.TimeoutError:
                    pass
                if not self.paused and is_stopped(self.mounted.process.pid):
                    self.let_agent_write()
                if time.monotonic() > end:
                    # Its requests fail then, so the thread ends.
                    self.mounted.kill()
                    raise Failure("it hangs")

    def let_agent_write(self):
        self.paused = True
        try:
            if self.agent.locks.try_both():
                ACTS[self.act](self.agent)
                self.holds = self.act == "hold"
                if not self.holds:
                    self.agent.locks.release()
            else:
                self.waits = True
        finally:
            self.mounted.process.send_signal(signal.SIGCONT)

    def carry_out(self, step):
        before, refusal = self.session_lines(), None
        try:
            self.watch(lambda: step.do(self.mounted))
        except OSError as e:
            refusal = e
            self.refused.append((step.what, e))
        self.let_agent_finish()
        if refusal:
            self.check_refusal(before, step.what, refusal)
            self.repeat(step)

    def let_agent_finish(self):
        """The agent that holds its locks releases them, and one that waits gets them."""
        if self.holds:
            self.agent.locks.release()
            self.holds = False
        if self.waits:
            expect(self.agent.locks.try_both(), "sessfs keeps oh-my-pi's locks")
            ACTS[self.act](self.agent)
            self.agent.locks.release()
            self.waits = False

    def repeat(self, step):
        try:
            self.watch(lambda: step.do(self.mounted))
        except OSError as e:
            # The ids that the agent gave to older entries are others.
            expect(self.act == "migrate" and e.errno == errno.ENOENT, f"{step.what} is refused again: {e!r}")

    def check_refusal(self, before, what, e):
        expect(self.paused, f"{what} is refused before anything was stopped: {e!r}")
        expect(e.errno in REFUSALS or self.act == "migrate" and e.errno == errno.ENOENT, f"{what} is refused by {e!r}")
        # What follows a migration has other bytes. A rewrite may have copied the line.
        if self.act not in ("migrate", "rewrite"):
            # The truncation before the write has been reported: it empties the name.
            allowed = [b"", *before, *self.agent.lines]
            new = [line for line in self.session_lines() if line not in allowed and b'"type":"title"' not in line]
            expect(not new, f"{what} is refused by {e!r}, but there is {new}")

    def check(self, without):
        """Compared with the trial in which nothing is stopped."""
        expect(self.paused, "it was not stopped")
        self.check_lines()
        self.check_shown(without)
        files, other = read_files(self.folder), read_files(without.folder)
        surplus = files.keys() ^ other.keys()
        expect(not surplus or self.act == "migrate" and surplus == {f"{SESSION}.v1.bak"}, f"there are {sorted(files)}, not {sorted(other)}")
        expect(self.open_files == without.open_files, f"{self.open_files} descriptors are open, not {without.open_files}")

    def check_lines(self):
        lines = self.session_lines()
        expect(self.agent.lines, "the agent wrote nothing")
        for line in self.agent.lines:
            count = lines.count(line)
            # Migrated by sessfs, it has an id more.
            if count == 0 and "id" not in json.loads(line) and self.scenario.name.endswith("/pi-v1"):
                text = json.loads(line)["message"]["content"].encode()
                count = len([whole for whole in lines if b'"' + text + b'"' in whole])
            expect(count == 1, f"the agent's line is there {count} times: {line}")
        for line in lines:
            expect(not line or self.scenario.is_whole(line), f"a damaged line: {line[:200]}")

    def check_shown(self, without):
        mine, other = dict(self.seen), dict(without.seen)
        agents = [new for new in mine["new"] if MARK.encode() in new]
        expect(len(agents) == len(self.agent.lines), f"{len(agents)} of the agent's {len(self.agent.lines)} lines are shown")
        mine["new"] = [new for new in mine["new"] if MARK.encode() not in new]
        # A move of HEAD names the leaf before it, which may be the agent's line.
        for seen in (mine, other):
            seen["new"] = sorted(re.sub(rb'"from": "[^"]*"', b'"from": ID', new) for new in seen["new"])
            if isinstance(seen["head"], bytes):
                seen["head"] = re.sub(rb'"from": "[^"]*"', b'"from": ID', seen["head"])
        if self.act == "migrate":
            return
        if self.refused and self.act == "rewrite":
            mine["new"], other["new"] = sorted(set(mine["new"])), sorted(set(other["new"]))
        if isinstance(mine["head"], bytes) and MARK.encode() in mine["head"]:
            mine["head"] = other["head"]
        expect(mine == other, f"the mount shows {difference(mine, other)}")


def attempt(scenario, folder, nth, act, without):
    """Returns what is wrong, or None, and whether a step was refused."""
    trial = Trial(scenario, folder, nth, act)
    try:
        trial.run()
        trial.check(without)
    except (Failure, OSError, AssertionError, KeyError, ValueError, subprocess.SubprocessError) as e:
        paused = trial.reported("met") or "no call"
        return f"{act} before call {nth} ({paused}): {e if isinstance(e, Failure) else repr(e)}; refused: {trial.refused}", bool(trial.refused)
    shutil.rmtree(folder)
    return None, bool(trial.refused)


def try_scenario(acts, scenario, folder, choices, pool):
    without = Trial(scenario, os.path.join(folder, "without"), 0, None)
    without.run()
    count = int(without.reported("calls"))
    pairs = [(nth, act) for nth in range(1, count + 1) for act in acts if has_act(scenario, act)]
    if SAMPLE == "all":
        pairs = trials.part(pairs)
    elif len(pairs) > int(SAMPLE):
        pairs = sorted(choices.sample(pairs, int(SAMPLE)))
    results = list(pool.map(lambda p: attempt(scenario, os.path.join(folder, f"{p[1]}-{p[0]}"), *p, without), pairs))
    refusals = sum(refused for _, refused in results)
    return Counter({"stops": len(pairs), "refusals": refusals}), [failure for failure, _ in results if failure]


def main():
    folder, acts, *patterns = sys.argv[1:]
    trials.try_all(folder, patterns, lambda *scenario: try_scenario(acts.split(","), *scenario))


if __name__ == "__main__":
    main()
