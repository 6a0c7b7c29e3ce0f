"""Compare searches with what grep finds in a mount.

    grep_exact.py write SEED FILE
    grep_exact.py compare SEED TIMES MOUNT SOURCE -- COMMAND...

The first writes a random session. The second searches for random patterns.
MOUNT is a mount of SOURCE, a session or a folder of them. COMMAND, with
options and a pattern for OPTIONS, must print what `grep -Han` prints for all
contents in the mount, in file order, each line behind $PREFIX, and exit as grep
does.
"""
import base64
import json
import os
import random
import subprocess
import sys

# Few pieces, so that patterns match often, and at borders.
PIECES = ["foo", "Foo", "foobar", "Bar", "o", " ", " ", ".", "-", "_", ":", "\n", "\n", "\n\n", "\r\n", "\r",
          "\t", "\"", "\\", "/", "by-id/", "content:1:", "--", "é", "É", "ß", "ſ", "K", "k", "İ", "日本", "😀", "\0",
          "\ud83d", "\ude00", "\u2028", "\ufffd", "\x1b[31m", "\x7f", "\x85", "\\n", "\\u0066oo", "{", "}", "[tool call]",
          "parentId", "message", "\ufeff", "", "type", "xxx"]
INVALID = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf"]
# Also what only the JSON has, and what a path would match.
PATTERNS = ["foo", "Foo", "", "^", "$", "^$", "^foo", "foo$", "^by-id", "by-id", "content:", ":1:", "^1:", ".", "..$", "o.b",
            "fo*", "foo\\|Bar", "foo|Bar", "(foo|Bar)+", "[[:space:]]", "[[:cntrl:]]", "\\.", "\\", "\\\\", "\"", "\\\"",
            "\t", "\r", "\r$", "parentId", "\"parentId\"", "Zm9v", "é", "É", "ß", "ss", "s", "K", "k", "i", "😀", "日",
            "\ufffd", "\\u0066", "\\n", "foo\nBar", "foo\n", "\nfoo", "\\bfoo", "foo\\b", "\\(o\\)\\1", "(o)\\1", "x\\{3\\}",
            "x{3}", "--", "-e", "-", "[^a-z]", "[a", "*", "+", "?", "^\\s*$", "[0-9]", "{", "}$", "image/png", "role", "toolCall",
            "thinking", "\\[thinking\\]", "  foo", "f.*r", "\x1b", "e", "tree", "unknownkey", "\u2028"]


def text(r, most=12):
    return "".join(r.choice(PIECES) for _ in range(r.randrange(most)))


def string(r, value):
    """A JSON string in one of many spellings, also with bytes that are not UTF-8."""
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\", "/": "\\/"}
    out = b""
    for c in value:
        units = c.encode("utf-16-be", "surrogatepass")
        escaped = "".join("\\u%02x%02x" % (units[i], units[i + 1]) for i in range(0, len(units), 2))
        raw_is_valid = c >= " " and c not in '"\\' and not 0xd800 <= ord(c) < 0xe000
        if r.random() < 0.1 or not raw_is_valid and c not in short:
            out += (escaped.upper().replace("\\U", "\\u") if r.random() < 0.3 else escaped).encode()
        elif not raw_is_valid or c == "/" and r.random() < 0.5:
            out += short[c].encode()
        else:
            out += c.encode()
        if r.random() < 0.01:
            out += r.choice(INVALID)
    return b'"' + out + b'"'


def encode(r, value):
    """JSON of a value, its strings in random spellings."""
    space = b" " if r.random() < 0.2 else b""
    if isinstance(value, str):
        return string(r, value)
    if isinstance(value, list):
        return b"[" + space + (b"," + space).join(encode(r, v) for v in value) + b"]"
    if isinstance(value, dict):
        return b"{" + (b"," + space).join(json.dumps(k).encode() + b":" + space + encode(r, v) for k, v in value.items()) + b"}"
    return json.dumps(value).encode()


def picture(r):
    return {"type": "image", "mimeType": "image/png", "data": base64.b64encode(b"foo" * r.randrange(1, 9)).decode()}


def block(r):
    kind = r.randrange(4)
    if kind == 0:
        return {"type": "thinking", "thinking": text(r)}
    if kind == 1:
        arguments = {"command": text(r), "path": "foo/bar.c", "n": 3, "edits": [{"newText": text(r), "all": None}]}
        return {"type": "toolCall", "id": "t%d" % r.randrange(99), "name": r.choice(["bash", "edit"]), "arguments": arguments}
    return {"type": "text", "text": text(r)}


def message(r):
    kind = r.randrange(6)
    if kind == 0:
        return {"role": "user", "content": text(r)}
    if kind == 1:
        blocks = [{"type": "text", "text": text(r)}, picture(r)]
        return {"role": "user", "content": r.sample(blocks, r.randrange(3))}
    if kind == 2:
        return {"role": "toolResult", "toolCallId": "t1", "toolName": r.choice(["bash", "edit"]),
                "content": [{"type": "text", "text": text(r)}], "isError": r.random() < 0.2}
    if kind == 3:
        return {"role": "bashExecution", "command": text(r), "output": text(r), "exitCode": 0, "cancelled": False}
    return {"role": "assistant", "content": [block(r) for _ in range(r.randrange(4))], "model": "foo-model",
            "provider": "p", "api": "a", "stopReason": "stop",
            "usage": {"input": 1, "output": 1, "cost": {"total": 0.5}}}


