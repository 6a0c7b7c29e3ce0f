"""Compare searches with what grep -P finds in each content.

    grep_judge.py compare SEED SESSIONS TIMES SESSFS FIXTURES
    grep_judge.py words ROOT

The first makes random sessions, of Pi, and of each format out of the examples,
and searches each TIMES for random words and patterns, with random options. What
`sessfs grep` prints must be what grep -P prints of all contents as `sessfs
export` writes them, in the order of entries. Works in the current directory.

The second checks that the words of Claude Code's attachments are those that
the code for them has.
"""
import base64
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

# Few pieces, so that patterns match often, and at borders.
PIECES = ["foo", "Foo", "foobar", "Bar", "o", " ", " ", ".", "-", "_", ":", "\n", "\n", "\n\n", "\r\n", "\r",
          "\t", "\"", "\\", "/", "by-id/", "content:1:", "--", "é", "É", "ß", "ſ", "K", "k", "İ", "日本", "😀", "\0",
          "\ud83d", "\ude00", "\u2028", "\ufffd", "\x1b[31m", "\x7f", "\x85", "\\n", "\\u0066oo", "{", "}", "[tool call]",
          "parentId", "message", "\ufeff", "", "type", "xxx"]
INVALID = [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\xaf"]
# Members whose texts make no difference to how a line is read.
FREE = {"text", "thinking", "content", "output", "command", "summary", "code", "message", "path", "snippet", "prompt", "cwd",
        "input", "arguments", "label", "description", "reason", "more", "url", "query", "title", "stdout", "stderr"}
# Their letters may stand beside others, and escapes may hide them.
JOINED = ["render", "\nfoo", "\tbar", "\bell", "\x0babc", "\x1bold", "\x7fade", "\x8face", "K\u212a", "\u017fet", "\u0131d", "DeCode",
          "frobnicate", "Frob_nicate", "\x1b[31mred\x1b[0m", "\udabcdef", "naïve", "foo_bar", "é", "\\n", "\\u0066oo", "\\u000afoo", "</System-Reminder>"]
ATTACHMENTS = ["agent_mention", "at_mention_reference", "bash_output_audience_note", "budget_usd", "claude_app_notice", "date", "date_change",
               "diagnostics", "directory", "edited_text_file", "file", "hook_additional_context", "hook_success", "mcp_resource",
               "nested_memory", "opened_file_in_ide", "output_style", "plan_file_reference", "plan_mode_exit", "plugin_note",
               "queued_command", "relevant_memories", "selected_lines_in_diff", "selected_lines_in_ide", "skill_listing",
               "task_status", "token_usage", "ultra_effort_exit", "async_hook_response", "compact_file_reference", "unknown"]
# Also what only the JSON has, and what a path would match; and what a newline, NUL, or half of a character would.
PATTERNS = ["foo", "Foo", "", "^", "$", "^$", "^foo", "foo$", "by-id", "content:", ":1:", "^1:", ".", "..$", "o.b", "fo*", "foo|Bar",
            "(foo|Bar)+", "[[:space:]]", "[[:cntrl:]]", "[[:alpha:]]+", "\\.", "\\", "\\\\", "\"", "\\\"", "\t", "\r", "\r$", "\"parentId\"",
            "Zm9v", "é", "É", "ß", "ss", "s", "K", "k", "i", "😀", "日", "\ufffd", "\\\\u0066", "\\n", "foo\nBar", "foo\n", "\nfoo", "\\bfoo", "foo\\b",
            "\\Bfoo", "(o)\\1", "x{3}", "x{2,}+", "--", "-e", "[^a-z]", "[a", "*", "+", "?", "^\\s*$", "[0-9]", "{", "}$", "image/png", "thinking",
            "\\[thinking\\]", "  foo", "f.*r", "f.*?r", "\x1b", "tree", "unknownkey", "\u2028", "(?<=foo)bar", "(?<!o)o", "(?=.*o)F", "(?!f)oo",
            "f\\Koo", "\\Afoo", "foo\\z", "foo\\Z", "\\w+", "\\W\\w", "\\d", "\\h$", "\\R", "\\X{2}", "\\p{Lu}", "\\P{L}", "\\x{e9}", "\\x00", "\\0",
            "\\Q.\\E", "\\Qo.", "(?i)FOO", "(?i:f)oo", "(?s)o.", "(?m)^o", "(?x) f o o", "(?<n>o)\\k<n>", "(?|(f)|(o))\\1", "(o)(?1)", "(?>fo|f)oo", "[^\\n]$",
            "(?<=\\n)f", "\\Sx", "\\N", "o++o", "(?(?=f)foo|o)", "[\\]f]oo", "[[:^alpha:]]", "\\cA", "\\G.", "(?#o)foo", "\\x{212a}", "(?i)\\x{17f}"]


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


def write(r, file):
    """A random session of Pi, with lines that are none."""
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


def words(r):
    return "".join(r.choice(JOINED) if r.random() < 0.4 else text(r, 3) for _ in range(r.randrange(6)))


def change(r, value, key=None):
    """The value with some of its texts changed."""
    if isinstance(value, dict):
        made = {k: change(r, v, k) for k, v in value.items()}
        if key in ("input", "arguments") and r.random() < 0.3:
            made[words(r)] = r.choice([words(r), 1e400, None, True, [words(r)], {words(r): words(r)}])
        return made
    if isinstance(value, list):
        return [change(r, v, key) for v in value]
    if not isinstance(value, str) or key not in FREE or r.random() < 0.3:
        return value
    if key == "arguments":
        try:
            return json.dumps(change(r, json.loads(value), key), ensure_ascii=r.random() < 0.5)
        except ValueError:
            pass
    at = r.randrange(len(value) + 1)
    return value[:at] + words(r) + value[at:]


def attachment(r, line):
    kind = r.choice(ATTACHMENTS)
    content = r.choice([words(r), [words(r)], {"type": "text", "file": {"content": words(r), "startLine": 1, "numLines": 2, "totalLines": 2}},
                        {"type": "image", "file": {"base64": "AAAA", "type": "image/png"}}, {"path": "/a", "content": words(r)},
                        {"contents": [{"uri": "u", "text": words(r)}, {"blob": "x"}]}])
    made = {"type": kind, "content": content, "filename": "/tmp/" + words(r), "path": words(r), "snippet": words(r),
            "prompt": r.choice([words(r), [{"type": "text", "text": words(r)}]]), "lines": [words(r)], "mentions": ["/x/" + words(r)],
            "newDate": words(r), "date": words(r), "agentType": words(r), "used": 1, "hookName": words(r), "hookEvent": "SessionStart",
            "style": words(r), "server": words(r), "uri": words(r), "planExists": r.random() < 0.5, "planContent": words(r),
            "planFilePath": words(r), "status": r.choice(["killed", "done", "running"]), "taskId": "t", "plugin": words(r),
            "memories": [{"header": words(r), "content": words(r)}], "truncated": r.random() < 0.5, "lineCount": r.randrange(3),
            "files": [{"uri": "a/" + words(r), "diagnostics": [{"message": words(r), "severity": "Error", "code": 1}]}],
            "response": {"systemMessage": words(r)}}
    for name in r.sample(sorted(made), r.randrange(len(made))):
        if name != "type":
            del made[name]
    if r.random() < 0.3:
        made["origin"] = {"kind": r.choice(["peer", "human", "channel", "observer", "plugin", "odd"]), "server": words(r)}
    return {**line, "type": "attachment", "attachment": made}


def pi_message(r):
    output = {"output": words(r), "cancelled": r.random() < 0.3, "exitCode": r.choice([0, 2, None])}
    notice = {"truncation": {"direction": r.choice(["head", "middle"]), "totalLines": 9, "totalBytes": r.choice([10, 1e5, 1e400]),
                             "outputLines": r.choice([1, 2]), "outputBytes": 1, "partialLine": r.random() < 0.5, "artifactId": "7"},
              "artifactError": r.choice([None, words(r)]), "limits": {"matchLimit": {"reached": 1}, "columnTruncated": {"maxColumn": 3}}}
    return r.choice([
        {"role": "bashExecution", "command": words(r), "truncated": True, "fullOutputPath": words(r), "meta": notice, **output},
        {"role": "pythonExecution", "code": words(r), "meta": notice, **output},
        {"role": "fileMention", "files": [{"path": words(r), "content": words(r)}]},
        {"role": "system", "content": words(r), "sections": {words(r): words(r), words(r): None}, "toolsAdded": [{"name": words(r)}],
         "toolsRemoved": [{}]},
    ])


def result(r, line):
    """A result that is in another file, as Claude Code has large ones."""
    saved = "<persisted-output>\nOutput too large. Full output saved to: /x/tool-results/out.txt\n\nPreview:\n</persisted-output>"
    return {**line, "type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t", "content": r.choice([saved, [{"type": "text", "text": saved}]])}]}}


