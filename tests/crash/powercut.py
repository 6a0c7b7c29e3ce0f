"""Cut the power while sessfs writes, and look at what is left.

usage: powercut.py FOLDER PATTERN...

Each scenario (scenarios.py) whose name fits a pattern is carried out while its calls
are recorded (../lib/intercept.c).
For each point of what it recorded, the folder is built as a power cut may have left it
(disk.py), mounted again and checked:

- Whatever had been reported is there, and whatever is older, byte for byte.
- Of the step that was not reported yet, anything may be there or not, and only its own
  lines are damaged.
- The next write goes to a line of its own, and is shown, also by the next mount.

In the environment:

    SEED=N             for the samples; it is printed
    SAMPLE=N           check so many states of each scenario (24), or all of them
    PART=K/N           of all of them every N-th, from the K-th on
    WITHOUT_SYNC=WHAT  no sync of a `file`, or of the `folder`, or of `all`, does
                       anything: then most scenarios have to fail
"""

import concurrent.futures
import json
import os
import random
import shutil
import sys

import scenarios
from checks import Failure, expect, read_files
from disk import Disk, read_records
from mounted import Mounted, Shown
from scenarios import RESCUED, SESSION, look
from trials import fitting, part, preloading, seed

WITHOUT_SYNC = os.environ.get("WITHOUT_SYNC", "nothing")
SAMPLE = os.environ.get("SAMPLE", "24")

# So many of each folder at each point, where there are more.
AT_A_POINT = 64
BACKUP = SESSION + ".v1.bak"
# The name of a second one, if a power cut came between the first and the migration.
BACKUPS = (BACKUP, BACKUP + ".2")
NEXT = "the next write"


def under_recorder(folder, records):
    return preloading(RECORD_FOLDER=folder, RECORD_TO=records)


def write_files(folder, files):
    os.mkdir(folder)
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


def is_temporary(name):
    """A lock, or a file that is not finished: it may be left, and is of no account."""
    return ".sessfs-" in name or name.endswith(".lock")


class Recording:
    """A scenario that was carried out: records, and what was to be seen after each step."""

    def __init__(self, scenario, folder):
        self.scenario = scenario
        self.folder = os.path.join(folder, "files")
        self.path = os.path.join(folder, "records")
        self.looks = []
        self.files = []
        os.mkdir(self.folder)
        open(self.path, "x").close()
        session = scenario.prepare(self.folder)
        self.disk = Disk(scenario.files)
        for name in scenario.files:
            self.disk.knows(name, str(os.stat(os.path.join(self.folder, name)).st_ino))
        if scenario.is_command:
            self.command()
        else:
            self.mounted(session, os.path.join(folder, "mnt"))
        self.records = list(read_records(self.path))

    def mark(self, what):
        with open(self.path, "ab") as f:
            f.write(f"{what}\n".encode())

    def carry_out(self, subject):
        for step in self.scenario.steps:
            self.mark("begins")
            step.do(subject)
            self.mark("reported")
            self.seen(subject)

    def seen(self, subject):
        self.files.append({n: d for n, d in read_files(self.folder).items() if not is_temporary(n)})
        if not self.scenario.is_command:
            self.looks.append(look(subject))
            expect(self.looks[-1] not in self.looks[:-1], "a step changes nothing")

    def mounted(self, session, mount):
        os.mkdir(mount)
        mounted = Mounted(session, mount, under_recorder(self.folder, self.path))
        try:
            self.seen(mounted)
            self.carry_out(mounted)
        finally:
            mounted.unmount()

    def command(self):
        self.seen(None)
        kept = dict(os.environ)
        os.environ.update(under_recorder(self.folder, self.path))
        try:
            self.carry_out(self.folder)
        finally:
            del os.environ["LD_PRELOAD"]
            os.environ.update(kept)