def entry(r, i, ids):
    name = r.choice(["%08x" % i, "id %d" % i, "-e%d" % i, "é%d" % i, "a/%d\n" % i, "by-id%d" % i])
    e = {"type": "message", "id": name, "parentId": r.choice(ids) if ids else None,
         "timestamp": "2026-03-01T10:00:01.000Z"}
    kind = r.randrange(12)
    if kind == 0:
        e.update(type="unknown_kind", unknownkey=text(r), more={"foo": [text(r), 1, None, {"x": text(r)}]})
    elif kind == 1:
        e.update(type="custom_message", customType="c", content=text(r), display=True)
    elif kind == 2:
        e.update(type="compaction", summary=text(r), firstKeptEntryId=name, tokensBefore=9)
    elif kind == 3:
        e.update(type="label", targetId=r.choice(ids or [name]), label="foo label")
    else:
        e["message"] = message(r)
    ids.append(name)
    return e


def write(seed, file):
    r = random.Random(seed)
    ids = []
    with open(file, "wb") as f:
        f.write(b'{"type":"session","version":3,"id":"foo","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/foo"}\n')
        for i in range(r.randrange(1, 40)):
            line = encode(r, entry(r, i, ids))
            chance = r.random()
            if chance < 0.03:
                line = line[:r.randrange(len(line))]
            elif chance < 0.06:
                line += b"\n" + r.choice([b"", b"foo", b"\xff\xfe", b"[1]", b"\r"])
            f.write(line + r.choice([b"\n", b"\n", b"\n", b"\r\n"]))
        if r.random() < 0.3:
            big = "foo " * 100000 + "\n" + "x" * 300000
            e = {"type": "message", "id": "big", "parentId": None, "timestamp": "2026-03-01T10:00:02.000Z",
                 "message": {"role": "user", "content": big}}
            f.write(json.dumps(e).encode() + r.choice([b"\n", b""]))


def contents(mount):
    """The contents in a mount, as grep prints their names, in file order."""
    sessions = [b""] if os.path.isdir(os.path.join(mount, b"by-id")) else \
        sorted(os.path.relpath(top, mount) + b"/" for top, names, _ in os.walk(mount)
               if b"by-id" in names and not names.clear())
    return [s + b"by-id/" + e + b"/content" for s in sessions for e in os.listdir(os.path.join(mount, s, b"by-id"))]


def options(r):
    chosen = [o for o in ("-i", "-w", "-x", "-v") if r.random() < 0.2]
    syntax = r.choice(["-F", "-E", "-G", None])
    if syntax:
        chosen.append(syntax)
    if r.random() < 0.3:
        chosen += [r.choice(["-A", "-B", "-C"]), str(r.randrange(4))]
    return chosen


def some_line(r, mount, files):
    """A part of a line that some content has."""
    with open(os.path.join(mount, r.choice(files)), "rb") as f:
        line = r.choice(f.read().replace(b"\0", b"\n").split(b"\n"))[:2000]
    at = r.randrange(len(line) + 1)
    return line[at:at + r.choice([1, 3, 8, 200])]


def run(command, cwd=None):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def without_prefix(got):
    prefix = os.environb.get(b"PREFIX", b"")
    lines = got[1].splitlines(True) if prefix else [got[1]]
    return got[0], b"".join(x[len(prefix):] if x.startswith(prefix) else x for x in lines), got[2]


def compare(seed, mount, source, command, times):
    r = random.Random(seed)
    files = contents(mount)
    for _ in range(times):
        pattern = r.choice(PATTERNS).encode() if r.random() < 0.7 or not files else some_line(r, mount, files)
        os.environ["LC_ALL"] = r.choice(["C", "C.UTF-8"])
        chosen = options(r)
        want = run(["grep", "-Han", *chosen, "-e", pattern, "--", *(files or [b"/dev/null"])], mount)
        words = [w.replace(b"SOURCE", source) for w in command]
        at = words.index(b"OPTIONS")
        words[at:at + 1] = [*chosen, "-e", pattern]
        got = without_prefix(run(words))
        if want[:2] != got[:2]:
            report(seed, words, want, got)


def report(seed, words, want, got):
    print(f"seed {seed}, LC_ALL={os.environ['LC_ALL']}: {words}")
    print(f"status {got[0]} instead of {want[0]}: {got[2].decode(errors='replace')}")
    ours, theirs = got[1].splitlines(True), want[1].splitlines(True)
    for i in range(max(len(ours), len(theirs))):
        a, b = ours[i:i + 1], theirs[i:i + 1]
        if a != b:
            print(f"line {i + 1}: {a!r:.300}\n  grep: {b!r:.300}")
            break
    sys.exit(1)


def main(arguments):
    if arguments[0] == b"write":
        write(int(arguments[1]), arguments[2])
        return
    at = arguments.index(b"--")
    seed, times, mount, source = arguments[1:at]
    compare(int(seed), mount, source, arguments[at + 1:], int(times))


if __name__ == "__main__":
    main([os.fsencode(a) for a in sys.argv[1:]])