def vary(r, line):
    """A line of the same format, which may say something else."""
    chance = r.random()
    if "uuid" in line and chance < 0.4:
        return attachment(r, line) if chance < 0.3 else result(r, line)
    if line.get("type") == "message" and "message" in line and chance < 0.3:
        return {**line, "message": pi_message(r)}
    return change(r, line)


def spell(r, value):
    """A line as an agent writes it, or with escapes in any place."""
    if r.random() < 0.2:
        return encode(r, value)
    made = json.dumps(value, ensure_ascii=r.random() < 0.3)
    try:
        return made.encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def make(r, example, session):
    out = b""
    for n, line in enumerate(example.read_bytes().splitlines(keepends=True)):
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if n > 0 and isinstance(value, dict) and r.random() < 0.8:
            line = spell(r, vary(r, value)).replace(b"Infinity", b"1e400") + b"\n"
        out += line
    session.write_bytes(out)
    folder = session.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "out.txt").write_text("outside frobnicate " + words(r).encode(errors="replace").decode(), encoding="utf-8")


def part(r, content):
    """A part of a line, often from a letter on."""
    line = r.choice(content.replace(b"\0", b"\n").split(b"\n"))
    starts = [m.start() for m in re.finditer(rb"[A-Za-z_]{3}", line)]
    at = r.choice(starts) if starts and r.random() < 0.9 else r.randrange(len(line) + 1)
    return line[at:at + r.choice([3, 4, 5, 6, 8, 20])]


