# bats file_tags=shell,full
# sessfs-ask, against a server that refuses what the APIs refuse.
load lib/mount
load lib/run
load lib/pi
load lib/model

setup() {
	make_folder
	start_server
	CONTEXT=$DIR/context.json
	export SH="sh"
}

# Write a context: messages as JSON, with commas.
context() {
	printf '[%s]' "$1" >"$CONTEXT"
}

# The start of an assistant's message that this API and model would have written.
own() {
	local names=("anthropic-messages" "anthropic")
	case $API in
	openai) names=("openai-completions" "openai") ;;
	responses) names=("openai-responses" "openai") ;;
	esac
	printf '"role":"assistant","api":"%s","provider":"%s","model":"%s","stopReason":"stop"' "${names[@]}" "${1:-m}"
}

# -- the server

# is_refused PATH BODY: the server itself answers 400.
is_refused() {
	is 400 curl -s -o "$DIR/out" -w '%{http_code}\n' -H 'content-type: application/json' \
		-H 'anthropic-version: 2023-06-01' -d "$2" "$URL$1"
}

is_taken() {
	is 200 curl -s -o "$DIR/out" -w '%{http_code}\n' -H 'content-type: application/json' \
		-H 'anthropic-version: 2023-06-01' -d "$2" "$URL$1"
}

@test "the test's own server refuses what Anthropic Messages does" {
	local with='"model":"m","max_tokens":9,"messages"' user='{"role":"user","content":"x"}'
	local tools='"tools":[{"name":"t","input_schema":{"type":"object"}}]'
	local call='{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]}'
	local result='{"type":"tool_result","tool_use_id":"a","content":"r"}'
	is_taken /v1/messages "{$with:[$user]}"
	is_taken /v1/messages "{$with:[$user,$call,{\"role\":\"user\",\"content\":[${result/\"r\"/[\{\"type\":\"text\",\"text\":\"r\"\}]}]}],$tools}"
	local body
	for body in "{}" "{$with:[]}" "{\"model\":\"m\",\"messages\":[$user]}" "{$with:[$user,$user]}" \
		"{$with:[$user],\"top\":1}" "{$with:[{\"role\":\"system\",\"content\":\"x\"}]}" \
		"{$with:[{\"role\":\"assistant\",\"content\":\"x\"}]}" "{$with:[{\"role\":\"user\",\"content\":\" \"}]}" \
		"{$with:[$user,{\"role\":\"assistant\",\"content\":\"x\"}]}" "{$with:[$user,$call,$user],$tools}" \
		"{$with:[{\"role\":\"user\",\"content\":[$result]}],$tools}" \
		"{$with:[$user,${call/\"a\"/\"a b\"},$user],$tools}" \
		"{$with:[$user,$call,{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},$result]}],$tools}" \
		"{$with:[{\"role\":\"user\",\"content\":\"\\ud83d\"}]}" \
		"{$with:[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/bmp\",\"data\":\"AAAA\"}}]}]}" \
		"{$with:[{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AAA\"}}]}]}"; do
		is_refused /v1/messages "$body"
	done
}

@test "the test's own server refuses what OpenAI's APIs do" {
	local user='{"role":"user","content":"x"}' answer='{"role":"assistant","content":"x"}'
	local call='{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}}]}'
	local result='{"role":"tool","tool_call_id":"a","content":"r"}' m
	is_taken /v1/chat/completions "{\"model\":\"m\",\"messages\":[$user,$call,$result]}"
	for m in "" "$user,$call" "$user,$result" "$user,$call,$user" "$user,$call,$result,$result" \
		"$user,$answer" "$answer,$user" "$user,$user" "${user/x/}" "$user,${call/null/\"\"},$result" \
		"$user,${call/\{\}/[]},$result" "$user,${call/\"a\"/\"$(printf 'a%.0s' {1..41})\"},$result"; do
		is_refused /v1/chat/completions "{\"model\":\"m\",\"messages\":[$m]}"
	done
	user='{"role":"user","content":[{"type":"input_text","text":"x"}]}'
	answer='{"role":"assistant","content":[{"type":"output_text","text":"x"}]}'
	call='{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}'
	result='{"type":"function_call_output","call_id":"a","output":"r"}'
	is_taken /v1/responses "{\"model\":\"m\",\"store\":false,\"input\":[$user,$call,$result]}"
	for m in "" "$user,$call" "$user,$result" "$user,$call,$user,$result" "$user,$call,$result,$result" \
		"$user,$answer" "${user/input_text/text}" "${user/x/}" \
		"$user,{\"type\":\"reasoning\",\"encrypted_content\":\"x\"},$user"; do
		is_refused /v1/responses "{\"model\":\"m\",\"store\":false,\"input\":[$m]}"
	done
	is_refused /v1/responses "{\"model\":\"m\",\"store\":false,\"input\":[$user],\"include\":[\"reasoning.encrypted_content\"]}"
}

