#!/bin/bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code, linux-x64), offline, with a server
# on loopback that refuses each request and counts its messages.
#
# A transcript that ends with a compact_boundary (the agent was ended before it could write
# the summary) is resumed in two ways. Up to 5 MiB the boundary is passed over, and the model
# gets the whole conversation. In a larger file all that precedes the boundary is forgotten:
# the model gets nothing but the new prompt. The user sees no difference but the answers.
#
# Seen: of two messages and a new one, 3 are sent from the small file, and 1 from the large
# one. Fails if that has changed. Needs npm, node, unshare, ip.
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
	const said = (JSON.parse(body || "{}").messages ?? []).filter(({ role }) => role !== "system");
	require("fs").appendFileSync(process.argv[1], said.length + "\n");
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "refused" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/counts" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
ANTHROPIC_BASE_URL=http://127.0.0.1:$(<"$dir/port")

line() {
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"%s","sessionId":"%s","version":"2.1.332","type":"%s",%s,"uuid":"%s","timestamp":"2026-11-01T10:00:0%d.000Z"}\n' "$2" "$PWD" "$id" "$3" "$4" "$1" "$5"
}
a=aaaa0000-0000-4000-8000-000000000001 b=aaaa0000-0000-4000-8000-000000000002 c=aaaa0000-0000-4000-8000-000000000003
talk() {
	line $a null user '"message":{"role":"user","content":"hello"}' 1
	line $b "\"$a\"" assistant '"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"'"$1"'"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}' 2
}

# How many messages are sent, at most, from a transcript with this answer
sent() {
	{
		talk "$(cat)"
		line $c null system '"subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":"'$b'","level":"info","compactMetadata":{"trigger":"manual","preTokens":100}' 3
	} >"$folder/$id.jsonl"
	: >"$dir/counts"
	"$dir/node_modules/.bin/claude" -p --resume "$id" more >"$dir/said" 2>&1 </dev/null || true
	sort -n "$dir/counts" | tail -n 1
}
small=$(sent <<<hi)
large=$(head -c 6291456 /dev/zero | tr '\0' x | sent)
echo "messages sent: $small from the small file, $large from the large one"
[[ $small == 3 && $large == 1 ]]
