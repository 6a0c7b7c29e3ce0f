"""Check that a session has every write that was reported as successful.

usage: verify.py SESSION LISTS

LISTS has a file of each writer's: "pi" has ids; "label.*" texts of labels;
"head.*" where the head was moved, to entries that nobody else moves it to.
"""

import collections
import json
import os
import sys

session, lists = sys.argv[1:]
with open(session, "rb") as f:
    lines = [json.loads(line) for line in f]


def listed(kind):
    found = []
    for name in os.listdir(lists):
        if name.split(".")[0] == kind:
            with open(os.path.join(lists, name)) as f:
                found += f.read().splitlines()
    return found


ids = [line["id"] for line in lines]
assert len(set(ids)) == len(ids), "an id is there twice"
lost = set(listed("pi")) - set(ids)
assert not lost, f"entries of Pi's are lost: {lost}"
said = collections.Counter(line.get("label") for line in lines if line["type"] == "label")
lost = [text for text in listed("label") if said[text] != 1]
assert not lost, f"labels are lost, or there twice: {lost}"
moved = collections.Counter(line["parentId"] for line in lines if line.get("customType") == "sessfs.head")
assert moved == collections.Counter(listed("head")), f"moves of the head: {moved}"
print(f"{len(listed('pi'))} entries by Pi, {len(listed('label'))} labels, {moved.total()} moves of the head, {len(lines)} lines, {os.path.getsize(session)} bytes")
