"""Write without space: on a full disk, or at a limit on file sizes.

usage: full.py space|limit FIXTURE FOLDER

FOLDER is a small file system of its own for `space`. Every number of bytes from
0 to more than a line has is left, one after the other, and some with pages for
other files besides. A write that does not fit fails, and no file is other than
it was; one that fits is there.
"""

import errno
import json
import os
import resource
import shutil
import sys

from mounted import Mounted

how, fixture, folder = sys.argv[1:]
PAGE = 4096
LEVELS = [(room, 0) for room in range(420)] + [(room, pages) for pages in range(1, 6) for room in range(0, 420, 30)]
REFUSALS = {"space": {errno.ENOSPC}, "limit": {errno.EFBIG}}[how]

session = os.path.join(folder, "session.jsonl")
mount = os.path.join(os.path.dirname(folder), "mnt")


def files():
    """The files in the folder, except the one that fills it."""
    found = {}
    for name in os.listdir(folder):
        if name != "fill":
            with open(os.path.join(folder, name), "rb") as f:
                found[name] = f.read()
    return found


def fill(pages):
    """Use all free pages except this many."""
    with open(os.path.join(folder, "fill"), "wb", buffering=0) as f:
        try:
            while True:
                f.write(bytes(PAGE))
        except OSError as e:
            assert e.errno == errno.ENOSPC
        f.truncate(f.tell() - pages * PAGE)


def begin(original, room, pages):
    """Restore the session, with this much space after it in its last page."""
    if os.path.exists(os.path.join(folder, "fill")):
        os.unlink(os.path.join(folder, "fill"))
    for name in set(files()) - set(original):
        os.unlink(os.path.join(folder, name))
    for name, data in original.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    if how == "space":
        # Blank lines are neither entries nor faults.
        pad = (PAGE - room - len(original["session.jsonl"])) % PAGE
        with open(session, "ab") as f:
            f.write(b" " * (pad - 1) + b"\n" if pad else b"")
        fill(pages)


def limit(process, room):
    size = resource.RLIM_INFINITY
    if room is not None:
        size = room if "claude" in fixture else os.path.getsize(session) + room
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def attempt(mounted, room, write, is_there):
    before = files()
    if how == "limit":
        limit(mounted.process, room)
    try:
        write()
        refused = None
    except OSError as e:
        refused = e.errno
    if how == "limit":
        limit(mounted.process, None)
    if refused is None:
        assert is_there(), f"with room for {room} bytes: written, and not there"
        for line in files()["session.jsonl"].split(b"\n"):
            if line.strip() and line not in before["session.jsonl"]:
                json.loads(line)
    else:
        assert refused in REFUSALS, f"with room for {room} bytes: {os.strerror(refused)}"
        now = files()
        assert now == before, f"with room for {room} bytes: {[n for n in {**now, **before} if now.get(n) != before.get(n)]} changed"
    return refused is not None


def main():
    shutil.copy(fixture, session)
    beside = fixture.removesuffix(".jsonl") + ".head.json"
    if os.path.exists(beside):
        shutil.copy(beside, session.removesuffix(".jsonl") + ".head.json")
    with open(session, "ab") as f:
        f.write(b"\n")
    original = files()
    os.makedirs(mount, exist_ok=True)
    mounted = Mounted(session, mount)
    refused = written = 0
    for room, pages in LEVELS:
        for write in ("label", "head"):
            begin(original, room, pages)
            ids = sorted(mounted.ids())
            name = next(i for i in ids if i != mounted.head())
            text = f"level {room} " + "x" * (room % 50)
            if write == "label":
                no = attempt(mounted, room, lambda: mounted.set_label(name, text), lambda: mounted.label(name) == text)
            else:
                no = attempt(mounted, room, lambda: mounted.move_head(name), lambda: mounted.head() == name)
            refused += no
            written += not no
    begin(original, 0, 0)
    if os.path.exists(os.path.join(folder, "fill")):
        os.unlink(os.path.join(folder, "fill"))
    mounted.set_label(name, "the last")
    assert mounted.label(name) == "the last"
    mounted.unmount()
    assert refused and written, f"{refused} writes refused, {written} done"
    print(f"{os.path.basename(fixture)}, {how}: {len(LEVELS)} levels, {refused} writes refused, {written} done")


if __name__ == "__main__":
    main()
