# as/*.json: what the APIs of models take. tests/lib/apis.py refuses what they refuse.
load lib/mount
load lib/run
load lib/pi

APIS=$ROOT/tests/lib/apis.py

# Fails unless no API refuses the context of any entry of the sessions in these folders.
all_are_taken() {
	needs python3
	local session folders=()
	shopt -s nullglob
	for session in "${@:-$MNT}"; do folders+=("$session" "$session"/by-id/*); done
	shopt -u nullglob
	python3 "$APIS" "${folders[@]}"
}

# A session with lines that python prints, with these helpers. A line of Pi is a message;
# parents are a chain.
made_session() {
	needs python3
	python3 - >"$SESSION" <<-PY
	import json
	N = [0]
	PNG = "iVBORw0KGgo="
	def out(value):
	    print(json.dumps(value))
	def pi(role, content, **more):
	    N[0] += 1
	    parent = None if N[0] == 1 else "e%07d" % (N[0] - 1)
	    out({"type": "message", "id": "e%07d" % N[0], "parentId": parent, "timestamp": "2026-01-05T09:00:00.000Z",
	         "message": {"role": role, "content": content, **more}})
	def text(value):
	    return {"type": "text", "text": value}
	def call(id, name="ls", arguments={}):
	    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}
	def image(data=PNG, mime="image/png"):
	    return {"type": "image", "data": data, "mimeType": mime}
	def result(id, content="ok", **more):
	    pi("toolResult", content, toolCallId=id, toolName="ls", **more)
	def header():
	    out({"type": "session", "version": 3, "id": "0198f000-0000-7000-8000-000000000001", "timestamp": "2026-01-05T09:00:00.000Z", "cwd": "/w"})
	$(cat)
	PY
}

@test "the APIs take every entry of every format's sessions" {
	mkdir "$DIR/all"
	cp "$FIXTURES"/*.json* "$DIR/all"
	"$SESSFS" "$DIR/all" "$MNT"
	all_are_taken "$MNT"/*
}

@test "the APIs take calls and results in any order, with any ids, names and arguments" {
	made_session <<-'PY'
	header()
	pi("assistant", [text("I begin. ")])
	pi("assistant", [text("\ud800 half \udc00"), call("same"), call("same"), call(""), call("x" * 500), call("ü/ö")])
	pi("user", "between")
	result("same")
	result("never called", "orphan")
	result("x" * 500, [])
	result("same", [text(" "), text("")], isError=True)
	pi("assistant", [call("late"), call("same", "no such name: " + "n" * 200, [1, 2]), call("a", "", "text"), call("b", "b", None)])
	pi("assistant", [{"type": "toolCall"}, {"type": "toolCall", "id": 7, "name": 8, "arguments": 9}])
	pi("assistant", [call("call_1"), call("call_2"), call(" ")])
	result("late", [image(), image("AAAA", "image/bmp"), image("", ""), image("not base64!", "image/png"), image(PNG, "image/jpeg")], isError=True)
	result("a", {"type": "text", "text": "an object"})
	pi("user", [call("of the user"), image("https://example.org/a.png"), image("http://example.org/a.png"), image("data:image/gif;base64,R0lGODlhAQABAAAAACw=")])
	pi("assistant", [{"type": "thinking", "thinking": "hm", "thinkingSignature": "sig"}, image(), {"type": "odd", "a": {"b": [1, "two\nlines"]}}, None, 5, "s"])
	pi("user", [])
	pi("user", "   ")
	pi("user", "so?")
	pi("assistant", [text("The end.\n\n \t")])
	PY
	mount_session
	all_are_taken
	is $'The end.\n(continued)\n["call_1","call_2"]' jq -rc '.[-1].content[-1].text, .[0].content[0].text,
		[.. | .id? // empty | select(. == "call_1" or . == "call_2")]' "$MNT/as/anthropic.json"
	jq -e 'any(.[]; .type == "custom_tool_call" and .input == "text" and .name == "unknown")' "$MNT/as/responses.json"
	has '[picture image/bmp 3 bytes]' "$MNT/as/openai.json"
	not grep -q 'sig"' "$MNT"/as/*.json
}

@test "the APIs take documents, tools of the server and results without a content" {
	made_session <<-'PY'
	def claude(role, content):
	    N[0] += 1
	    ids = ["00000000-0000-4000-8000-%012d" % n for n in (N[0] - 1, N[0])]
	    out({"parentUuid": None if N[0] == 1 else ids[0], "isSidechain": False, "userType": "external", "cwd": "/w", "sessionId": "0198f000-0000-7000-8000-000000000001",
	         "version": "2.1.332", "type": role, "message": {"role": role, "content": content, **({"model": "claude-opus-4-1", "id": "m%d" % N[0]} if role == "assistant" else {})},
	         "uuid": ids[1], "timestamp": "2026-01-05T09:00:%02d.000Z" % N[0]})
	def document(source, **more):
	    return {"type": "document", "source": source, **more}
	claude("user", [text("look"), document({"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}, title="T", cache_control={"type": "ephemeral"}),
	                document({"type": "text", "media_type": "text/plain", "data": "its words"}), document({"type": "url", "url": "https://example.org/a.pdf"}),
	                document({"type": "file", "file_id": "file_1"}), document({"type": "base64", "media_type": "application/zip", "data": "UEs="})])
	claude("assistant", [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
	                     {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result", "url": "https://e.org", "title": "A title", "encrypted_content": "SECRET"}]},
	                     {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}, {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {}}])
	claude("user", [{"type": "tool_result", "tool_use_id": "toolu_1"},
	                {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": True, "content": [document({"type": "text", "media_type": "text/plain", "data": "inner"}),
	                 {"type": "image", "source": {"type": "url", "url": "https://example.org/b.png"}}]}])
	PY
	mount_session
	all_are_taken
	is '["application/pdf","text/plain",null]' jq -c '[.[0].content[] | select(.type == "document").source.media_type]' "$MNT/as/anthropic.json"
	local words
	for words in '[document application/pdf 5 bytes]' 'its words' '[document https://example.org/a.pdf]' 'file_id: file_1' 'title: A title'; do
		has "$words" "$MNT/as/openai.json"
		has "$words" "$MNT/as/responses.json"
	done
	not grep -q 'SECRET\|cache_control' "$MNT"/as/*.json
}

@test "a session that says nothing is [], before its first entry, too" {
	write_session
	mount_session
	all_are_taken
	is $'[]\n[]\n[]' jq -c . "$MNT"/as/*.json
}

@test "info names agents whose usual models do not take so large a context, and no others" {
	local many
	printf -v many '%0400000d' 0
	write_session "$(user e0000001 "" "$many$many${many::100000}")" \
		"$(message e0000002 e0000001 "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"$many\"}]}")"
	mount_session
	is 'over-window: omp (about 325001 tokens of 272000)
over-window: codex (about 325001 tokens of 272000)' grep over-window "$MNT/info"
	ln -sfn by-id/e0000001 "$MNT/HEAD"
	not grep over-window "$MNT/info"
	unmount
	daemon_is_gone
	mount_fixture pi-v3-branches.jsonl
	not grep over-window "$MNT/info"
}
