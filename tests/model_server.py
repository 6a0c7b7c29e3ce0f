"""A server of three model APIs, which refuses what their published rules refuse.

    model_server.py DIR

serves Anthropic Messages, OpenAI Chat Completions and OpenAI Responses on a port of
127.0.0.1 that it writes to DIR/port. It appends each request to DIR/requests, as JSON on
a line: path, headers and body. If DIR/key exists, requests need the key in it.

It gives the answers in DIR/answers, a JSON array, one after the other, and "Yes." when
there are none left. An answer is {"text", "thinking", "calls": [[NAME, ARGUMENTS]...],
"stop"}, in the form of the API that is asked, or {"raw": BODY, "status", "headers",
"sleep"}, which is sent for any request as it is.
"""
import base64
import http.server
import json
import os
import re
import sys
import threading
import time

DIR = sys.argv[1] if len(sys.argv) > 1 else "."
LOCK = threading.Lock()
PICTURES = ("image/jpeg", "image/png", "image/gif", "image/webp")


class Refused(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Refused(why)


def members(value, where, required, optional=""):
    """An object with all required members, and no others than the optional ones."""
    need(isinstance(value, dict), f"{where}: must be an object")
    for name in required.split():
        need(name in value, f"{where}.{name}: field required")
    for name in value:
        need(name in required.split() + optional.split(), f"{where}.{name}: extra inputs are not permitted")


def string(value, where, pattern=r"(?s).*\S.*"):
    need(isinstance(value, str) and re.fullmatch(pattern, value), f"{where}: must match {pattern}")


def positive(value, where):
    need(type(value) is int and value > 0, f"{where}: must be a positive integer")


def items(value, where):
    need(isinstance(value, list) and value, f"{where}: must be an array that is not empty")
    return [(item, f"{where}.{n}") for n, item in enumerate(value)]


def picture_data(kind, data, where):
    need(kind in PICTURES, f"{where}: unsupported media type {kind}")
    try:
        need(base64.b64decode(data, validate=True), f"{where}: empty picture")
    except ValueError as error:
        raise Refused(f"{where}: invalid base64: {error}") from error


def picture_url(url, where):
    string(url, where)
    match = re.fullmatch(r"(?s)data:([^;,]*);base64,(.*)", url)
    if match:
        picture_data(*match.groups(), where)
    else:
        need(url.startswith("https://"), f"{where}: invalid URL")


def arguments(text, where):
    need(isinstance(text, str) and isinstance(json.loads(text), dict), f"{where}: must be an object as JSON")


# -- Anthropic Messages

def cache(block, where, counted):
    if "cache_control" in block:
        need(block["cache_control"] == {"type": "ephemeral"}, f"{where}.cache_control: invalid")
        counted.append(where)


def anthropic_block(block, where, role, counted):
    need(isinstance(block, dict), f"{where}: must be an object")
    kind = block.get("type")
    cache(block, where, counted)
    if kind == "text":
        members(block, where, "type text", "cache_control")
        string(block["text"], f"{where}.text")
    elif kind == "image" and role == "user":
        members(block, where, "type source", "cache_control")
        if block["source"].get("type") == "url":
            members(block["source"], where, "type url")
        else:
            members(block["source"], where, "type media_type data")
            picture_data(block["source"]["media_type"], block["source"]["data"], where)
    elif kind == "document" and role == "user":
        members(block, where, "type source", "cache_control")
    elif kind == "thinking" and role == "assistant":
        members(block, where, "type thinking signature")
        string(block["signature"], f"{where}.signature")
    elif kind == "redacted_thinking" and role == "assistant":
        members(block, where, "type data")
        string(block["data"], f"{where}.data")
    elif kind == "tool_use" and role == "assistant":
        members(block, where, "type id name input", "cache_control")
        string(block["id"], f"{where}.id", "[a-zA-Z0-9_-]{1,64}")
        string(block["name"], f"{where}.name", "[a-zA-Z0-9_-]{1,128}")
        need(isinstance(block["input"], dict), f"{where}.input: must be an object")
    elif kind == "tool_result" and role == "user":
        members(block, where, "type tool_use_id", "content is_error cache_control")
        for inner, at in items(block.get("content", [{"type": "text", "text": "x"}]), f"{where}.content"):
            need(inner.get("type") in ("text", "image", "document"), f"{at}: not in a tool_result")
            need(inner["type"] == "text" or not block.get("is_error"), f"{at}: must be text if is_error")
            anthropic_block(inner, at, "user", counted)
    else:
        raise Refused(f"{where}.type: {kind} is not for {role}")


def anthropic_messages(messages, counted):
    """Check them, and return whether tools were called."""
    seen, open_calls, role = set(), [], "assistant"
    for message, where in items(messages, "messages"):
        members(message, where, "role content")
        need(message["role"] in ("user", "assistant"), f"{where}.role: invalid")
        need(message["role"] != role, f"{where}: roles must alternate, and the user is first")
        role = message["role"]
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block, at in items(content, f"{where}.content"):
            anthropic_block(block, at, role, counted)
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        need([block["type"] for block in content[:len(results)]] == ["tool_result"] * len(results),
             f"{where}: results must be first")
        need(sorted(results) == sorted(open_calls), f"{where}: calls {open_calls}, but results {results}")
        open_calls = [block["id"] for block in content if block["type"] == "tool_use"]
        for call in open_calls:
            need(call not in seen, f"{where}: tool_use ids must be unique: {call}")
            seen.add(call)
        need("thinking" not in content[-1]["type"], f"{where}: the final block cannot be thinking")
    need(role == "user", "messages: this model does not support prefill, the last must be the user's")
    return bool(seen)


def check_anthropic(body, headers):
    members(body, "request", "model max_tokens messages", "system tools tool_choice thinking output_config")
    need(headers.get("anthropic-version") == "2023-06-01", "anthropic-version: header is required")
    string(body["model"], "model")
    positive(body["max_tokens"], "max_tokens")
    counted = []
    if isinstance(body.get("system"), list):
        for block, where in items(body["system"], "system"):
            anthropic_block(block, where, "system", counted)
    called = anthropic_messages(body["messages"], counted)
    need(len(counted) <= 4, "cache_control: at most 4")
    need(not called or body.get("tools"), "requests with tool_use blocks must define tools")
    if "tools" in body:
        for tool, where in items(body["tools"], "tools"):
            members(tool, where, "name input_schema", "description")
            string(tool["name"], f"{where}.name", "[a-zA-Z0-9_-]{1,128}")
            need(tool["input_schema"].get("type") == "object", f"{where}.input_schema.type: must be object")
    if "tool_choice" in body:
        need(body["tool_choice"] == {"type": "none"} and body.get("tools"), "tool_choice: invalid")
    thinking = body.get("thinking", {"type": "adaptive"})
    if thinking.get("type") == "enabled":
        members(thinking, "thinking", "type budget_tokens")
        need(1024 <= thinking["budget_tokens"] < body["max_tokens"], "thinking.budget_tokens: invalid")
    else:
        need(thinking == {"type": "adaptive"}, "thinking: invalid")


# -- OpenAI Chat Completions

def chat_content(content, where):
    if isinstance(content, str):
        string(content, where)
        return
    for part, at in items(content, where):
        need(isinstance(part, dict), f"{at}: must be an object")
        if part.get("type") == "text":
            members(part, at, "type text")
            string(part["text"], at)
        else:
            members(part, at, "type image_url")
            members(part["image_url"], at, "url", "detail")
            picture_url(part["image_url"]["url"], at)


def chat_message(message, where, open_calls, seen):
    role = message.get("role")
    if role == "tool":
        members(message, where, "role tool_call_id content")
        string(message["content"], f"{where}.content")
        need(message["tool_call_id"] in open_calls, f"{where}: no call has this result")
        open_calls.remove(message["tool_call_id"])
        return
    need(not open_calls, f"{where}: calls without a result: {open_calls}")
    if role == "assistant":
        members(message, where, "role content", "tool_calls reasoning_content reasoning reasoning_details")
        if message["content"] is None:
            need(message.get("tool_calls"), f"{where}: content or tool_calls is required")
        else:
            string(message["content"], f"{where}.content")
        for call, at in items(message["tool_calls"], f"{where}.tool_calls") if "tool_calls" in message else ():
            members(call, at, "id type function")
            members(call["function"], at, "name arguments")
            string(call["id"], f"{at}.id", "[a-zA-Z0-9_-]{1,40}")
            need(call["id"] not in seen, f"{at}.id: must be unique")
            seen.add(call["id"])
            string(call["function"]["name"], f"{at}.name", "[a-zA-Z0-9_-]{1,64}")
            arguments(call["function"]["arguments"], f"{at}.arguments")
            open_calls.append(call["id"])
    else:
        need(role in ("system", "user"), f"{where}.role: invalid")
        members(message, where, "role content")
        chat_content(message["content"], f"{where}.content")


def check_openai(body, _):
    members(body, "request", "model messages", "tools max_completion_tokens reasoning_effort")
    string(body["model"], "model")
    open_calls, seen, last = [], set(), None
    for n, (message, where) in enumerate(items(body["messages"], "messages")):
        need(isinstance(message, dict), f"{where}: must be an object")
        chat_message(message, where, open_calls, seen)
        role = message["role"]
        need(role != "system" or n == 0, f"{where}: the system message must be at the beginning")
        # The templates of many models want the roles to alternate.
        need(role == "tool" or role != last and (role != "assistant" or last not in (None, "system")),
             f"{where}: roles must alternate, and the user is first")
        last = role
    need(last != "assistant" and not open_calls, "messages: the last must be the user's")
    if "tools" in body:
        for tool, where in items(body["tools"], "tools"):
            members(tool, where, "type function")
            members(tool["function"], where, "name", "description parameters strict")
            string(tool["function"]["name"], where, "[a-zA-Z0-9_-]{1,64}")
    if "max_completion_tokens" in body:
        positive(body["max_completion_tokens"], "max_completion_tokens")


# -- OpenAI Responses

def input_parts(parts, where, kind):
    for part, at in items(parts, where):
        if part.get("type") == kind:
            members(part, at, "type text", "annotations")
            string(part["text"], at)
        else:
            need(kind == "input_text", f"{at}.type: invalid")
            members(part, at, "type image_url detail")
            picture_url(part["image_url"], at)


def input_item(item, where, calls, seen):
    kind = item.get("type", "message")
    if kind == "message":
        members(item, where, "role content", "type phase")
        need(item["role"] in ("user", "assistant", "developer"), f"{where}.role: invalid")
        input_parts(item["content"], f"{where}.content",
                    "output_text" if item["role"] == "assistant" else "input_text")
    elif kind == "function_call":
        members(item, where, "type call_id name arguments")
        string(item["call_id"], f"{where}.call_id", "[a-zA-Z0-9_-]{1,64}")
        string(item["name"], f"{where}.name", "[a-zA-Z0-9_-]{1,64}")
        arguments(item["arguments"], f"{where}.arguments")
        need(item["call_id"] not in seen, f"{where}.call_id: must be unique")
        seen.add(item["call_id"])
        calls.append(item["call_id"])
    elif kind == "function_call_output":
        members(item, where, "type call_id output")
        need(item["call_id"] in calls, f"{where}: no tool call found for the output")
        calls.remove(item["call_id"])
        if isinstance(item["output"], str):
            string(item["output"], f"{where}.output")
        else:
            input_parts(item["output"], f"{where}.output", "input_text")
    elif kind == "reasoning":
        string(item.get("encrypted_content"), f"{where}.encrypted_content")
    else:
        raise Refused(f"{where}.type: invalid: {kind}")
    return kind == "reasoning", kind in ("reasoning", "function_call") or item.get("role") == "assistant"


def check_responses(body, _):
    members(body, "request", "model input", "instructions store tools max_output_tokens reasoning include")
    string(body["model"], "model")
    need(body.get("store") is False, "store: these tests keep nothing")
    if "instructions" in body:
        string(body["instructions"], "instructions")
    calls, seen, reasoning, answer = [], set(), False, False
    for item, where in items(body["input"], "input"):
        need(isinstance(item, dict), f"{where}: must be an object")
        was_reasoning = reasoning
        reasoning, answer = input_item(item, where, calls, seen)
        need(answer or not was_reasoning, f"{where}: reasoning without its required following item")
        need(not calls or item.get("type", "message") not in ("message",) or answer,
             f"{where}: no tool output found for calls {calls}")
    need(not calls and not answer, "input: the last must be the user's, and calls have results")
    if "tools" in body:
        for tool, where in items(body["tools"], "tools"):
            members(tool, where, "type name", "description parameters strict")
            string(tool["name"], where, "[a-zA-Z0-9_-]{1,64}")
    if "max_output_tokens" in body:
        need(body["max_output_tokens"] >= 16, "max_output_tokens: at least 16")
    need("include" not in body or "reasoning" in body, "include: encrypted content is not supported")


# -- Answers

def as_anthropic(answer):
    content = []
    if "thinking" in answer:
        content.append({"type": "thinking", "thinking": answer["thinking"], "signature": "c2ln"})
    if "text" in answer:
        content.append({"type": "text", "text": answer["text"]})
    for n, (name, given) in enumerate(answer.get("calls", ())):
        content.append({"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": given})
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "x", "content": content,
            "stop_reason": answer.get("stop", "tool_use" if "calls" in answer else "end_turn"),
            "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 3,
                      "cache_creation_input_tokens": 2}}


