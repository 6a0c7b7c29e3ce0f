"""Read a mounted session in many processes while its file changes.

usage: readers.py SESSION MOUNT HOW SECONDS

Every text of every version of the session names the version, and all versions
have lines of the same lengths: what a reader gets in one go may be of any
version there was, or an error that says so, but of one version only. HOW says
what becomes of the file (see `changes`). Afterwards the mount shows the last
version. Says what was read.
"""

import collections
import errno
import json
import multiprocessing
import os
import re
import sys
import time

ENTRIES = 200
VERSION = re.compile(rb"version-\d{8}")
READERS = 4

session, mount, how, seconds = sys.argv[1:]
end = time.monotonic() + float(seconds)


def entry_id(i):
    return f"{i:08x}"


def version_of(number):
    """The bytes of a version."""
    name = f"version-{number:08}"
    lines = [{"type": "session", "version": 3, "id": name, "timestamp": "2026-03-01T10:00:00.000Z", "cwd": f"/{name}"}]
    for i in range(ENTRIES):
        text = f"{name} " + f"entry {i} " * 20 + name
        parent = entry_id(i - 1) if i else None
        lines.append({"type": "message", "id": entry_id(i), "parentId": parent, "message": {"role": "user", "content": text}})
    lines.append({"type": "session_info", "id": "name", "parentId": entry_id(ENTRIES - 1), "name": name})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def write(path, data):
    with open(path, "wb", buffering=0) as f:
        f.write(data)


def rename(data):
    write(session + ".new", data)
    os.rename(session + ".new", session)


def truncate(data):
    os.truncate(session, len(data) // 2)
    write(session, data)


def remove(data):
    os.unlink(session)
    write(session, data)


def append(data):
    """Write in pieces, so that readers see partial files."""
    write(session, b"")
    with open(session, "ab", buffering=0) as f:
        for at in range(0, len(data), 4099):
            f.write(data[at : at + 4099])


changes = {"rename": rename, "rewrite": lambda data: write(session, data), "truncate": truncate, "remove": remove, "append": append}

half, last = entry_id(ENTRIES // 2), entry_id(ENTRIES - 1)
FILES = ["context.txt", "context.json", "tree.txt", "tree.html", "info", f"by-id/{last}/content", f"by-id/{half}/context.txt",
         f"by-id/{last}/branch.jsonl", f"by-id/{half}/raw.json", "HEAD/content", f"tree/{entry_id(0)}/{entry_id(1)}/content"]


def read(name, size):
    fd = os.open(os.path.join(mount, name), os.O_RDONLY)
    try:
        return b"".join(iter(lambda: os.read(fd, size), b""))
    finally:
        os.close(fd)


def reader(number, result):
    counts = collections.Counter()
    mixes = []
    turn = number
    while time.monotonic() < end:
        name = FILES[turn % len(FILES)]
        turn += 1
        try:
            found = set(VERSION.findall(read(name, 4096 if number % 2 else 1 << 20)))
        except OSError as e:
            counts[errno.errorcode[e.errno]] += 1
            continue
        counts["of one version" if found else "empty"] += len(found) <= 1
        if len(found) > 1:
            mixes.append((name, sorted(found)))
    result.send((counts, mixes))


def main():
    # Pipes, because a queue needs semaphores and so /dev/shm.
    results, senders = zip(*(multiprocessing.Pipe(duplex=False) for _ in range(READERS)))
    readers = [multiprocessing.Process(target=reader, args=(i, sender)) for i, sender in enumerate(senders)]
    for process, sender in zip(readers, senders):
        process.start()
        sender.close()
    number = 0
    while time.monotonic() < end:
        number += 1
        changes[how](version_of(number))
        time.sleep(0.0005 * (number % 8))
    counts = collections.Counter()
    mixes = []
    for result in results:
        more, mixed = result.recv()
        counts += more
        mixes += mixed
    for process in readers:
        process.join()
    if mixes:
        sys.exit(f"{how}: mixed: {mixes[:5]}")
    if set(counts) - {"of one version", "empty", "ESTALE", "ENOENT"} or not counts["of one version"]:
        sys.exit(f"{how}: {dict(counts)}")
    for name in FILES:
        found = set(VERSION.findall(read(name, 1 << 20)))
        if found != {f"version-{number:08}".encode()}:
            sys.exit(f"{how}: in the end {name} has {found}, not version {number}")
    print(f"{how}: {number} versions, read:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
