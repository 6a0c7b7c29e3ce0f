#!/bin/bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code, linux-x64), offline, with a server
# on loopback that refuses each request and keeps what it was sent.
#
# A hook may add notes to a call: two lines below the call's result, beside each other. An
# answer that was abandoned since hangs below one of them; the transcript goes on from the
# result (an explicit last-prompt line). In what order the model gets the two notes depends
# on where the abandoned answer hangs: the note above it comes last, whatever the times and
# the places in the file say. Nothing of that answer is sent itself.
#
# Seen: "first, second" with the answer below the second note, and "second, first" with it
# below the first. Fails if that has changed. Needs npm, node, unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error @anthropic-ai/claude-code@2.1.332 >&2
	flags=-rn
	[[ $(id -u) -ne 0 ]] || flags=-n
	unshare $flags "$0" inside "$dir"
	exit
fi

dir=$2
id=11111111-2222-4333-8444-555555555555
ip link set lo up
export HOME=$dir/home ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL DISABLE_AUTOUPDATER=1
mkdir -p "$dir/work"
cd "$dir/work"
folder=$HOME/.claude/projects/${PWD//[^a-zA-Z0-9]/-}
mkdir -p "$folder"

node -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const notes = body.match(/note-(first|second)/g);
	if (notes)
		require("fs").appendFileSync(process.argv[1], notes.join(" ") + "\n");
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "refused" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/notes" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
ANTHROPIC_BASE_URL=http://127.0.0.1:$(<"$dir/port")

line() {
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"%s","sessionId":"%s","version":"2.1.332","type":"%s",%s,"uuid":"%s","timestamp":"2026-11-01T10:00:0%d.000Z"}\n' "$2" "$PWD" "$id" "$3" "$4" "$1" "$5"
}
id_of() { echo "aaaa0000-0000-4000-8000-00000000000$1"; }
note() {
	line "$(id_of "$1")" "\"$(id_of 3)\"" attachment '"attachment":{"type":"hook_additional_context","content":["note-'"$2"'"],"hookName":"PreToolUse:Bash","hookEvent":"PreToolUse","toolUseID":"t1"}' "$1"
}
answer() {
	line "$(id_of "$1")" "\"$(id_of "$2")\"" assistant '"message":{"id":"msg_'"$1"'","type":"message","role":"assistant","model":"claude-opus-4-6","content":['"$3"'],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}' "$1"
}

# The order of the notes that is sent if the abandoned answer is below this line.
order() {
	{
		line "$(id_of 1)" null user '"message":{"role":"user","content":"hello"}' 1
		answer 2 1 '{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"true"}}'
		line "$(id_of 3)" "\"$(id_of 2)\"" user '"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}' 3
		note 4 first
		note 5 second
		answer 6 "$1" '{"type":"text","text":"abandoned"}'
		printf '{"type":"last-prompt","lastPrompt":"x","leafUuid":"%s","sessionId":"%s","explicit":true}\n' "$(id_of 3)" "$id"
	} >"$folder/$id.jsonl"
	: >"$dir/notes"
	"$dir/node_modules/.bin/claude" -p --resume "$id" more >"$dir/said" 2>&1 </dev/null || true
	head -n 1 "$dir/notes"
}
below_second=$(order 5)
below_first=$(order 4)
echo "answer below the second note: $below_second; below the first: $below_first"
[[ $below_second == "note-first note-second" && $below_first == "note-second note-first" ]]
