"""What three APIs of models refuse of a conversation, as they say it.

    apis.py FOLDER...

posts the forms in as/ of each of these folders, with a question at the end as a caller
adds it, and fails at the first that is refused.
"""

import base64
import binascii
import json
import os
import re
import sys

TYPES = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8", "image/webp": b"RIFF"}


class Refused(Exception):
    pass


def must(holds, message, *values):
    if not holds:
        raise Refused(message + " " + " ".join(repr(value)[:200] for value in values))


def members(value, required, optional=()):
    must(isinstance(value, dict), "no object", value)
    must(set(required) <= set(value) <= set(required) | set(optional), "members", value)


def text(value):
    must(isinstance(value, str) and value.strip(), "text content must be non-empty", value)


def ident(value, limit):
    must(isinstance(value, str) and re.fullmatch("[A-Za-z0-9_-]{1,%d}" % limit, value), "an id or name does not match", value)


def encoded(data, mime):
    must(mime in TYPES, "media type", mime)
    try:
        must(base64.b64decode(data, validate=True).startswith(TYPES[mime]), "the image is of another media type", mime, data)
    except binascii.Error as error:
        raise Refused("base64: %s" % error) from error


def picture_url(url):
    must(isinstance(url, str), "url", url)
    found = re.fullmatch(r"data:([^;,]*);base64,(.*)", url, re.S)
    if found:
        encoded(found[2], found[1])
    else:
        must(url.startswith("https://"), "url", url)


def arguments(value):
    must(isinstance(value, str) and isinstance(json.loads(value), dict), "arguments are no object", value)


# Anthropic's Messages API


def source(value, media):
    if value.get("type") == "url":
        members(value, ["type", "url"])
        must(value["url"].startswith("https://"), "only HTTPS URLs are supported", value)
        return
    members(value, ["type", "media_type", "data"])
    if media == "document" and value["type"] == "text":
        must(value["media_type"] == "text/plain" and value["data"], "document", value)
    elif media == "document":
        must(value["media_type"] == "application/pdf", "document", value)
        base64.b64decode(value["data"], validate=True)
    else:
        must(value["type"] == "base64", "source", value)
        encoded(value["data"], value["media_type"])


def block(value, allowed):
    kind = value.get("type")
    must(kind in allowed, "a block of this type is not permitted here", kind)
    if kind == "text":
        members(value, ["type", "text"])
        text(value["text"])
    elif kind in ("image", "document"):
        members(value, ["type", "source"], ["title", "context"] if kind == "document" else [])
        source(value["source"], kind)
    elif kind == "tool_use":
        members(value, ["type", "id", "name", "input"])
        ident(value["id"], 1000)
        ident(value["name"], 128)
        must(isinstance(value["input"], dict), "input: Input should be a valid dictionary", value)
    else:
        members(value, ["type", "tool_use_id", "content"], ["is_error"])
        failed = value.get("is_error", False)
        must(value["content"] or not failed, "content cannot be empty if `is_error` is true")
        for inner in value["content"]:
            block(inner, ["text"] if failed else ["text", "image", "document"])


def anthropic(messages):
    must(messages and messages[0]["role"] == "user", "first message must use the user role")
    seen = set()
    open_calls = []
    for i, message in enumerate(messages):
        members(message, ["role", "content"])
        must(message["role"] == ("user", "assistant")[i % 2], "roles must alternate", i)
        must(message["content"], "messages must have non-empty content", i)
        user = i % 2 == 0
        kinds = [value.get("type") for value in message["content"]]
        for value in message["content"]:
            block(value, ["text", "image", "document", "tool_result"] if user else ["text", "tool_use"])
        results = [value["tool_use_id"] for value in message["content"] if value["type"] == "tool_result"]
        must(results == open_calls, "`tool_use` ids were found without `tool_result` blocks immediately after", i, open_calls, results)
        must(all(kind == "tool_result" for kind in kinds[: len(results)]), "results come first", i)
        open_calls = [value["id"] for value in message["content"] if value["type"] == "tool_use"]
        for call in open_calls:
            must(call not in seen, "`tool_use` ids must be unique", call)
            seen.add(call)
    last = messages[-1]
    if last["role"] == "assistant" and last["content"][-1]["type"] == "text":
        must(not last["content"][-1]["text"][-1:].isspace(), "final assistant content cannot end with trailing whitespace")


