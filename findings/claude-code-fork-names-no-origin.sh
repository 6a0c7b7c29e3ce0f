#!/bin/bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code, linux-x64), offline, with a server
# on loopback that refuses each request.
#
# /branch writes forkedFrom, with the other session's id, into each line that it copies.
# `claude --resume ID --fork-session` copies the same lines, but writes forkedFrom into none:
# what tells where they are from is requestSessionId, and that only in lines of the
# assistant. A program that looks for forkedFrom takes such a fork for a session of its own,
# and counts its answers twice.
#
# Seen: forkedFrom in 0 lines, requestSessionId in 1 of an assistant and 0 of a user. Fails
# if that has changed. Needs npm, node, unshare, ip.
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

node -e 'require("http").createServer((q, a) => {
	q.resume();
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "refused" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
ANTHROPIC_BASE_URL=http://127.0.0.1:$(<"$dir/port")

line() {
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"%s","sessionId":"%s","version":"2.1.332","type":"%s",%s,"uuid":"%s","timestamp":"2026-11-01T10:00:0%d.000Z"}\n' "$2" "$PWD" "$id" "$3" "$4" "$1" "$5"
}
a=aaaa0000-0000-4000-8000-000000000001 b=aaaa0000-0000-4000-8000-000000000002
talk() {
	line $a null user '"message":{"role":"user","content":"hello"}' 1
	line $b "\"$a\"" assistant '"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"'"$1"'"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}' 2
}
talk hi >"$folder/$id.jsonl"

"$dir/node_modules/.bin/claude" -p --resume "$id" --fork-session more >"$dir/said" 2>&1 </dev/null || true
for fork in "$folder"/*.jsonl; do
	[[ $fork == */$id.jsonl ]] || break
done
[[ $(grep -c '"text":"hi"' "$fork") -ge 1 ]] # the fork has the answer
seen="forkedFrom in $(grep -c '"forkedFrom"' "$fork" || true) lines, requestSessionId in $(grep '"type":"assistant"' "$fork" | grep -c "\"requestSessionId\":\"$id\"" || true) of an assistant and $(grep '"type":"user"' "$fork" | grep -c '"requestSessionId"' || true) of a user"
echo "$seen"
[[ $seen == "forkedFrom in 0 lines, requestSessionId in 1 of an assistant and 0 of a user" ]]
