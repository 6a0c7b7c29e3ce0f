"""Compare a mount with an .expected.txt.

usage: check_expected.py EXPECTED SESSION MOUNT

Those of the Pi family and Codex were produced by the agents themselves, the others by
the rules of sessfs-formats(5). The first part is the session as it is; a part under
"== ..." says in its title what is different. Every field of every part that a
mount shows is checked. Ids written @N stand for the entry on line N (version 1
has no ids of its own); Claude Code's are the last digits of the uuid.
"""

import json
import os
import re
import sys
from collections import namedtuple

expected_file, session, mnt = sys.argv[1:]

# title: the text after "=="; rows: the texts after the numbers.
Part = namedtuple("Part", "title fields rows")


def read_part(text):
    title, _, body = text.partition("\n")
    fields = dict(re.findall(r"^([^# :\n][^:\n]*): (.*)$", body, re.M))
    rows = re.findall(r"^ *\d+ (\S+) (.*)$", body, re.M)
    return Part(title, fields, rows)


def read(*path):
    with open(os.path.join(mnt, *path), "rb") as f:
        return f.read().decode()


def value(key, *path):
    m = re.search(rf"^{re.escape(key)}: (.*)$", read(*path), re.M)
    return m.group(1) if m else "-"


def info(key):
    return value(key, "info")


entries = os.listdir(os.path.join(mnt, "by-id"))


def real(entry):
    if entry.startswith("@"):
        found = [e for e in entries if value("line", "by-id", e, "meta") == entry[1:]]
    elif info("dialect") == "claude":
        found = [e for e in entries if e.endswith(f"-{entry:0>12}")]
    else:
        found = [entry]
    if len(found) != 1:
        sys.exit(f"{entry} is {found}")
    return found[0]


def same(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"{what}: {ours!r}, but expected is {theirs!r}")


def head():
    return os.path.basename(os.readlink(os.path.join(mnt, "HEAD")))


def path_to(entry):
    path = [entry]
    while os.path.lexists(os.path.join(mnt, "by-id", path[0], "parent")):
        link = os.readlink(os.path.join(mnt, "by-id", path[0], "parent"))
        path.insert(0, os.path.basename(link))
    return path


def check_path(part, leaf):
    want = [real(e) for e in part.fields["path"].split()]
    same(f"path to {leaf}", path_to(leaf), want)


def check_root_context():
    """The root's context is HEAD's, in both forms."""
    for name in "context.json", "context.txt":
        same(name, read(name), read("by-id", head(), name))


