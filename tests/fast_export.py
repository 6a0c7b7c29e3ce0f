"""Compare a repository that `sessfs fast-export` made with a mount of the session.

usage: fast_export.py REPOSITORY MOUNT
"""

import os
import subprocess
import sys

repository, mount = sys.argv[1:]


def git(*words):
    run = subprocess.run(["git", "-C", repository, *words], stdout=subprocess.PIPE, check=True)
    return run.stdout.decode()


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
        sys.exit(f"{what}: git has {ours!r}, the mount {theirs!r}")


metas = {name: meta(name) for name in names("by-id")}
commits = {}
for record in git("log", "--all", "-z", "--format=%H %P%n%B").split("\0"):
    if not record:
        continue
    first, row, _, entry = record.rstrip("\n").split("\n")
    commit, *parents = first.split()
    commits[commit] = entry.removeprefix("Entry: "), row, parents
entries = {commit: entry for commit, (entry, _, _) in commits.items()}

same("entries", sorted(entries.values()), sorted(n for n in metas if "bookkeeping" not in metas[n]))
same("lines of tree.txt", len(entries), len(read("tree.txt").splitlines()))
for commit, (entry, row, parents) in commits.items():
    same(f"parent of {entry}", "".join(entries[p] for p in parents), shown_parent(entry))
    same(f"row of {entry}", row, read("by-id", entry, "words").decode().rstrip("\n"))
    against = parents or [git("hash-object", "-t", "tree", "/dev/null").strip()]
    files = git("diff", "--name-status", "--no-renames", *against, commit).splitlines()
    same(f"changes of {entry}", sorted(f.rsplit("/", 1)[-1] for f in files), ["content", "meta"])
    for file in files:
        how, path = file.split("\t")
        same(f"change of {path}", how, "A")
        blob = subprocess.run(["git", "-C", repository, "cat-file", "blob", f"{commit}:{path}"],
                              stdout=subprocess.PIPE, check=True).stdout
        same(f"{path} of {entry}", blob, read("by-id", entry, path.rsplit("/", 1)[-1]))

tips = [line.split() for line in git("for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads").splitlines()]
unborn = git("symbolic-ref", "--short", "HEAD").strip()
same("tips", {entries[c] for c, name in tips if name != unborn}, {of_link("branches", b) for b in names("branches")})
tags = git("for-each-ref", "--format=%(*objectname)", "refs/tags").split()
same("labels", sorted(entries[c] for c in tags), sorted(of_link("by-label", l) for l in names("by-label")))
head = os.readlink(os.path.join(mount, "HEAD"))
if head != "tree":
    same("HEAD", "by-id/" + entries[git("rev-parse", "HEAD").strip()], head)
