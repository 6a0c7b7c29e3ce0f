"""Each kind of write in each dialect: what the tests of crashes carry out.

    for name in names():
        scenario = find(name)
        session = scenario.prepare(folder)

A scenario is a session, the files beside it, and steps. A step is one thing that a
user does: an operation through the mount that has been reported when it returns, or
for rescue a command. What a mount shows of the session is look(); it is compared
before, between and after the steps. Steps write different things, so no two looks of
a scenario are the same.

    python3 scenarios.py       prints the names
"""

import json
import os
import subprocess
from typing import Callable, NamedTuple

from mounted import SESSFS

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, os.pardir, "fixtures")

# The session's file in the scenario's folder.
SESSION = "session.jsonl"
RESCUED = "rescued.jsonl"


class Step(NamedTuple):
    what: str
    # With the session as a mount shows it (mounted.Shown); of a command with the folder.
    do: Callable
    # Lines that are reported together: of an unreported step some may be there.
    lines: int = 1


class Scenario(NamedTuple):
    name: str
    dialect: str  # as in info
    files: dict  # what is in the folder before: names and bytes
    steps: tuple
    # Carried out in the folder, without a mount.
    is_command: bool = False
    # A whole last line without its newline, or the beginning of one.
    last_line: bytes = b""

    def prepare(self, folder):
        """Put the files there. Returns the path of the session."""
        for name, data in self.files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
        return os.path.join(folder, SESSION)

    def is_whole(self, line):
        """Is a line of the session JSON, or damaged from the beginning?"""
        try:
            json.loads(line)
            return True
        except ValueError:
            return line in self.files[SESSION].split(b"\n")


def fixture(name):
    with open(os.path.join(FIXTURES, name), "rb") as f:
        return f.read()


def whole_lines(data):
    return data[: data.rindex(b"\n") + 1]


class Dialect(NamedTuple):
    name: str
    files: dict
    entries: tuple  # two that can be labelled, and to which HEAD can be moved
    message: Callable | None  # what is appended for a text; None: nothing can be
    has_name: bool = False
    kinds: tuple = ("append", "append-pieces", "append-several", "label", "head", "name", "mixed")


def message(text):
    return {"role": "user", "content": text}


GO_TREE = {
    SESSION: whole_lines(fixture("go-tree.jsonl")),
    "session.head.json": fixture("go-tree.head.json"),
}
OMP = fixture("omp-v3-basic.jsonl")

DIALECTS = {
    "pi": Dialect("pi", {SESSION: fixture("pi-v3-branches.jsonl")}, ("aa000004", "aa000007"), message, True),
    "pi-v1": Dialect("pi", {SESSION: fixture("pi-v1-linear.jsonl")}, ("15fd48d8", "c648c5ee"), message, True),
    "pi-v2": Dialect("pi", {SESSION: fixture("pi-v2-hook.jsonl")}, ("ee000001", "ee000003"), message, True, ("append", "label", "mixed")),
    "omp": Dialect("omp", {SESSION: OMP}, ("11000003", "11000004"), message, True),
    # The name of this one is set by rewriting it with a first line for its title.
    "omp-untitled": Dialect("omp", {SESSION: OMP.split(b"\n", 1)[1]}, ("11000003", "11000004"), message, True, ("name", "mixed")),
    # Labels are kept beside these two; of the first HEAD as well.
    "claude-old": Dialect(
        "claude",
        {SESSION: fixture("claude-basic.jsonl")},
        ("c1a0de00-0000-4000-8000-000000000002", "c1a0de00-0000-4000-8000-000000000004"),
        None,
    ),
    "claude": Dialect(
        "claude",
        {SESSION: fixture("claude-pinned.jsonl").replace(b'"version":"2.1.100"', b'"version":"2.1.330"')},
        ("c1a0de00-0000-4000-8000-000000000002", "c1a0de00-0000-4000-8000-000000000003"),
        None,
    ),
    "go-tree": Dialect("go-tree", GO_TREE, ("01HZZZZZZZ0000000000000002", "01HZZZZZZZ0000000000000003"), message),
    "draft-uuid": Dialect("draft-uuid", {SESSION: fixture("draft000-uuid.jsonl")}, ("m1", "m3"), message),
    "draft-index": Dialect("draft-index", {SESSION: fixture("draft003-index.jsonl")}, ("1", "3"), message),
}


def look(shown):
    """What the mount shows of a session, but for times."""
    entries = {}
    for name in sorted(shown.ids()):
        entries[name] = (shown.read("by-id", name, "content"), shown.label(name))
    return {
        "entries": entries,
        "head": shown.head(),
        "name": shown.read("name") if os.path.exists(shown.path("name")) else None,
    }