def as_openai(answer):
    message = {"role": "assistant", "content": answer.get("text")}
    if "thinking" in answer:
        message["reasoning_content"] = answer["thinking"]
    if "calls" in answer:
        message["tool_calls"] = [{"id": f"call_{n}", "type": "function",
                                  "function": {"name": name, "arguments": json.dumps(given)}}
                                 for n, (name, given) in enumerate(answer["calls"])]
    return {"id": "chatcmpl-1", "object": "chat.completion",
            "choices": [{"index": 0, "message": message,
                         "finish_reason": answer.get("stop", "tool_calls" if "calls" in answer else "stop")}],
            "usage": {"prompt_tokens": 15, "completion_tokens": 5, "total_tokens": 20,
                      "prompt_tokens_details": {"cached_tokens": 3}}}


def as_responses(answer):
    output = []
    if "thinking" in answer:
        output.append({"type": "reasoning", "id": "rs_1", "encrypted_content": "ZW5j",
                       "summary": [{"type": "summary_text", "text": answer["thinking"]}]})
    if "text" in answer:
        output.append({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                       "content": [{"type": "output_text", "text": answer["text"], "annotations": []}]})
    for n, (name, given) in enumerate(answer.get("calls", ())):
        output.append({"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": name,
                       "arguments": json.dumps(given)})
    stop = answer.get("stop")
    return {"id": "resp_1", "object": "response", "status": "incomplete" if stop else "completed",
            "incomplete_details": {"reason": stop} if stop else None, "error": None, "output": output,
            "usage": {"input_tokens": 15, "input_tokens_details": {"cached_tokens": 3}, "output_tokens": 5,
                      "total_tokens": 20}}


