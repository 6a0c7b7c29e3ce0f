"""Cut the last line of a session at every byte, and write after it.

usage: torn.py FOLDER

A new mount shows the lines before the cut, and the last one where it is whole;
its first write goes to a line of its own and changes no byte before it.
"""

import concurrent.futures
import json
import os
import sys

from mounted import Mounted

HEADER = {"type": "session", "version": 3, "id": "torn", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/"}
LAST = {
    "message": {"type": "message", "id": "00000003", "parentId": "00000002", "timestamp": "2026-03-01T10:00:03.000Z",
                "message": {"role": "user", "content": "thrée \U0001f600 \\"}},
    "label": {"type": "label", "id": "00000003", "parentId": "00000002", "targetId": "00000001", "label": "ol\"d"},
    "head": {"type": "custom", "customType": "sessfs.head", "data": {"from": "00000002"}, "id": "00000003",
             "parentId": "00000001", "timestamp": "2026-03-01T10:00:03.000Z"},
}


def user(number):
    parent = f"{number - 1:08}" if number > 1 else None
    return {"type": "message", "id": f"{number:08}", "parentId": parent, "message": {"role": "user", "content": f"entry {number}"}}


def lines_of(*objects):
    return "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects).encode()


def check(folder, kind, cut):
    """Keep this many bytes of the last line."""
    where = os.path.join(folder, f"{kind}-{cut}")
    mount = os.path.join(where, "mnt")
    os.makedirs(mount)
    session = os.path.join(where, "session.jsonl")
    last = lines_of(LAST[kind])
    before = lines_of(HEADER, user(1), user(2)) + last[:cut]
    with open(session, "wb") as f:
        f.write(before)
    whole = cut >= len(last) - 1
    target = "00000002" if kind == "head" and whole else "00000001"
    mounted = Mounted(session, mount)
    try:
        assert ("00000003" in mounted.ids()) == whole, "what is shown of the last line"
        assert mounted.read("by-id", "00000002", "content") == b"entry 2\n"
        torn = b"torn-last-line: 1 " in mounted.read("info")
        assert torn == (not whole and cut > 0), "what info says of it"
        mounted.set_label("00000002", "behind it")
        assert mounted.label("00000002") == "behind it"
        mounted.move_head(target)
        assert mounted.head() == target
    finally:
        mounted.unmount()
    with open(session, "rb") as f:
        now = f.read()
    gap = b"\n" if cut > 0 and before[-1:] != b"\n" else b""
    assert now.startswith(before + gap), "earlier bytes have changed"
    label, head = now[len(before + gap) :].splitlines()
    assert json.loads(label)["label"] == "behind it"
    assert json.loads(label)["parentId"] == ("00000003" if whole else "00000002")
    assert json.loads(head)["parentId"] == target
    return len(now)


def main():
    folder = sys.argv[1]
    cuts = [(kind, cut) for kind, last in LAST.items() for cut in range(len(lines_of(last)) + 1)]
    # Each write waits a moment for the rest of the line, so run them in parallel.
    with concurrent.futures.ProcessPoolExecutor(16) as pool:
        checks = {pool.submit(check, folder, *cut): cut for cut in cuts}
        for done in concurrent.futures.as_completed(checks):
            if done.exception():
                sys.exit(f"{checks[done]}: {done.exception()!r}")
    print(f"{len(cuts)} torn lines written behind")


if __name__ == "__main__":
    main()