# The steps. Their texts are of different lengths, and within several sectors.


def line_of(value):
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def append(dialect, *texts):
    data = b"".join(line_of(dialect.message(text)) for text in texts)
    return Step(f"append {len(texts)} lines", lambda shown: shown.write(data, "append"), len(texts))


def append_in_pieces(dialect, text, pieces):
    """One line by several writes of one open file: the last reports it."""
    data = line_of(dialect.message(text))

    def do(shown):
        fd = os.open(shown.path("append"), os.O_WRONLY)
        try:
            for i in range(pieces):
                at, end = i * len(data) // pieces, (i + 1) * len(data) // pieces
                assert os.write(fd, data[at:end]) == end - at
        finally:
            os.close(fd)

    return Step(f"append a line in {pieces} pieces", do)


def set_label(entry, text):
    return Step(f"label {entry}", lambda shown: shown.set_label(entry, text))


def remove_label(entry):
    """It is removed as soon as something is looked at."""

    def do(shown):
        with open(shown.path("by-id", entry, "label"), "w"):
            pass
        assert shown.label(entry) == ""

    return Step(f"remove the label of {entry}", do)


def move_head(entry):
    return Step(f"move HEAD to {entry}", lambda shown: shown.move_head(entry))


def set_name(text):
    """Not as a shell does it: a busy machine may apply the truncation before the write."""
    return Step(f"set the name to {text[:20]}", lambda shown: shown.write(text.encode() + b"\n", "name"))


def rescue(folder):
    subprocess.run([SESSFS, "rescue", RESCUED, SESSION], cwd=folder, check=True, stdout=subprocess.DEVNULL)


LONG = "long " * 300
TEXTS = tuple(f"line {i} " + "x" * (300 * i) for i in range(1, 6))


def kinds(dialect):
    """The kinds of write that a dialect has: a name, and the steps."""
    one, other = dialect.entries
    if dialect.message:
        yield "append", (append(dialect, "a short line"), append(dialect, "a long line: " + LONG * 4))
        yield "append-pieces", (append_in_pieces(dialect, "in pieces " + LONG, 5),)
        yield "append-several", (append(dialect, *TEXTS), append(dialect, "and one more"))
    yield "label", (
        set_label(one, "first"),
        set_label(one, "changed to a longer one"),
        set_label(other, "another " + "y" * 700),
        remove_label(one),
    )
    yield "head", (move_head(one), move_head(other))
    if dialect.has_name:
        yield "name", (set_name("a new name"), set_name("another name " + "z" * 300))
    between = (append(dialect, "between", "them"),) if dialect.message else ()
    name = (set_name("mixed as well"),) if dialect.has_name else ()
    yield "mixed", (move_head(one), set_label(one, "mixed"), *name, *between, move_head(other))


def broken(data):
    """A session to rescue: a line without its newline before the next one."""
    lines = data.splitlines(keepends=True)
    return b"".join([*lines[:3], lines[3].rstrip(b"\n"), *lines[4:]])


def make():
    """All scenarios, in the order of the dialects."""
    for key, d in DIALECTS.items():
        for kind, steps in kinds(d):
            if kind in d.kinds:
                yield Scenario(f"{kind}/{key}", d.name, d.files, steps)
    for key in ("pi", "omp", "claude", "draft-index"):
        d = DIALECTS[key]
        step = append(d, "after the last line") if d.message else move_head(d.entries[0])
        whole = d.files[SESSION].removesuffix(b"\n")
        last = whole[whole.rindex(b"\n") + 1 :]
        files = dict(d.files)
        files[SESSION] = whole
        yield Scenario(f"no-newline/{key}", d.name, files, (step,), last_line=last)
        torn = last[: len(last) // 2]
        files = dict(d.files)
        files[SESSION] = whole[: -len(last)] + torn
        yield Scenario(f"torn/{key}", d.name, files, (step,), last_line=torn)
    for key in ("pi", "omp", "claude"):
        d = DIALECTS[key]
        files = {SESSION: broken(d.files[SESSION])}
        yield Scenario(f"rescue/{key}", d.name, files, (Step("rescue it", rescue),), is_command=True)


SCENARIOS = {scenario.name: scenario for scenario in make()}


def names():
    return list(SCENARIOS)


def find(name):
    return SCENARIOS[name]


def main():
    print("\n".join(names()))


if __name__ == "__main__":
    main()