class Point:
    """A moment: how many steps were reported, and whether one had begun after them."""

    def __init__(self, recording, reported, begun, versions):
        self.before = recording.files[reported]
        self.after = recording.files[reported + begun]
        self.looks = recording.looks and (recording.looks[reported], recording.looks[reported + begun])
        self.begun = begun
        # Whole new files that the step has put in the place of others.
        self.versions = versions

    def check_files(self, files):
        for name, data in self.before.items():
            now = files.get(name)
            expect(now is not None, f"{name} is lost")
            if not self.begun:
                expect(now == data, f"{name} is not as it was reported")
            else:
                bases = [data, *self.versions.get(name, [])]
                expect(any(self.is_there(name, base, now) for base in bases), f"older bytes of {name} are lost or changed")
        for name in files:
            expect(is_temporary(name) or name in self.before or name in self.after, f"{name} is left")

    def is_there(self, name, base, now):
        """Each byte of it is as before, or as the step writes it in place."""
        if now.startswith(base):
            return True
        whole = self.after.get(name, base)
        return len(now) >= len(base) <= len(whole) and all(n in (b, w) for n, b, w in zip(now, base, whole))

    def check_look(self, now):
        before, after = self.looks
        if not self.begun:
            expect(now == before, f"the mount shows {difference(now, before)}")
            return
        either = f"{difference(now, before)}, or {difference(now, after)}"
        new = after["entries"].keys() - before["entries"].keys()
        for entry, (content, label) in now["entries"].items():
            may_be = [look["entries"][entry] for look in self.looks if entry in look["entries"]]
            expect(content in [c for c, _ in may_be], f"the content of {entry}: {either}")
            expect(label in [l for _, l in may_be] or entry in new, f"the label of {entry}: {either}")
        expect(before["entries"].keys() <= now["entries"].keys(), f"entries are lost: {either}")
        expect(now["head"] in (before["head"], after["head"], *new), f"HEAD: {either}")
        expect(now["name"] in (before["name"], after["name"]), f"the name: {either}")


def difference(now, then):
    """For people: of two looks what differs, in short."""
    found = [f"{k}: {str(now[k])[:60]}, not {str(then[k])[:60]}" for k in ("head", "name") if now[k] != then[k]]
    for entry in sorted(now["entries"].keys() | then["entries"].keys()):
        a, b = now["entries"].get(entry), then["entries"].get(entry)
        if a != b:
            found.append(f"{entry}: {str(a)[:80]}, not {str(b)[:80]}")
    return "; ".join(found) or "the same"


def points_of(recording):
    """Each record's point, with what it leaves of the disk. Yields the disk as well."""
    disk = recording.disk
    reported, begun, versions = 0, False, {}
    yield Point(recording, reported, begun, versions), disk
    for record in recording.records:
        match record:
            case ("begins",):
                begun = True
            case ("reported",):
                reported, begun, versions = reported + 1, False, {}
            case ("sync", _) if WITHOUT_SYNC in ("file", "all"):
                continue
            case ("sync-folder",) if WITHOUT_SYNC in ("folder", "all"):
                continue
            case _:
                disk.apply(record)
                if record[0] == "rename":
                    versions = {**versions, record[2]: [*versions.get(record[2], []), disk.now()[record[2]]]}
        yield Point(recording, reported, begun, versions), disk


def states_of(recording, choices):
    """Each state once, with the points that may leave it."""
    states = {}
    for point, disk in points_of(recording):
        for files in disk.states(AT_A_POINT, choices):
            states.setdefault(tuple(sorted(files.items())), []).append(point)
    real = read_files(recording.folder)
    expect(recording.disk.now() == real, "the records do not make the files that there are")
    return [(dict(files), points) for files, points in states.items()]


