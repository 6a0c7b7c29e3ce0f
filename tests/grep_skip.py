"""Compare searches, which pass over what can't match, with what grep finds.

    grep_skip.py compare SEED SESSIONS TIMES SESSFS FIXTURES -- COMMAND...
    grep_skip.py words ROOT

The first makes random sessions of each format, out of the examples, and searches
each TIMES for random words and patterns. COMMAND, with a session for SOURCE, and
options and a pattern for OPTIONS, must print what `grep -Han` prints for all
contents as `sessfs export` writes them, in any order. Works in the current
directory.

The second checks that the words of Claude Code's attachments are those that
the code for them has.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from grep_exact import encode, run, text

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


def pattern(r, contents, known, added):
    """Options, and a pattern."""
    if added and r.random() < 0.4:
        return ["-F"], r.choice(added)
    found = r.choice(known).encode() if r.random() < 0.15 or not contents else part(r, r.choice(contents))
    letters = re.findall(rb"[A-Za-z_]{3,}", found)
    if letters and r.random() < 0.6:
        found = r.choice(letters)
    chosen = [o for o in ("-w", "-x", "-v", "-o") if r.random() < 0.06] + [o for o in ("-i",) if r.random() < 0.3]
    if "-i" in chosen and r.random() < 0.5:
        found = found.swapcase()
    syntax = r.choice(["-F", "-E", "-G", None])
    if syntax and r.random() < 0.9:
        chosen.append(syntax)
    plain = syntax == "-F"
    other = r.choice([b"zzz", b"frob", b"[a-f]oo", b"", b"bar"])
    bar = b"|" if "-E" in chosen else b"\n" if plain else rb"\|"
    shape = r.randrange(12)
    at = r.randrange(len(found) + 1)
    if shape == 0:
        found = found + bar + other
    elif shape == 1 and not plain:
        found = found[:at] + b"." + found[at + 1:]
    elif shape == 2 and not plain:
        found = found[:at] + r.choice([b"*", b"+", b"?", rb"\?", b"{1,2}", rb"\{0,1\}", b"[a-z]", b"[]x]*", rb"\b"]) + found[at:]
    elif shape == 3 and not plain:
        opening, closing = (b"(", b")") if "-E" in chosen else (rb"\(", rb"\)")
        found = found[:at] + opening + found[at:] + bar + other + closing + r.choice([b"", b"*", b"+"])
    elif shape == 4:
        found = found + b"\n" + other
    elif shape == 5 and not plain:
        found = r.choice([b"^", b""]) + found + r.choice([b"$", b""])
    return chosen, found


def compare_session(seed, i, times, sessfs, example, known, command):
    """What differs in a session, or nothing."""
    r = random.Random(seed * 1000003 + i)
    at = pathlib.Path("session%d" % i)
    at.mkdir()
    session = at / "s.jsonl"
    make(r, example, session)
    subprocess.run([sessfs, "export", at / "all", session], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    files = [os.fsencode(p.relative_to(at / "all")) for p in sorted((at / "all").glob("by-id/*/content"))]
    contents = [(at / "all" / os.fsdecode(f)).read_bytes() for f in files]
    added = added_words(contents, session.read_bytes())
    for _ in range(times):
        os.environ["LC_ALL"] = r.choice(["C", "C.UTF-8"])
        chosen, found = pattern(r, contents, known, added)
        want = run(["grep", "-Han", *chosen, "-e", found, "--", *(files or [b"/dev/null"])], at / "all")
        call = [os.fsencode(session) if w == b"SOURCE" else w for w in command]
        where = call.index(b"OPTIONS")
        call[where:where + 1] = [*chosen, "-e", found]
        # The session is named, and its name begins the path.
        name = os.fsencode(session.with_suffix("")) + b"/"
        status, lines, errors = run(call)
        got = [x.removeprefix(name) for x in lines.splitlines()]
        # -o prints no empty match.
        same = want[0] == status or "-o" in chosen
        if not same or sorted(want[1].splitlines()) != sorted(got):
            missing = set(want[1].splitlines()) - set(got)
            return (f"seed {seed}, session {i} ({example.name}), LC_ALL={os.environ['LC_ALL']}: {call}\n"
                    f"status {status} instead of {want[0]}: {errors!r}\nmissing: {sorted(missing)[:2]!r:.2000}")
    shutil.rmtree(at)
    return None


def compare(seed, sessions, times, sessfs, fixtures, command):
    """On all processors: most of the time goes to starting programs."""
    examples = sorted(pathlib.Path(fixtures).glob("*.jsonl"))
    known = attachment_words(pathlib.Path(fixtures).parents[1])
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        made = [pool.submit(compare_session, seed, i, times, sessfs, examples[i % len(examples)], known, command)
                for i in range(sessions)]
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
        SEED, SESSIONS, TIMES = map(int, sys.argv[2:5])
        AT = sys.argv.index("--")
        compare(SEED, SESSIONS, TIMES, sys.argv[5], sys.argv[6], [os.fsencode(w) for w in sys.argv[AT + 1:]])
