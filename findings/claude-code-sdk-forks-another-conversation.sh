#!/bin/bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code, linux-x64) and its own library 0.3.332 (npm
# @anthropic-ai/claude-agent-sdk), offline, with a server on loopback that refuses each request and
# keeps what was sent.
#
# Both can fork a session, and the library can show it. But they do not agree on what the session
# is. Where a transcript ends with a line that names an earlier place as the one to go on from
# (last-prompt, marked as explicit, which the agent itself writes), --resume and --fork-session do
# so. The library passes over it: getSessionMessages() gives what was left, and so does
# forkSession(), so that a fork sends what was taken back. And where a line is lost, the agent
# hangs those below it on what is before it, while the library begins behind the gap, and its
# fork has forgotten the beginning. None of them reports anything.
#
# Seen: of "one, answer, two, wrong", to go on from the answer, --fork-session sends "one, answer";
# getSessionMessages() gives all four, and all four are sent of a fork by forkSession(). Where the
# line of the answer is lost, --fork-session sends "one, two, wrong", and the library has "two,
# wrong" both times. Fails if that has changed. Needs npm, node, tar, unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error @anthropic-ai/claude-code@2.1.332 >&2
	# Its file alone: npm would bring the agent once more.
	mkdir "$dir/sdk"
	tar -xzf "$dir/$(cd "$dir" && npm pack @anthropic-ai/claude-agent-sdk@0.3.332 --ignore-scripts --silent)" -C "$dir/sdk" --strip-components=1
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
	const said = (JSON.parse(body || "{}").messages ?? []).flatMap(({ content }) => content).map((part) => (part.text ?? part).trim());
	if (said.at(-1) === "go on")
		require("fs").writeFileSync(process.argv[1], said.filter((text) => !text.startsWith("<")).join(", ") + "\n");
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "refused" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/sent" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
ANTHROPIC_BASE_URL=http://127.0.0.1:$(<"$dir/port")

id_of() { echo "aaaa0000-0000-4000-8000-00000000000$1"; }
line() {
	printf '{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"%s","sessionId":"%s","version":"2.1.332","type":"%s",%s,"uuid":"%s","timestamp":"2026-11-01T10:00:0%d.000Z"}\n' "$2" "$PWD" "$id" "$3" "$4" "$(id_of "$1")" "$1"
}
user() { line "$1" "$2" user '"message":{"role":"user","content":"'"$3"'"}'; }
answer() { line "$1" "$2" assistant '"message":{"id":"msg_'"$1"'","type":"message","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"'"$3"'"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}'; }

# What the agent sends of a session.
sent() {
	rm -f "$dir/sent"
	"$dir/node_modules/.bin/claude" -p --resume "$@" 'go on' >"$dir/said" 2>&1 </dev/null || true
	cat "$dir/sent"
}
# What the library gives for an expression with the session's id.
library() {
	node --input-type=module -e '
		import * as sdk from "'"$dir"'/sdk/sdk.mjs";
		const words = ({ message: { content } }) => (typeof content === "string" ? content : content[0].text);
		console.log('"$1"');' "$id"
}
# The conversation as --fork-session sends it, as the library shows it, and as its fork sends it.
three() {
	cat >"$folder/$id.jsonl"
	echo "$(sent "$id" --fork-session); $(library '(await sdk.getSessionMessages(process.argv[1])).map(words).join(", ")'); $(sent "$(library '(await sdk.forkSession(process.argv[1])).sessionId')")"
}
moved=$({
	user 1 null one
	answer 2 "\"$(id_of 1)\"" answer
	user 3 "\"$(id_of 2)\"" two
	answer 4 "\"$(id_of 3)\"" wrong
	printf '{"type":"last-prompt","lastPrompt":"one","leafUuid":"%s","sessionId":"%s","explicit":true}\n' "$(id_of 2)" "$id"
} | three)
lost=$({
	user 1 null one
	user 3 "\"$(id_of 2)\"" two
	answer 4 "\"$(id_of 3)\"" wrong
} | three)
printf 'goes on from the answer: %s\nthe answer is lost: %s\n' "$moved" "$lost"
[[ $moved == "one, answer, go on; one, answer, two, wrong; one, answer, two, wrong, go on" && $lost == "one, two, wrong, go on; two, wrong; two, wrong, go on" ]]
