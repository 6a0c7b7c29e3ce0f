"""Folders of many sessions, cut from a large one of Pi, as each agent writes them.

A session has some entries of the large one, in their order, as one branch.
"""

import json
import re

PARENT = "\0"  # in the place of the id, or null, that an entry goes on from
START = "2026-01-01T00:00:00.000Z"
CWD = "/work/demo"
ID = "0198f000-0000-7000-8000-00000000000b"
PI_HEADER = f'{{"type":"session","version":3,"id":"{ID}","timestamp":"{START}","cwd":"{CWD}"}}\n'
OMP_HEADER = f'{{"type":"title","v":1,"title":"","updatedAt":"{START}","pad":"{" " * 200}"}}\n{PI_HEADER}'
CODEX_HEADER = (f'{{"timestamp":"{START}","type":"session_meta","payload":{{"id":"{ID}","session_id":"{ID}","timestamp":"{START}",'
                f'"cwd":"{CWD}","originator":"codex_exec","cli_version":"0.171.0","source":"exec","model_provider":"acme"}}}}\n')


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def of_pi(entry, written):
    return entry["id"], re.sub(r'"parentId":("[^"]*"|null)', f'"parentId":{PARENT}', written, count=1)


def blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def claude_block(block):
    kind = block["type"]
    if kind == "thinking":
        return {"type": kind, kind: block[kind], "signature": block["thinkingSignature"]}
    if kind == "toolCall":
        return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": block["arguments"]}
    if kind == "image":
        return {"type": kind, "source": {"type": "base64", "media_type": block["mimeType"], "data": block["data"]}}
    return block


def of_claude(entry, _):
    message = entry.get("message", {})
    role = message.get("role")
    made = [claude_block(b) for b in blocks(message.get("content", []))]
    if role == "assistant":
        said = {"type": role, "message": {"id": "msg_" + entry["id"], "type": "message", "role": role, "model": "acme-1", "content": made,
                                          "stop_reason": None, "usage": {"input_tokens": 12, "output_tokens": 345}}}
    elif role == "toolResult":
        result = {"tool_use_id": message["toolCallId"], "type": "tool_result", "content": made}
        said = {"type": "user", "message": {"role": "user", "content": [result]}}
    elif role == "user":
        said = {"type": role, "message": {"role": role, "content": message["content"]}}
    else:
        said = {"type": "system", "subtype": "informational", "content": json.dumps(entry, ensure_ascii=False), "level": "info"}
    uuid = entry["id"] + "-0000-4000-8000-000000000000"
    parent, rest = f'{{"parentUuid":{PARENT},', {"isSidechain": False, "userType": "external", "cwd": CWD, "sessionId": ID, "version": "2.1.330",
                                                "gitBranch": "main", **said, "uuid": uuid, "timestamp": entry["timestamp"]}
    return uuid, parent + line(rest)[1:]


def codex_items(message):
    role = message.get("role")
    made = blocks(message.get("content", []))
    texts = [b["text"] for b in made if b["type"] == "text"]
    if role == "toolResult":
        yield {"type": "function_call_output", "call_id": message["toolCallId"], "output": "\n".join(texts)}
        return
    for block in made if role == "assistant" else []:
        if block["type"] == "thinking":
            summary = [{"type": "summary_text", "text": block["thinking"]}]
            yield {"type": "reasoning", "summary": summary, "content": None, "encrypted_content": block["thinkingSignature"]}
        elif block["type"] == "toolCall":
            yield {"type": "function_call", "name": block["name"], "arguments": line(block["arguments"])[:-1], "call_id": block["id"]}
    if role in ("user", "assistant") and texts:
        kind = "output_text" if role == "assistant" else "input_text"
        yield {"type": "message", "role": role, "content": [{"type": kind, "text": t} for t in texts]}


def of_codex(entry, _):
    """Each line goes on from the last. What Codex has no line for is left out."""
    items = codex_items(entry.get("message", {}))
    return "", "".join(line({"timestamp": entry["timestamp"], "type": "response_item", "payload": item}) for item in items)


# The lines that a session begins with, and what makes the id and the lines of an entry.
AGENTS = {"pi": (PI_HEADER, of_pi), "omp": (OMP_HEADER, of_pi), "claude": (f'{{"type":"mode","mode":"normal","sessionId":"{ID}"}}\n', of_claude),
          "codex": (CODEX_HEADER, of_codex)}


# Where agents keep theirs, below the home directory.
HOMES = {"pi": ".pi/agent/sessions", "omp": ".omp/agent/sessions", "claude": ".claude/projects", "codex": ".codex/sessions"}


def make(path, folder, n, parts, agents, homes=None):
    """Write n sessions of as many parts of n of the large one, the agents in turn; with
    `homes` each agent's in its own folder."""
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()[1:]
    entries = [(json.loads(written), written) for written in lines]
    for turn, agent in enumerate(agents):
        header, made_of = AGENTS[agent]
        made = [made_of(*entry) for entry in entries]
        for i in range(turn, n, len(agents)):
            below = folder / (homes or {}).get(agent, "") / f"folder{i % 50}"
            below.mkdir(parents=True, exist_ok=True)
            with open(below / f"session{i:04}.jsonl", "w", encoding="utf-8") as f:
                f.write(header)
                above = "null"
                for at in range(i * len(made) // n, (i + parts) * len(made) // n):
                    name, text = made[at % len(made)]
                    f.write(text.replace(PARENT, above, 1))
                    above = f'"{name}"'