class State:
    """A folder as a power cut has left it."""

    def __init__(self, number, files, points, folder):
        self.number = number
        self.files = files
        self.points = points
        self.folder = os.path.join(folder, f"{number}")
        self.looked = None

    def describe(self, why):
        return f"state {self.number} ({', '.join(f'{n}: {len(d)} bytes' for n, d in sorted(self.files.items()))}): {why}"

    def check(self, shown, scenario):
        for point in self.points:
            point.check_files(self.files)
            if SESSION in self.before_migration(scenario):
                expect(self.files.get(BACKUP) == scenario.files[SESSION], f"{BACKUP} is not the file as it was")
        self.looked = look(shown)
        if not self.has_zeros_behind(scenario.last_line):
            for point in self.points:
                point.check_look(self.looked)

    def has_zeros_behind(self, last_line):
        """The agent's last line had no newline, and goes on in zeros (README.md)."""
        return last_line + b"\0" in self.files[SESSION] if last_line else False

    def before_migration(self, scenario):
        """The version 1 session, if there is another file in its place by now."""
        migrated = not self.files[SESSION].startswith(scenario.files[SESSION])
        return {SESSION} if migrated and scenario.name.endswith("/pi-v1") else {}

    def check_command(self, scenario):
        for point in self.points:
            point.check_files(self.files)
            if RESCUED in self.files:
                expect(self.files[RESCUED] == point.after.get(RESCUED), f"{RESCUED} is not whole")

    def write_next(self, shown, scenario):
        """What comes next is shown, on a line of its own."""
        d = scenarios.DIALECTS[scenario.name.split("/")[1]]
        wanted = {**self.looked, "entries": dict(self.looked["entries"])}
        before = self.files[SESSION]
        if d.message:
            scenarios.append(d, NEXT).do(shown)
        one, other = d.entries
        target = one if self.looked["head"] != one else other
        content, _ = wanted["entries"][other]
        scenarios.move_head(target).do(shown)
        scenarios.set_label(other, NEXT).do(shown)
        wanted["entries"][other] = (content, NEXT)
        wanted["head"] = target
        now = look(shown)
        new = [e for e in now["entries"] if e not in wanted["entries"]]
        said = [now["entries"][e][0].decode().strip() for e in new]
        expect(not d.message or NEXT in said, f"the next line is not shown, but {said}")
        wanted["entries"].update((e, now["entries"][e]) for e in new)
        expect(now == wanted, f"after the next writes: {difference(now, wanted)}")
        self.looked = now
        self.check_lines(before)

    def check_lines(self, before):
        after = read_files(self.folder)
        for name in BACKUPS:
            if name in after and name not in self.files:
                expect(after[name] == before, f"{name} is not the file before the next write")
                return
        expect(after[SESSION].startswith(before), "the next write has changed older bytes")
        added = after[SESSION][len(before) :]
        if added and before and not before.endswith(b"\n"):
            expect(added.startswith(b"\n"), "the next write goes on in a damaged line")
        for line in added.split(b"\n"):
            expect(not line or json.loads(line), "the next line is damaged")

    def check_again(self, shown):
        now = look(shown)
        expect(now == self.looked, f"another mount shows {difference(now, self.looked)}")


def for_all(states, do):
    """Run in parallel, because a write behind a torn line waits. Returns the failures."""
    failures = []
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        running = {pool.submit(do, state): state for state in states}
        for done in concurrent.futures.as_completed(running):
            error = done.exception()
            if isinstance(error, (Failure, OSError, KeyError, AssertionError, ValueError)):
                failures.append(running[done].describe(error if isinstance(error, Failure) else repr(error)))
            elif error:
                raise error
    return failures


def check_states(states, scenario, folder):
    if scenario.is_command:
        return for_all(states, lambda state: state.check_command(scenario))
    for state in states:
        write_files(state.folder, state.files)
    mount = os.path.join(folder, "mnt")

    def shown(state):
        return Shown(os.path.join(mount, str(state.number), SESSION.removesuffix(".jsonl")))

    def first(state):
        state.check(shown(state), scenario)
        state.write_next(shown(state), scenario)

    mounted = Mounted(os.path.dirname(states[0].folder), mount)
    try:
        failures = for_all(states, first)
    finally:
        mounted.unmount()
    if failures:
        return failures
    mounted = Mounted(os.path.dirname(states[0].folder), mount)
    try:
        return for_all(states, lambda state: state.check_again(shown(state)))
    finally:
        mounted.unmount()


def chosen(states, choices):
    if SAMPLE == "all":
        return part(states)
    if len(states) <= int(SAMPLE):
        return states
    return choices.sample(states, int(SAMPLE))


def try_scenario(scenario, folder, choices):
    """Returns the failures, and prints the figures."""
    folder = os.path.join(folder, scenario.name.replace("/", "."))
    os.makedirs(os.path.join(folder, "states"))
    recording = Recording(scenario, folder)
    every = states_of(recording, choices)
    states = [State(i, files, points, os.path.join(folder, "states")) for i, (files, points) in enumerate(every)]
    states = chosen(states, choices)
    failures = check_states(states, scenario, folder)
    print(f"{scenario.name}: {len(states)} of {len(every)} states, {len(recording.records)} records, {len(failures)} failures", flush=True)
    shutil.rmtree(folder)
    return failures


def main():
    folder, *patterns = sys.argv[1:]
    number, failed = seed(), 0
    todo = fitting(patterns)
    for scenario in todo:
        failures = try_scenario(scenario, os.path.realpath(folder), random.Random(f"{number}{scenario.name}"))
        failed += bool(failures)
        for failure in failures[:3]:
            print(f"{scenario.name}: {failure}", file=sys.stderr)
    print(f"{len(todo)} scenarios, {failed} of them with failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