APIS = {
    "/v1/messages": (check_anthropic, as_anthropic, "x-api-key", "{}"),
    "/v1/chat/completions": (check_openai, as_openai, "authorization", "Bearer {}"),
    "/v1/responses": (check_responses, as_responses, "authorization", "Bearer {}"),
}


def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "an object has a member twice")
    return dict(pairs)


def parse(raw):
    try:
        body = json.loads(raw.decode("utf-8"), object_pairs_hook=unique)
        json.dumps(body, ensure_ascii=False).encode("utf-8")  # lone surrogates fail
    except ValueError as error:
        raise Refused(f"the body is not JSON: {error}") from error
    return body


def next_answer():
    path = os.path.join(DIR, "answers")
    try:
        with open(path) as f:
            answers = json.load(f)
    except FileNotFoundError:
        answers = []
    with open(path + ".new", "w") as f:
        json.dump(answers[1:], f)
    os.rename(path + ".new", path)
    return answers[0] if answers else {"text": "Yes."}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=()):
        if not isinstance(body, str):
            body = json.dumps(body)
        data = body.encode("utf-8", "surrogatepass")
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def authorize(self, header, form):
        path = os.path.join(DIR, "key")
        if os.path.exists(path):
            with open(path) as f:
                return self.headers.get(header) == form.format(f.read().strip())
        return True

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with LOCK:
            with open(os.path.join(DIR, "requests"), "a") as f:
                f.write(json.dumps({"path": self.path, "headers": headers,
                                    "body": raw.decode("utf-8", "replace")}) + "\n")
            answer = next_answer()
        if "raw" in answer:
            time.sleep(answer.get("sleep", 0))
            if answer["raw"] is None:
                self.close_connection = True
            else:
                self.reply(answer.get("status", 200), answer["raw"], answer.get("headers", {}))
            return
        check, form, header, key = APIS.get(self.path, (None,) * 4)
        if not check:
            self.reply(404, {"error": {"message": f"no such path: {self.path}"}})
        elif not self.authorize(header, key):
            self.reply(401, {"error": {"type": "authentication_error", "message": "invalid key"}})
        elif headers.get("content-type") != "application/json":
            self.reply(400, {"error": {"message": "content-type must be application/json"}})
        else:
            try:
                check(parse(raw), headers)
            except Refused as error:
                self.reply(400, {"error": {"type": "invalid_request_error", "message": str(error)}})
                return
            self.reply(200, form(answer))


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with open(os.path.join(DIR, "port.new"), "w") as f:
        f.write(str(server.server_port))
    os.rename(os.path.join(DIR, "port.new"), os.path.join(DIR, "port"))
    server.serve_forever()
