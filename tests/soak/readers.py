"""Looks: each reads something of a session in a mount, and returns what it read."""

import os
import subprocess

FILES = ("context.txt", "context.json", "tree.txt", "lines.txt", "branch.jsonl")
ENTRY_FILES = ("content", "meta", "label", "raw.json", "context.txt", "context.json", "branch.jsonl")
# What programs say of a session that is rewritten or removed under them.
EXPECTED = ("No such file or directory", "Stale file handle")


class Complaint(Exception):
    """A program said something else."""


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def some_file(at, choices):
    name = choices.choice(FILES)
    return lambda root: read(root, name)


def some_entry(at, choices):
    """A file of an entry that is there now."""
    entry = choices.choice(sorted(os.listdir(os.path.join(at, "by-id"))) or [""])
    name = choices.choice(ENTRY_FILES)

    def do(root):
        # Not each kind of entry has each of the files.
        here = os.path.join(root, "by-id", entry, name)
        return read(here) if os.path.exists(here) else None

    return do


def head(at, choices):
    return lambda root: os.readlink(os.path.join(root, "HEAD")).encode()


def listing(at, choices):
    """Only a mount of a folder has forks/."""
    name = choices.choice(("", "by-id", "by-label", "branches", "path"))
    return lambda root: "\n".join(sorted(set(os.listdir(os.path.join(root, name))) - {"forks"})).encode()


def attributes(at, choices):
    def do(root):
        s = os.stat(os.path.join(root, "tree.txt"))
        return f"{s.st_size} {s.st_mode:o}".encode()

    return do


def half_way(at, choices):
    """Leave off in the middle of a listing."""

    def do(root):
        names = []
        with os.scandir(os.path.join(root, "by-id")) as entries:
            for entry in entries:
                names.append(entry.name)
                if len(names) == 3:
                    break
        return "\n".join(names).encode()

    return do


def program(*command):
    def of(at, choices):
        def do(root):
            done = subprocess.run(command, cwd=root, capture_output=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
            for line in done.stderr.decode(errors="replace").splitlines():
                if not line.endswith(EXPECTED):
                    raise Complaint(f"{command}: {line}")
            return b"\n".join(sorted(done.stdout.splitlines()))

        return do

    return of


# Each with how often. Owners and modes are compared, but not times: an entry whose line
# has none keeps that of the file when it was first read, and a new mount has another.
KINDS = (
    (some_file, 40),
    (some_entry, 40),
    (head, 10),
    (listing, 10),
    (attributes, 10),
    (half_way, 5),
    (program("grep", "-r", "e", "by-id", "--include=content"), 1),
    (program("find", ".", "-name", "content"), 1),
    (program("ls", "-lR", "--time-style=+", "by-id"), 1),
    (program("stat", "-c", "%n %s %A", "tree.txt", "by-id", "HEAD"), 1),
)


def some_look(at, choices):
    """A function of the root that shows the session."""
    (kind,) = choices.choices([k for k, _ in KINDS], [n for _, n in KINDS])
    return kind(at, choices)