def added_words(contents, session):
    """The words of contents that do not stand in the session."""
    found = set(re.findall(rb"[A-Za-z_]{3,}", b"\n".join(contents)))
    return sorted(w for w in found if w not in session)


def change_pattern(r, found):
    """The same, with an operator in it, or another branch."""
    other = r.choice([b"zzz", b"frob", b"[a-f]oo", b"", b"bar"])
    at = r.randrange(len(found) + 1)
    shape = r.randrange(10)
    if shape == 0:
        return found + r.choice([b"|", b"\n"]) + other
    if shape == 1:
        return found[:at] + b"." + found[at + 1:]
    if shape == 2:
        return found[:at] + r.choice([b"*", b"+", b"?", b"{1,2}", b"{0}", b"[a-z]", b"[]x]*", rb"\b", rb"[\]x]*", rb"\w", b"(?=)"]) + found[at:]
    if shape == 3:
        return found[:at] + r.choice([b"(", b"(?:", b"(?>"]) + found[at:] + b"|" + other + b")" + r.choice([b"", b"*", b"+"])
    if shape == 4:
        return r.choice([b"^", b"", b"(?i)"]) + found + r.choice([b"$", b""])
    return found


def pattern(r, contents, known, added):
    """Options, and a pattern."""
    chosen = [o for o in ("-w", "-x", "-v", "-o", "-c", "-l") if r.random() < 0.08] + [o for o in ("-i",) if r.random() < 0.3]
    if r.random() < 0.15 and "-o" not in chosen:
        chosen += [r.choice(["-A", "-B", "-C", "-m"]), str(r.randrange(1, 4))]
    if added and r.random() < 0.2:
        return ["-F", *chosen], r.choice(added)
    if r.random() < 0.3:
        return [*chosen, *r.choice([["-F"], ["-P"], []])], r.choice(PATTERNS).encode()
    found = r.choice(known).encode() if r.random() < 0.15 or not contents else part(r, r.choice(contents))
    letters = re.findall(rb"[A-Za-z_]{3,}", found)
    if letters and r.random() < 0.6:
        found = r.choice(letters)
    if "-i" in chosen and r.random() < 0.5:
        found = found.swapcase()
    if r.random() < 0.3:
        return ["-F", *chosen], found
    return chosen, change_pattern(r, found)


def judged(chosen, found):
    """The options and the pattern for grep -P. It takes one, and does not know the letters of Unicode by itself."""
    patterns = found.split(b"\n")
    if "-F" in chosen:
        patterns = [re.sub(rb"[^0-9A-Za-z_\x80-\xff]", lambda m: b"\\x%02x" % m[0][0], p) for p in patterns]
    # A quote that nothing ends.
    patterns = [p + b"\\E" * (b"\\Q" in p) for p in patterns]
    one = patterns[0] if len(patterns) == 1 else b"|".join(b"(?:" + p + b")" for p in patterns)
    around = (rb"(?<!\w)(?:", rb")(?!\w)") if "-w" in chosen else (b"", b"")
    if "-x" in chosen:
        around = (rb"^(?:" + around[0], around[1] + rb")$")
    return [o for o in chosen if o not in ("-F", "-P", "-w", "-x")], b"(*UCP)" + around[0] + one + around[1]


def run(command, cwd=None, **environment):
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def expected(status, lines, chosen, name):
    """What sessfs prints where grep prints these lines."""
    found = lines.splitlines()
    if "-l" in chosen:
        return status, [os.fsencode(name)] if found else []
    if "-c" in chosen:
        total = sum(int(x.rpartition(b":")[2]) for x in found)
        return status, [os.fsencode(name) + b":%d" % total] if total else []
    return status, found