def blocks_of(message):
    content = message["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content


def text_of(message):
    return "".join(b["text"] for b in blocks_of(message) if b["type"] == "text")


def check_roots(part):
    # The owner shows no cycle, because it has no root.
    roots = os.listdir(os.path.join(mnt, "tree"))
    want = [real(e) for e in part.fields["roots"].split()]
    if info("cycles") != "-":
        roots = [r for r in roots if r in want]
    same("roots", sorted(roots), sorted(want))


def check_labels(part):
    want = dict(re.findall(r'(\S+)="([^"]*)"', part.fields["labels"]))
    ours = {e: read("by-id", e, "label")[:-1] for e in entries}
    ours = {e: label for e, label in ours.items() if label}
    same("labels", ours, {real(e): label for e, label in want.items()})


# The Pi family


def utf16(text):
    """Lone surrogates in the form of the expected file."""
    return text.encode("utf-16-le", "surrogatepass")


def describe_block(block):
    if block["type"] == "toolCall":
        return "call:" + block["name"]
    if block["type"] == "image" and block["data"].startswith("blob:"):
        return "image:" + block["data"][:20]
    return block["type"]


def describe(message):
    """A message in the form of the expected file: role, text, other blocks."""
    text = text_of(message)
    other = [describe_block(b) for b in blocks_of(message) if b["type"] != "text"]
    units = len(utf16(text)) // 2
    shown = json.dumps(text, ensure_ascii=False)
    shown = re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", shown)
    if units > 500:
        shown = json.dumps(text[:20]) + f"...({units} UTF-16 units)"
    return f"{message['role']} {shown}" + (f" [{' '.join(other)}]" if other else "")


def check_pi_part(part, leaf):
    check_path(part, leaf)
    want = [said.split(" -> ", 1)[1] for _, said in part.rows]
    want = [said for said in want if not said.startswith("(not sent)")]
    ours = json.loads(read("by-id", leaf, "context.json"))
    same(f"context at {leaf}", [describe(m) for m in ours], want)


def check_pi(first, *others):
    fields = first.fields
    leaf = real(fields["leaf"])
    same("leaf", info("leaf"), leaf)
    check_pi_part(first, leaf)
    models = json.loads(fields.get("models", "{}"))
    same("model", info("model"), fields.get("model", models.get("default")))
    same("thinking", info("thinking"), fields["thinking"])
    name = fields["name"]
    same("name", info("name"), name if name == "-" else json.loads(name))
    check_roots(first)
    check_labels(first)
    for part in others:
        m = re.match(r"same file, leaf forced to (\S+)", part.title)
        if m:
            check_pi_part(part, real(m.group(1)))


# The drafts and the Go tree: the type of an entry, and the message sent for it.

SENT = {
    "user": ("user", "User"),
    "assistant": ("assistant", "Assistant"),
    "turn.user": ("user", "User"),
    "turn.assistant": ("assistant", "Assistant"),
    "system.prompt": ("system", None),
}


def check_plain_part(part, leaf):
    """The context as JSON and as text, from rows like: m1 user "text"."""
    check_path(part, leaf)
    messages = []
    blocks = []
    for _, said in part.rows:
        kind, text = said.split(" ", 1)
        role, heading = SENT.get(kind, ("user", "Summary"))
        text = json.loads(text)
        messages.append((role, text))
        if heading:
            blocks.append(f"[{heading}]: {text}")
    ours = json.loads(read("by-id", leaf, "context.json"))
    same(f"context at {leaf}", [(m["role"], text_of(m)) for m in ours], messages)
    want = "\n\n".join(blocks) + "\n"
    same(f"context.txt at {leaf}", read("by-id", leaf, "context.txt"), want)


def check_heads(fields):
    for item in fields.get("heads", "").split():
        name, entry = item.split("=")
        link = os.readlink(os.path.join(mnt, "branches", name))
        same(f"branches/{name}", link, f"../by-id/{entry}")


def check_draft(first, *others):
    leaf = first.fields["leaf"]
    same("leaf", info("leaf"), leaf)
    check_plain_part(first, leaf)
    check_root_context()
    check_heads(first.fields)
    if "roots" in first.fields:
        check_roots(first)
        check_labels(first)
    for part in others:
        m = re.search(r'leaf forced to (\S+)|head "\w+" \(entry (\d+)\)', part.title)
        check_plain_part(part, m.group(1) or m.group(2))


def check_go_entries(fields):
    same("by-id", entries, fields["readable entries, file order"].split())
    bad = re.findall(r"line (\d+) \((?!torn)", fields["skipped"])
    torn = re.findall(r"line (\d+) \(torn", fields["skipped"])
    same("bad-lines", info("bad-lines"), f"{len(bad)} (lines {', '.join(bad)})")
    same("torn-last-line", info("torn-last-line"), f"1 (line {torn[0]})")


def check_go_part(part, leaf):
    same("HEAD", head(), leaf)
    check_plain_part(part, leaf)
    check_root_context()
    for entry, said in part.rows:
        kind, text = said.split(" ", 1)
        same(f"type of {entry}", value("type", "by-id", entry, "meta"), kind)
        same(entry, read("by-id", entry, "content"), json.loads(text) + "\n")


def check_go(first, moved):
    check_go_entries(first.fields)
    check_go_part(first, first.fields["head"])
    to = re.match(r"after SetHead\((\w+)\)", moved.title).group(1)
    os.symlink(f"by-id/{to}", os.path.join(mnt, "HEAD.new"))
    os.replace(os.path.join(mnt, "HEAD.new"), os.path.join(mnt, "HEAD"))
    check_go_part(moved, to)


# Claude Code


def check_claude_path(part, leaf):
    """The chain; above a boundary it continues at the logical parent."""
    want = [real(e) for e in part.fields["path"].split()]
    ours = path_to(leaf)
    before = ours[: -len(want)]
    same(f"path to {leaf}", ours[-len(want) :], want)
    if before:
        line = json.loads(read("by-id", want[0], "raw.json"))
        same("what joins the paths", line.get("subtype"), "compact_boundary")
        same("logical parent", line["logicalParentUuid"], before[-1])
    return want


def describe_api_block(block):
    names = {"text": "text", "tool_use": "name", "tool_result": "tool_use_id"}
    name = names.get(block["type"])
    return f"{block['type']}:{block[name]}" if name else block["type"]


def check_claude_part(part, leaf):
    path = check_claude_path(part, leaf)
    off_chain = part.fields["re-admitted off-chain tool results"]
    for entry in off_chain.replace("-", "").split():
        same(f"{entry} is on the path", real(entry) in path, False)
    want = []
    for _, said in part.rows:
        role, what = re.match(r"(\w+)(?: \([^)]*\))? (.*)$", said).groups()
        shown = "text:" + json.loads(what) if what[0] == '"' else what[1:-1]
        want.append((role, shown))
    messages = json.loads(read("by-id", leaf, "context.json"))
    ours = [(m["role"], describe_api_block(b)) for m in messages for b in blocks_of(m)]
    same(f"context at {leaf}", ours, want)


def check_claude(first, *others):
    leaf = real(first.fields["leaf used"])
    same("HEAD", head(), leaf)
    check_claude_part(first, leaf)
    check_root_context()
    for part in others:
        same("title", part.title, "without honouring the pin")
        tip = real(first.fields["leaf (newest-timestamp tip rule)"])
        check_claude_part(part, tip)


# Codex


def describe_item(item):
    """An item of the Responses API in the form of the expected file."""
    what = [item.get("id", "-"), item["type"]]
    if item["type"] == "message":
        text = "".join(part["text"] for part in item["content"])
        what += [item["role"], json.dumps(text, ensure_ascii=False)]
    elif "output" in item:
        what += [item["call_id"], json.dumps(item["output"])]
    else:
        what += [item["name"], item["call_id"]]
    return " ".join(what)


def check_codex(part):
    leaf = part.fields["leaf"]
    same("HEAD", head(), leaf)
    check_path(part, leaf)
    check_root_context()
    ours = [describe_item(item) for item in json.loads(read("context.json"))]
    same("context", ours, [" ".join(row) for row in part.rows])


CHECKS = {
    "codex": check_codex,
    "claude": check_claude,
    "draft-index": check_draft,
    "draft-uuid": check_draft,
    "go-tree": check_go,
}

with open(expected_file, encoding="utf-8") as f:
    parts = [read_part(text) for text in ("\n" + f.read()).split("\n== ")]
CHECKS.get(info("dialect"), check_pi)(*parts)
