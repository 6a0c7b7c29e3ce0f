#!/bin/bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code, linux-x64), offline, with a server
# on loopback that refuses each request.
#
# `claude --resume ID` finds ID.jsonl in any folder below ~/.claude/projects, whatever the
# working directory is. But if two of these folders have the file, and neither is the
# working directory's own, it finds none: "No conversation found with session ID", although
# each of the two alone is found. A backup of a project's folder beside it is enough.
#
# Seen: found, not found, found. Fails if that has changed. Needs npm, node, unshare, ip.
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
mkdir -p "$dir/work" "$HOME/.claude/projects"/-{one,two}

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
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/one","sessionId":"%s","version":"2.1.332","type":"%s","message":%s,"uuid":"%s","timestamp":"2026-11-01T10:00:0%d.000Z"}\n' "$2" "$id" "$3" "$4" "$1" "$5"
}
a=aaaa0000-0000-4000-8000-000000000001 b=aaaa0000-0000-4000-8000-000000000002
{
	line $a null user '{"role":"user","content":"hello"}' 1
	line $b "\"$a\"" assistant '{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}' 2
} >"$HOME/.claude/projects/-one/$id.jsonl"

cd "$dir/work"
resume() {
	local said
	said=$("$dir/node_modules/.bin/claude" -p --resume "$id" more 2>&1 </dev/null || true)
	case $said in
	*"No conversation found with session ID"*) echo "not found" ;;
	*refused*) echo found ;;
	*) echo "something else: $said" ;;
	esac
}
seen=$(resume)
cp "$HOME/.claude/projects/-one/$id.jsonl" "$HOME/.claude/projects/-two"
seen+=", $(resume)"
rm "$HOME/.claude/projects/-two/$id.jsonl"
seen+=", $(resume)"
echo "one folder, two, one again: $seen"
[[ $seen == "found, not found, found" ]]
