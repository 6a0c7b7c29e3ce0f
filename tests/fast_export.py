"""Compare repositories that `sessfs fast-export` made with mounts of the sessions.

usage: fast_export.py REPOSITORY MOUNT [REPOSITORY MOUNT]...
"""

import os
import re
import subprocess
import sys

repository = mount = None
metas = {}


def git(*words, said=None):
    run = subprocess.run(["git", "--git-dir", repository, *words], stdout=subprocess.PIPE, input=said, check=True)
    return run.stdout


def read(*path):
    with open(os.path.join(mount, *path), "rb") as f:
        return f.read()


def meta(name):
    return dict(line.split(": ", 1) for line in read("by-id", name, "meta").decode().splitlines())


def names(folder):
    return set(os.listdir(os.path.join(mount, folder)))


def of_link(*path):
    return os.readlink(os.path.join(mount, *path)).split("/")[-1]


def shown_parent(name):
    """The nearest one above that is no bookkeeping, or ""."""
    while os.path.lexists(os.path.join(mount, "by-id", name, "parent")):
        name = of_link("by-id", name, "parent")
        if "bookkeeping" not in metas[name]:
            return name
    return ""


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"{mount}: {what}: git has {ours!r}, the mount {theirs!r}")


def commits_of():
    """Of each commit its entry, row, parents and changes: how, blob, path."""
    commits = {}
    fields = git("log", "--all", "--raw", "--no-abbrev", "--root", "--no-renames", "-z", "--format=%x01%H %P%n%B").decode()
    for record in fields.split("\x01")[1:]:
        message, _, changes = record.partition("\0")
        first, row, _, entry = message.rstrip("\n").split("\n")
        commit, *parents = first.split()
        words = changes.strip("\n\0").split("\0") if changes.strip("\n\0") else []
        files = [(how.split()[4], how.split()[3], path) for how, path in zip(words[::2], words[1::2])]
        commits[commit] = entry.removeprefix("Entry: "), row, parents, files
    return commits


def blobs_of(commits):
    """The bytes of each blob, from one git."""
    ids = sorted({blob for _, _, _, files in commits.values() for _, blob, _ in files})
    said = git("cat-file", "--batch", said="".join(i + "\n" for i in ids).encode())
    blobs = {}
    for i in ids:
        head, said = said.split(b"\n", 1)
        size = int(head.split()[2])
        blobs[i], said = said[:size], said[size + 1:]
    return blobs


def compare():
    metas.clear()
    metas.update({name: meta(name) for name in names("by-id")})
    commits = commits_of()
    blobs = blobs_of(commits)
    entries = {commit: entry for commit, (entry, _, _, _) in commits.items()}

    same("entries", sorted(entries.values()), sorted(n for n in metas if "bookkeeping" not in metas[n]))
    for commit, (entry, row, parents, files) in commits.items():
        same(f"parent of {entry}", "".join(entries[p] for p in parents), shown_parent(entry))
        same(f"row of {entry}", row, read("by-id", entry, "words").decode().rstrip("\n"))
        same(f"changes of {entry}", sorted(path.rsplit("/", 1)[-1] for _, _, path in files), ["content", "meta"])
        for how, blob, path in files:
            same(f"change of {path}", how, "A")
            same(f"{path} of {entry}", blobs[blob], read("by-id", entry, path.rsplit("/", 1)[-1]))

    refs = [line.split(" ") for line in git("for-each-ref", "--format=%(objectname) %(*objectname) %(refname)").decode().splitlines()]
    with open(os.path.join(repository, "HEAD")) as f:
        unborn = f.read().strip().removeprefix("ref: ")
    ours = {entries[commit] for commit, _, name in refs if name.startswith("refs/heads/") and name != unborn}
    called = {name.removeprefix("refs/heads/") for _, _, name in refs if name.startswith("refs/heads/")}
    plain = {b for b in names("branches") if re.fullmatch(r"[A-Za-z0-9_-]+", b)}
    same("names of branches", called & plain, plain)
    same("tips", ours, {of_link("branches", b) for b in names("branches")})
    same("labels", sorted(entries[of] for _, of, name in refs if name.startswith("refs/tags/")),
         sorted(of_link("by-label", l) for l in names("by-label")))
    head = os.readlink(os.path.join(mount, "HEAD"))
    if head != "tree":
        same("HEAD", ["by-id/" + entries[commit] for commit, _, name in refs if name == unborn], [head])


for repository, mount in zip(sys.argv[1::2], sys.argv[2::2]):
    compare()
