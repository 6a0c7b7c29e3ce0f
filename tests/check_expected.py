"""Hold a mount against an .expected.txt that the real Pi has produced.

usage: check_expected.py EXPECTED SESSION MOUNT

Checked are path, labels, name, roots, model, thinking level and context. Ids
written @N stand for the entry on line N (version 1 has no ids of its own).
"""

import json
import os
import re
import sys

expected_file, session, mnt = sys.argv[1:]


def read(*path):
    with open(os.path.join(mnt, *path), "rb") as f:
        return f.read().decode()


def info(key):
    m = re.search(rf"^{key}: (.*)$", read("info"), re.M)
    return m.group(1) if m else "-"


by_line = {
    re.search(r"^line: (\d+)$", read("by-id", name, "meta"), re.M).group(1): name
    for name in os.listdir(os.path.join(mnt, "by-id"))
}


def real(entry):
    return by_line[entry[1:]] if entry.startswith("@") else entry


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"{what}: {ours!r}, but Pi says {theirs!r}")


def path_to(entry):
    path = [entry]
    while os.path.lexists(os.path.join(mnt, "by-id", path[0], "parent")):
        link = os.readlink(os.path.join(mnt, "by-id", path[0], "parent"))
        path.insert(0, os.path.basename(link))
    return path


def utf16(text):
    """Lone surrogates, as the expected file writes them."""
    return text.encode("utf-16-le", "surrogatepass")


def describe(message):
    """A message as the expected file has it: role, text, other blocks."""
    content = message["content"]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    text = "".join(b["text"] for b in content if b["type"] == "text")
    other = []
    for block in content:
        if block["type"] == "toolCall":
            other.append("call:" + block["name"])
        elif block["type"] != "text":
            other.append(block["type"])
    units = len(utf16(text)) // 2
    shown = json.dumps(text, ensure_ascii=False)
    shown = re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", shown)
    if units > 500:
        shown = json.dumps(text[:20]) + f"...({units} UTF-16 units)"
    return f"{message['role']} {shown}" + (f" [{' '.join(other)}]" if other else "")


def check_context(entry, lines):
    ours = json.loads(read("by-id", entry, "context.json"))
    theirs = []
    for line in lines:
        m = re.match(r"\s*\d+ \S+ \S+ -> (.*)$", line)
        if m and not m.group(1).startswith("(not sent)"):
            theirs.append(m.group(1))
    same(f"context at {entry}", [describe(m) for m in ours], theirs)


def check_part(part, leaf):
    fields = dict(re.findall(r"^(\w+): (.*)$", part, re.M))
    same(f"path to {leaf}", path_to(leaf), [real(e) for e in fields["path"].split()])
    check_context(leaf, part.split("context:\n", 1)[1].splitlines())
    return fields


with open(expected_file, encoding="utf-8") as f:
    first, *forced = f.read().split("\n== ")

fields = dict(re.findall(r"^(\w+): (.*)$", first, re.M))
leaf = real(fields["leaf"])
same("leaf", info("leaf"), leaf)
check_part(first, leaf)
same("model", info("model"), fields["model"])
same("thinking", info("thinking"), fields["thinking"])
name = fields["name"]
same("name", info("name"), name if name == "-" else json.loads(name))
# A cycle has no root for Pi, which does not show it at all.
roots = os.listdir(os.path.join(mnt, "tree"))
for root in fields["roots"].split():
    if real(root) not in roots:
        sys.exit(f"{root} is no root, but Pi says so")
theirs = dict(re.findall(r'(\S+)="([^"]*)"', fields["labels"]))
ours = {}
for entry in os.listdir(os.path.join(mnt, "by-id")):
    label = read("by-id", entry, "label")
    if label:
        ours[entry] = label[:-1]
same("labels", ours, {real(e): label for e, label in theirs.items()})

for part in forced:
    m = re.match(r"same file, leaf forced to (\S+)", part)
    if m:
        check_part(part, real(m.group(1)))