# -- conversations

# takes_context API FILE
takes_context() {
	API=$1 ask 'And now?' <"$2" >"$DIR/answer"
	grep -qF '[{"type":"text","text":"Yes."' "$DIR/answer"
}

# An API after the other: each has many of each format.
# Of the contexts of entries every third, each by another API.
@test "the APIs take the contexts of all fixtures, and in turn of their entries" {
	local fixture file sum n=0 apis api
	needs_mounts
	read -ra apis <<<"$APIS"
	mkdir "$DIR/contexts"
	for fixture in "$FIXTURES"/*.jsonl; do
		mount_fixture "${fixture##*/}"
		for api in "${apis[@]}"; do
			takes_context "$api" "$MNT/context.json"
		done
		for file in "$MNT"/by-id/*/context.json; do
			sum=$(md5sum <"$file")
			[ ! -e "$DIR/contexts/$sum" ] || continue
			cat "$file" >"$DIR/contexts/$sum"
			((n++ % 3)) || takes_context "${apis[n / 3 % 3]}" "$file"
		done
		unmount
		daemon_is_gone
		rm -f "${SESSION%.jsonl}.head.json"
	done
	[ "$(find "$DIR/contexts" -type f | wc -l)" -gt 100 ]
}

takes_hostile() {
	is "Yes." ask --text 'And now?' <"$CONTEXT"
	# Nothing of failed turns, orphans and other models' secrets is sent.
	run ! grep -qE 'failed turn|orphan|foreign-signature|opaque' <(tail -n 1 "$SERVER/requests")
	# Each result is that of its call.
	case $API in
	anthropic) is '[["a_b","r1"],["a_b_1","r2"],["call","No result provided"]]' request -c '[.messages[].content[]
		| select(.type == "tool_result") | [.tool_use_id, .content[0].text]][:3]' ;;
	openai) is '[["a_b","r1"],["a_b_1","r2"],["call","No result provided"]]' request -c '[.messages[]
		| select(.role == "tool") | [.tool_call_id, .content]][:3]' ;;
	responses) is '[["a_b","r1"],["a_b_1","r2"],["call","No result provided"]]' request -c '[.input[]
		| select(.type == "function_call_output") | [.call_id, (.output | strings // .[0].text)]][:3]' ;;
	esac
	request -r '.. | strings' >"$DIR/strings"
	# Not by escapes, which bash writes by the locale.
	grep -qxF 'hi �� x \ud83d 😀 \�' "$DIR/strings"
	grep -qF "[A picture that can't be sent: image/svg+xml]" "$DIR/strings"
	grep -qF "[A picture that can't be sent: image/png]" "$DIR/strings"
	# The prompt with its sections as they are in the end, and what came later in place.
	grep -qxF -e "later" "$DIR/strings"
	is 'SYS

BB

CC' request -r '.system[0].text? // .instructions // .messages[0].content'
}

@test "calls without results, hostile ids, other models' thinking, both shapes of messages" {
	python3 - >"$CONTEXT" <<-'PY'
	import json
	own = dict(api="anthropic-messages", provider="anthropic", model="m", stopReason="toolUse")
	text = lambda s: {"type": "text", "text": s}
	call = lambda i, n="bash", a={}: {"type": "toolCall", "id": i, "name": n, "arguments": a}
	def result(i, *content, e=False):
	    return {"role": "toolResult", "toolCallId": i, "toolName": "x", "content": list(content), "isError": e}
	png = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
	thinking = {"type": "thinking", "thinking": "foreign", "thinkingSignature": "foreign-signature"}
	redacted = {"type": "thinking", "thinking": "", "redacted": True, "thinkingSignature": "opaque"}
	long = "x" * 500
	print(json.dumps([
	    {"role": "system", "content": "SYS", "sections": {"a": "AA", "b": "BB"}},
	    {"role": "assistant", "content": [text("first")], **own},
	    {"role": "user", "content": [text(" "), text("hi \udc00\ud83d x \\ud83d \U0001f600 \\\ud83d"), png,
	        {"type": "image", "mimeType": "image/svg+xml", "data": "AAAA"},
	        {"type": "image", "mimeType": "image/png", "data": "blob:sha256:00"}]},
	    {"role": "assistant", "content": [thinking, redacted, text("look"), call("a b"), call("a_b"), call("", a=[1]),
	        call(long + "|fc_1", "n" * 90 + " "), call(long + "|fc_2", "é"), call("a b"), {"type": "?"}, 5],
	        **{**own, "model": "other"}},
	    result("a_b", text("r2"), png), {"role": "user", "content": "meanwhile"}, result("a b", text("r1")),
	    result("a b", text(""), png, e=True), result("orphan", text("orphan")),
	    {"role": "system", "content": "later", "sections": {"a": None, "c": "CC"}},
	    {"role": "assistant", "content": [text("failed turn"), call("q")], **{**own, "stopReason": "error"}},
	    result("q", text("of the failed turn")),
	    {"role": "assistant", "content": [redacted], **{**own, "model": "other"}},
	    {"role": "assistant", "content": [text("three"), call("a b")], **own},
	    {"role": "assistant", "content": "four"}, {"role": "?", "content": "x"}, {"role": "developer", "content": "dev"},
	    {"role": "assistant", "content": None}, 5, None,
	    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "orphan", "content": "orphan"}, text("claude"),
	        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}}]},
	    {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "foreign-signature"},
	        {"type": "redacted_thinking", "data": "opaque"}, {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}},
	        {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {}}]},
	    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True, "content": [
	        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "AAAA"}}, text("jpeg")]},
	        {"type": "tool_result", "tool_use_id": "toolu_2"}]}]))
	PY
	in_shells for_apis takes_hostile
	SH=bash for_apis takes_hostile
}

# The answer to a first question, and what is sent of it with the second one.
keeps_thinking() {
	answers '{"thinking": "Hm.", "text": "Wait.", "calls": [["bash", {"command": "ls"}]]}'
	context '{"role":"user","content":"go on"}'
	ask <"$CONTEXT" >"$DIR/answer"
	is '["thinking","text","toolCall"]' jq -c '[.content[].type]' "$DIR/answer"
	is '{"input":'"$1"',"output":5,"cacheRead":3,"cacheWrite":'"$2"',"totalTokens":20,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}' \
		jq -c .usage "$DIR/answer"
	is '["assistant","m","toolUse"]' jq -c '[.role, .model, .stopReason]' "$DIR/answer"
	context "{\"role\":\"user\",\"content\":\"go on\"},$(cat "$DIR/answer")"
	ask <"$CONTEXT" >/dev/null
	request -c "$3"
	request -e "$3" >/dev/null
	helper ask --api "$API" --url "$URL" --model other <"$CONTEXT" >/dev/null
	is false request "($3) // false"
	grep -qF 'Hm.' "$SERVER/requests"
}

@test "thinking returns to its own model, and is text for others" {
	API=anthropic keeps_thinking 10 2 '.messages[1].content[0] == {type: "thinking", thinking: "Hm.", signature: "c2ln"}'
	API=openai keeps_thinking 12 0 '.messages[1].reasoning_content == "Hm."'
	API=responses keeps_thinking 12 0 '.input[1].encrypted_content == "ZW5j"'
}

has_tools() {
	cat >"$DIR/tools.json" <<<'[{"name": "t", "description": "d", "parameters": {"type": "object"}}]'
	context '{"role":"user","content":"x"}'
	ask --tools "$DIR/tools.json" <"$CONTEXT" >/dev/null
	is 1 request '[.. | objects | select(.name? == "t" and .description == "d")] | length'
	ask --tools "'$HELPERS/sessfs-tools'" --thinking high --max-tokens 99 --system "Be brief." <"$CONTEXT" >/dev/null
	is '["bash","edit","read","write"]' request -c '[.tools[] | .name // .function.name] | sort'
	is 99 request '.max_tokens // .max_completion_tokens // .max_output_tokens'
	is '"high"' request '.output_config.effort? // .reasoning_effort // .reasoning.effort'
	grep -q "Be brief." <(request .)
	fails_in_a_line "sessfs-ask: false: no tools" 1 ask --tools false <"$CONTEXT"
	fails_in_a_line "its --schema is no array of tools" 1 ask --tools 'echo {}' <"$CONTEXT"
}

@test "tools, a system prompt, thinking and the longest answer are sent" {
	for_apis has_tools
	API=anthropic ask --thinking 2048 --max-tokens 99 <"$CONTEXT" >/dev/null
	is '[2048,2147]' request -c '[.thinking.budget_tokens, .max_tokens]'
}

needs_question() {
	context '{"role":"user","content":"x"},{"role":"assistant","content":"y"}'
	fails_in_a_line "sessfs-ask: the conversation ends with an answer: add a question" 1 ask <"$CONTEXT"
	fails_in_a_line "sessfs-ask: the question is empty" 1 ask "" <"$CONTEXT"
	is Yes. ask --text "it's "$'"é"\n' <"$CONTEXT"
	request -r '.. | strings' | grep -qF "it's \"é\""
	is Yes. ask --text -- --text </dev/null
	fails_in_a_line "the conversation is empty: add a question" 1 ask </dev/null
	local text
	for text in '{"role":"user"}' '[] []' 'x' '[1'; do
		fails_in_a_line "sessfs-ask: standard input is not a context.json" 1 ask x <<<"$text"
	done
}

@test "a question is added, and needed after an answer" {
	for_apis needs_question
}

asks_context() {
	is Yes. ask --text <"$CONTEXT"
}

@test "a context of 8 MB with pictures" {
	needs python3
	python3 - >"$CONTEXT" <<-'PY'
	import base64, json, os
	picture = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(os.urandom(3 << 20)).decode()}
	print(json.dumps([{"role": "user", "content": [picture, {"type": "text", "text": "x"}]}] * 2))
	PY
	for_apis asks_context
}

# -- URLs and keys

goes_to() {
	is Yes. helper ask --api "$1" --url "$URL$2" --model m --text x </dev/null
	is "$3" eval 'tail -n 1 "$SERVER/requests" | jq -r .path'
}

@test "a URL is a base or a whole address" {
	local at
	for at in "" / /v1 /v1/ /v1/messages; do goes_to anthropic "$at" /v1/messages; done
	for at in "" / /v1 /v1/ /v1/chat/completions; do goes_to openai "$at" /v1/chat/completions; done
	for at in "" / /v1 /v1/ /v1/responses; do goes_to responses "$at" /v1/responses; done
	answers '{"raw": {}},{"raw": {}},{"raw": {}}'
	run helper ask --api openai --url "$URL/api/x/?v=1/2" --model m x </dev/null
	run helper ask --api anthropic --url "$URL/api/x" --model m x </dev/null
	is '/api/x/chat/completions?v=1/2
/api/x/v1/messages' eval 'tail -n 2 "$SERVER/requests" | jq -r .path'
	fails_in_a_line "file:///etc/passwd: not a URL" 1 helper ask --api openai --url file:///etc/passwd --model m x </dev/null
}

hides_key() {
	local pid
	answers '{"raw": {"error": {"message": "bad key s3cret/key\nin two\u0007 lines"}}, "status": 400, "sleep": 1}'
	# shellcheck disable=SC2030
	(
		export ANTHROPIC_API_KEY=s3cret/key OPENAI_API_KEY=s3cret/key TMPDIR=$DIR/tmp
		mkdir -p "$TMPDIR"
		helper ask --api "$API" --url "$URL" --model m x </dev/null >"$DIR/out" 2>"$DIR/err" &
		pid=$!
		wait_until pgrep -f "curl.*$URL"
		cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' >"$DIR/words"
		[ -z "$(ls -A "$TMPDIR")" ]
		not wait "$pid"
	)
	grep -qF "$URL" "$DIR/words"
	run ! grep -qF s3cret "$DIR/words" "$DIR/err" "$DIR/out"
	is "sessfs-ask: the server answers 400: bad key [key] in two lines" cat "$DIR/err"
}

@test "the key is in no command line, file or message" {
	for_apis hides_key
}

has_key() {
	# shellcheck disable=SC2030,SC2031
	(
		export ANTHROPIC_API_KEY=k1 OPENAI_API_KEY=k1
		is Yes. ask --text x </dev/null
		export ANTHROPIC_API_KEY=k2 OPENAI_API_KEY=k2
		fails_in_a_line "sessfs-ask: the server answers 401: invalid key" 1 ask x </dev/null
		run ! grep -q "not set" "$DIR/err"
		export ANTHROPIC_API_KEY=$'k\nx: y' OPENAI_API_KEY=$'k\nx: y'
		fails_in_a_line "_API_KEY has characters that no key has" 1 ask x </dev/null
	)
	fails_in_a_line "_API_KEY is not set)" 1 ask x </dev/null
}

@test "the key is from the environment" {
	echo k1 >"$SERVER/key"
	for_apis has_key
}

@test "redirects are not followed, and ~/.curlrc is not read" {
	API=openai
	answers '{"raw": {}, "status": 307, "headers": {"Location": "'"$URL"'/elsewhere"}}'
	export HOME=$DIR
	echo location >"$DIR/.curlrc"
	OPENAI_API_KEY=k fails_in_a_line "sessfs-ask: the server answers 307: it redirects to another URL" 1 ask x </dev/null
	is 1 grep -c . "$SERVER/requests"
}

# -- errors

tries_again() {
	answers '{"raw": {"error": {"message": "busy"}}, "status": 529, "headers": {"Retry-After": "0"}},
		{"raw": "<html>", "status": 502, "headers": {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}},
		{"raw": {"detail": "slow down"}, "status": 429, "headers": {"Retry-After": "0"}}'
	is Yes. ask --text x </dev/null 2>"$DIR/err"
	is "sessfs-ask: the server answers 529: busy; trying again in 0 s
sessfs-ask: the server answers 502: no reason given; trying again in 0 s
sessfs-ask: the server answers 429: slow down; trying again in 0 s" cat "$DIR/err"
	answers '{"raw": {"error": "busy"}, "status": 503, "headers": {"Retry-After": "61"}}'
	fails_in_a_line "the server answers 503: busy (it asks to wait 61 seconds)" 1 ask x </dev/null
	answers '{"raw": {"error": {"message": "x", "code": "insufficient_quota"}}, "status": 429}'
	fails_in_a_line "the server answers 429: x" 1 ask x </dev/null
	answers '{"raw": {"message": "x"}, "status": 500}'
	fails_in_a_line "the server answers 500: x" 1 ask --retries 0 x </dev/null
}

@test "what may succeed later is tried again, as the server asks for" {
	API=anthropic
	in_shells tries_again
}

@test "a broken connection is tried again, with a pause" {
	API=openai
	answers '{"raw": null}'
	is Yes. ask --text x </dev/null 2>"$DIR/err"
	is 1 grep -c 'trying again in 1 s' "$DIR/err"
	fails_in_a_line "sessfs-ask: " 1 helper ask --api openai --url http://127.0.0.1:1 --model m --retries 0 x </dev/null
}

@test "an answer that is late is an error" {
	API=responses
	answers '{"raw": {}, "sleep": 5}'
	fails_in_a_line "sessfs-ask: no answer in 1 seconds: " 1 ask --timeout 1 x </dev/null
}

# answers_badly TEXT ANSWER
answers_badly() {
	answers "$2"
	fails_in_a_line "$1" 1 ask x </dev/null
}

answers_badly_everywhere() {
	answers_badly "sessfs-ask: the server answers 400: " '{"raw": {"error": {"message": ""}}, "status": 400}'
	answers_badly "the server's answer is not JSON" '{"raw": "<html>Sign in</html>"}'
	answers_badly "the server gave no answer" '{"raw": ""}'
	answers_badly "the server's answer is not JSON" '{"raw": "{\"cho"}'
	local answer
	for answer in '{}' '[]' '"x"' 7 null '{"choices": []}' '{"content": 1}' '{"output": {}}'; do
		answers_badly "sessfs-ask: the server gave no answer" "{\"raw\": $(jq -Rc . <<<"$answer")}"
	done
	answers_badly "sessfs-ask: not here" '{"raw": {"error": {"message": "not here"}}}'
	answers_badly "sessfs-ask: only a text" '{"raw": {"error": "only a text"}}'
}

@test "answers that are none are errors of one line" {
	for_apis answers_badly_everywhere
}

@test "refusals, and answers that are cut off" {
	API=anthropic answers_badly "sessfs-ask: the model gave no answer: refusal" '{"text": "I", "stop": "refusal"}'
	API=openai answers_badly "the model gave no answer: content_filter" '{"text": "I", "stop": "content_filter"}'
	API=responses answers_badly "the model gave no answer: content_filter" '{"text": "I", "stop": "content_filter"}'
	local stop
	for API in $APIS; do
		case $API in anthropic) stop=max_tokens ;; openai) stop=length ;; *) stop=max_output_tokens ;; esac
		answers_badly "the answer was cut off before its end: allow more by --max-tokens" \
			"{\"calls\": [[\"write\", {}]], \"stop\": \"$stop\"}"
		answers "{\"text\": \"Long\", \"stop\": \"$stop\"}"
		is '["length","Long"]' eval 'ask x </dev/null 2>"$DIR/err" | jq -c "[.stopReason, .content[0].text]"'
		is "sessfs-ask: the answer is cut off: --max-tokens allows more" cat "$DIR/err"
	done
	API=openai
	answers '{"raw": {"choices": [{"message": {"content": null, "refusal": "I can'\''t."}, "finish_reason": "stop"}]}}'
	is "I can't." ask --text x </dev/null
	answers '{"raw": {"content": [], "stop_reason": "end_turn"}}'
	API=anthropic
	is '["stop",[]]' eval 'ask x </dev/null | jq -c "[.stopReason, .content]"'
}

@test "texts and arguments of any kind in an answer" {
	API=openai
	answers '{"raw": {"choices": [{"message": {"content": "a\ud83d\u0000\"\\ud83d é", "tool_calls": [
		{"id": "1", "function": {"name": "a", "arguments": "{\"x\":\"é\\n\"}"}},
		{"id": "2", "function": {"name": "b", "arguments": "{\"x\":"}},
		{"id": "3", "function": {"name": "c", "arguments": ""}},
		{"id": "4", "function": {"name": "d", "arguments": "[1]"}}]}}]}}'
	ask x </dev/null >"$DIR/answer"
	is '"a�\u0000\"\\ud83d é"' jq -c '.content[0].text' "$DIR/answer"
	is '[{"x":"é\n"},{"arguments":"{\"x\":"},{},{"arguments":[1]}]' jq -c '[.content[1:][].arguments]' "$DIR/answer"
	is '["toolUse",0]' jq -c '[.stopReason, .usage.totalTokens]' "$DIR/answer"
}

@test "control characters do not reach the terminal" {
	API=anthropic
	answers '{"text": "a\u001b[7mb\u0007\u009b7mc"}'
	RAW=$DIR/screen python3 "$ROOT/tests/terminal.py" -- sh -c '"$@" </dev/null' - \
		sh "$HELPERS/sessfs-ask" --api anthropic --url "$URL" --model m --text x
	grep -qF "a[7mb7mc" "$DIR/screen"
	run ! env LC_ALL=C grep -qP '\x1b|\x07|\xc2\x9b' "$DIR/screen"
}

is_wrongly_used() {
	helper ask -h >"$DIR/out"
	grep -q "^usage: sessfs-ask --api API" "$DIR/out"
	local words
	for words in "" "--url $URL --model m" "--api x --url $URL --model m" "--api openai --model m" \
		"--api openai --url $URL" "--api openai --url $URL --model m a b" "--api" "--nothing x" -x \
		"--api openai --url $URL --model m --timeout 0" "--api openai --url $URL --model m --retries x" \
		"--api openai --url $URL --model m --max-tokens -1"; do
		run -2 --separate-stderr helper ask $words </dev/null
		[[ -z $output && $stderr == "usage: sessfs-ask "* ]]
	done
}

@test "sessfs-ask prints its usage" {
	in_shells is_wrongly_used
}

@test "without curl or jq one line says so" {
	mkdir "$DIR/bin"
	ln -s "$(command -v busybox)" "$DIR/bin/cat"
	local shell
	shell=$(command -v dash)
	API=openai
	fails_in_a_line "sessfs-ask: curl is not installed" 1 env PATH="$DIR/bin" "$shell" \
		"$HELPERS/sessfs-ask" --api openai --url "$URL" --model m x </dev/null
}