def export(sessfs, at, session):
    """The contents, in the order of entries, and their names below the folder."""
    subprocess.run([sessfs, "export", at / "all", session], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    first = run([sessfs, "grep", "-m1", "", session])[1]
    prefix = re.escape(os.fsencode(session.with_suffix(""))) + b"/"
    names = collections.OrderedDict.fromkeys(re.findall(b"^" + prefix + b"(by-id/[^/]+/content):1:", first, re.M))
    assert len(names) == sum(p.stat().st_size > 0 for p in (at / "all").glob("by-id/*/content"))
    return list(names), [(at / "all" / os.fsdecode(n)).read_bytes() for n in names]


def compare_session(seed, i, times, sessfs, examples, known):
    """What differs in a session, or nothing."""
    r = random.Random(seed * 1000003 + i)
    at = pathlib.Path("session%d" % i)
    at.mkdir()
    session = at / "s.jsonl"
    if i % 4 == 0:
        write(r, session)
    else:
        make(r, examples[i % len(examples)], session)
    files, contents = export(sessfs, at, session)
    found = set(re.findall(rb"[A-Za-z_]{3,}", b"\n".join(contents)))
    line = session.read_bytes()
    added = sorted(w for w in found if w not in line)
    prefix = os.fsencode(session.with_suffix("")) + b"/"
    for _ in range(times):
        chosen, wanted = pattern(r, contents, known, added)
        options, one = judged(chosen, wanted)
        status, lines, errors = run(["grep", "-P", "-Han", *options, "-e", one, "--", *(files or [b"/dev/null"])], at / "all", LC_ALL="C.UTF-8")
        want = expected(status, lines, chosen, session)
        call = [sessfs, "grep", *chosen, "-e", wanted, session]
        status, lines, ours = run(call, LC_ALL=r.choice(["C", "C.UTF-8"]))
        got = status, [x.removeprefix(prefix) for x in lines.splitlines()]
        # An option that grep -P has not, and what it takes for nothing.
        if want != got and not (want[0] == 2 and b"unescaped ^ or $" in errors):
            at = next((n for n, (a, b) in enumerate(zip(want[1], got[1])) if a != b), min(len(want[1]), len(got[1])))
            return (f"seed {seed}, session {i}: {call}\njudge: {one} {options}\nstatus {got[0]} instead of {want[0]}: {ours!r} {errors!r}\n"
                    f"line {at + 1}: {got[1][at:at + 1]!r:.800}\ninstead of {want[1][at:at + 1]!r:.800}")
    shutil.rmtree(at)
    return None


def compare(seed, sessions, times, sessfs, fixtures):
    """On all processors: most of the time goes to starting programs."""
    examples = sorted(pathlib.Path(fixtures).glob("*.jsonl"))
    known = attachment_words(pathlib.Path(fixtures).parents[1])
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        made = [pool.submit(compare_session, seed, i, times, sessfs, examples, known) for i in range(sessions)]
        for difference in concurrent.futures.as_completed(made):
            if difference.result():
                pool.shutdown(cancel_futures=True)
                sys.exit(difference.result())
    print(f"{sessions * times} pairs are the same")


def source_words(source):
    """The words in the strings of C code, without the names in formats."""
    source = re.sub("#include.*", "", re.sub(r"/\*.*?\*/", "", source, flags=re.S))
    string = r'"(?:[^"\\\n]|\\.)*"'
    found = set()
    for joined in re.findall(rf"{string}(?:(?:\s|\\\n)*{string})*", source):
        made = "".join(s[1:-1] for s in re.findall(string, joined))
        made = re.sub(r"\\(u[0-9A-Fa-f]{4}|.)|%[-+.*0-9lz]*[a-z]|\{[^}]*\}", " ", made)
        found.update(re.findall("[A-Za-z_]{3,}", made))
    return {w for w in found if len(w) < 40}


def attachment_words(root):
    return re.findall("[A-Za-z_]{3,}", " ".join(re.findall(r'"([^"\n]*)"', (root / "core/dialects/claude/attachment_words.c").read_text().split("words[]")[1])))


def check_words(root):
    claude = root / "core/dialects/claude"
    files = [*claude.glob("attachment_*.c"), claude / "reminder.c"]
    code = set().union(*(source_words(f.read_text()) for f in files if f.name != "attachment_words.c"))
    listed = set(attachment_words(root))
    if code != listed:
        sys.exit(f"not listed: {sorted(code - listed)}\nnot in the code: {sorted(listed - code)}")


if __name__ == "__main__":
    if sys.argv[1] == "words":
        check_words(pathlib.Path(sys.argv[2]))
    else:
        compare(*map(int, sys.argv[2:5]), *sys.argv[5:])