def ask_anthropic(messages):
    question = {"type": "text", "text": "And now?"}
    if messages and messages[-1]["role"] == "user":
        messages[-1]["content"].append(question)
    else:
        if messages and messages[-1]["role"] == "assistant":
            anthropic(messages)
        messages.append({"role": "user", "content": [question]})
    anthropic(messages)


# OpenAI's Chat Completions API


def chat_parts(content):
    if isinstance(content, str):
        text(content)
        return
    must(content, "content is empty")
    for part in content:
        must(part.get("type") in ("text", "image_url"), "part", part)
        if part["type"] == "text":
            members(part, ["type", "text"])
            text(part["text"])
        else:
            members(part, ["type", "image_url"])
            members(part["image_url"], ["url"])
            picture_url(part["image_url"]["url"])


def openai(messages):
    must(messages, "[] is too short - 'messages'")
    open_calls, seen = [], set()
    for message in messages:
        role = message["role"]
        if role == "tool":
            members(message, ["role", "tool_call_id", "content"])
            must(open_calls and message["tool_call_id"] == open_calls.pop(0), "messages with role 'tool' must be a response to 'tool_calls'", message)
            text(message["content"])
            continue
        must(not open_calls, "an assistant message with 'tool_calls' must be followed by tool messages", open_calls)
        if role == "user":
            members(message, ["role", "content"])
            chat_parts(message["content"])
            continue
        must(role == "assistant", "role", role)
        members(message, ["role", "content"], ["tool_calls"])
        calls = message.get("tool_calls", [])
        must(calls or "tool_calls" not in message, "[] is too short - 'tool_calls'")
        if message["content"] is None:
            must(calls, "expected a string, got null")
        else:
            text(message["content"])
        for call in calls:
            members(call, ["id", "type", "function"])
            members(call["function"], ["name", "arguments"])
            ident(call["id"], 64)
            ident(call["function"]["name"], 64)
            arguments(call["function"]["arguments"])
            must(call["id"] not in seen, "duplicate id", call["id"])
            seen.add(call["id"])
            open_calls.append(call["id"])
    must(not open_calls, "calls without results", open_calls)


def ask_openai(messages):
    openai([*messages, {"role": "user", "content": "And now?"}])


# OpenAI's Responses API

OUTPUTS = {"function_call_output": "function_call", "custom_tool_call_output": "custom_tool_call"}


def input_parts(content, kinds):
    must(content, "content is empty")
    for part in content:
        must(part.get("type") in kinds, "part", part)
        if part["type"] == "input_image":
            members(part, ["type", "image_url"])
            picture_url(part["image_url"])
        else:
            members(part, ["type", "text"])
            text(part["text"])


def responses(items):
    must(items, "input is empty")
    calls = {}
    for item in items:
        kind = item["type"]
        if kind in OUTPUTS:
            members(item, ["type", "call_id", "output"])
            must(calls.pop(item["call_id"], None) == OUTPUTS[kind], "No tool call found for the output", item)
            if isinstance(item["output"], str):
                text(item["output"])
            else:
                input_parts(item["output"], ["input_text", "input_image"])
        elif kind == "message":
            members(item, ["type", "role", "content"])
            must(not calls or item["role"] == "assistant", "No tool output found for the call", calls)
            must(item["role"] in ("user", "assistant"), "role", item)
            input_parts(item["content"], ["output_text"] if item["role"] == "assistant" else ["input_text", "input_image"])
        else:
            must(kind in OUTPUTS.values(), "type", kind)
            value = "arguments" if kind == "function_call" else "input"
            members(item, ["type", "call_id", "name", value])
            ident(item["call_id"], 64)
            ident(item["name"], 64)
            must(item["call_id"] not in calls, "duplicate id", item)
            must(isinstance(item[value], str), value, item)
            if value == "arguments":
                arguments(item[value])
            calls[item["call_id"]] = kind
    must(not calls, "No tool output found for the call", calls)


def ask_responses(items):
    responses([*items, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And now?"}]}])


APIS = {"anthropic": ask_anthropic, "openai": ask_openai, "responses": ask_responses}


def strict(data):
    """The bodies of requests are UTF-8, and no lone surrogates are escaped in them."""
    value = json.loads(data.decode("utf-8"))
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def main(folders):
    for folder in folders:
        for api, ask in APIS.items():
            path = os.path.join(folder, "as", api + ".json")
            with open(path, "rb") as file:
                data = file.read()
            try:
                ask(strict(data))
            except (Refused, ValueError) as error:
                sys.exit("%s: refused: %s" % (path, error))


if __name__ == "__main__":
    main(sys.argv[1:])
