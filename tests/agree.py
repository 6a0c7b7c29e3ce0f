"""Folders of sessions as agents keep them, at random: agree.py HOME SEED FOLDERS.

Each session has a title of its own, "titleNz", and the word "needle". Beside them is
what is no session, or none that one goes on from: runs of subagents, files without
entries, other files, symlinks, damaged and compressed ones.
"""

import json
import os
import random
import sys
import uuid
from datetime import datetime, timezone

home, seed, folders = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rand = random.Random(seed)
titles = 0
known = {"pi": [], "omp": [], "claude": [], "codex": []}


def iso(ms):
    return datetime.fromtimestamp(ms / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03}Z"


def new_id(ms):
    return str(uuid.UUID(int=(ms << 80) | (7 << 76) | (2 << 62) | rand.getrandbits(62)))


def title():
    global titles
    titles += 1
    return f"title{titles}z and a needle"


def times():
    """Of the first entry, and of the others: ties are frequent."""
    at = 1772359200000 + rand.randrange(40) * 3600000
    return [at + 1000 * n for n in range(rand.randint(1, 5))]


def pi(cwd, base, header):
    at = times()
    ident, parent, lines = new_id(at[0]), None, []
    lines.append({**header, "type": "session", "version": 3, "id": ident, "timestamp": iso(at[0]), "cwd": cwd})
    if base:
        lines[0]["parentSession"] = base[1]
    for n, time in enumerate(at):
        entry = f"{rand.getrandbits(32):08x}"
        message = {"role": "user", "content": title() if n == 0 else "more"} if n % 2 == 0 else {
            "role": "assistant", "content": [{"type": "text", "text": "said"}], "model": "m", "stopReason": "stop",
            "usage": {"input": 1, "output": 2, "totalTokens": 3, "cost": {"total": 0.5}}}
        lines.append({"type": "message", "id": entry, "parentId": parent, "timestamp": iso(time), "message": message})
        parent = entry
    if rand.random() < 0.2:
        lines.append({"type": "label", "id": "l", "parentId": parent, "targetId": parent, "label": "x", "timestamp": iso(at[-1] + 9000000)})
    return ident, f"{iso(at[0]).replace(':', '-').replace('.', '-')}_{ident}.jsonl", lines


def claude(cwd):
    at = times()
    ident, parent, lines = new_id(at[0]), None, []
    for n, time in enumerate(at):
        entry = new_id(time)
        role = "user" if n % 2 == 0 else "assistant"
        content = title() if n == 0 else [{"type": "text", "text": "said"}]
        message = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": f"msg_{entry}", "type": "message", "model": "claude-x", "usage": {"input_tokens": 1, "output_tokens": 2}}
        lines.append({"parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": ident,
                      "version": "2.1.332", "type": role, "message": message, "uuid": entry, "timestamp": iso(time)})
        parent = entry
    return ident, ident + ".jsonl", lines


def codex(cwd, base, source):
    at = times()
    ident = new_id(at[0])
    meta = {"id": ident, "timestamp": iso(at[0]), "cwd": cwd, "originator": "codex_exec", "cli_version": "0.171.0",
            "source": source, "model_provider": "acme"}
    if base:
        meta["forked_from_id"] = base[0]
    lines = [{"timestamp": iso(at[0]), "type": "session_meta", "payload": meta}]
    for n, time in enumerate(at):
        role, kind = ("user", "input_text") if n % 2 == 0 else ("assistant", "output_text")
        text = title() if n == 0 else "more"
        lines.append({"timestamp": iso(time), "type": "response_item",
                      "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}})
    day = iso(at[0])[:10].replace("-", "/")
    return ident, f"{day}/rollout-{iso(at[0])[:19].replace(':', '-')}-{ident}.jsonl", lines


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def make(agent, folder, cwd):
    base = rand.choice(known[agent]) if known[agent] and rand.random() < 0.3 else None
    if agent == "claude":
        ident, name, lines = claude(cwd)
    elif agent == "codex":
        source = "cli" if rand.random() < 0.9 else {"subagent": {"other": "guardian"}}
        ident, name, lines = codex(cwd, base, source)
    else:
        header = {"titleSource": "auto", "title": ""} if agent == "omp" else {}
        ident, name, lines = pi(cwd, base, header)
    path = write(f"{folder}/{name}", lines)
    known[agent].append((ident, path))
    return path


def odd(agent, folder, cwd):
    """Something beside the sessions."""
    kind = rand.randrange(7)
    if kind == 0:
        open(f"{folder}/junk{rand.random()}.jsonl", "w").write('{"a":"needle title0z"}\nneedle\n')
    elif kind == 1:
        open(f"{folder}/empty{rand.random()}.jsonl", "w").close()
    elif kind == 2:
        open(f"{folder}/old{rand.random()}.jsonl.zst", "w").write("needle")
    elif kind == 3 and known[agent]:
        os.symlink(known[agent][-1][1], f"{folder}/link{rand.random()}.jsonl")
    elif kind == 4 and agent != "codex":
        below = make(agent, folder, cwd)[:-len(".jsonl")]
        sub = f"{below}/subagents" if agent == "claude" else f"{below}/run-1"
        os.makedirs(sub)
        known[agent].pop()
        make(agent, sub, cwd)
        known[agent].pop()
    elif kind == 5 and agent == "claude":
        _, _, lines = claude(cwd)
        write(f"{folder}/agent-{rand.getrandbits(32):x}.jsonl", lines)
    elif kind == 6:
        path = make(agent, folder, cwd)
        with open(path, "a") as file:
            file.write('{"torn":')


roots = {"pi": ".pi/agent/sessions/--x{}--", "omp": ".omp/agent/sessions/-x{}", "claude": ".claude/projects/-x{}", "codex": ".codex/sessions"}
for n in range(folders):
    agent = list(roots)[n % 4]
    cwd = f"/work/x{rand.randrange(folders // 3 + 1)}"
    folder = f"{home}/{roots[agent].format(n)}"
    os.makedirs(folder, exist_ok=True)
    for _ in range(rand.randint(0, 4)):
        make(agent, folder, cwd)
    for _ in range(rand.randint(0, 2)):
        odd(agent, folder, cwd)
