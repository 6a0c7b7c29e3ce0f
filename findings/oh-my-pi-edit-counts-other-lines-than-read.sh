#!/bin/bash
# oh-my-pi 18.2.3 (npm @oh-my-pi/pi-coding-agent), on bun 1.4.5 (npm @oven/bun-linux-x64),
# offline, with a server on loopback that plays the model.
#
# The agent's read numbers the lines of a file, and its edit takes these numbers. But edit ends
# a line at a CR alone, and read does not, and does not even show it. So behind such a CR each
# number means another line: where the model deletes the line that was shown as 3, edit deletes
# the end of line 2, and reports that as done. The tag that is to prevent edits of another text
# fits, since the file has not changed. Every other CR of the file becomes an LF. Logs of
# programs with progress bars have such CRs.
#
# Seen: of a file with the lines "one", "a CR b", "three" and "four", read shows "1:one 2:ab
# 3:three 4:four". After line 3 is deleted, the file has "one a three four". 18.3.4, whose
# packages are not all on npm, does the same. Fails if that has changed. Needs npm, tar,
# unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts @oven/bun-linux-x64@1.4.5 \
		@oh-my-pi/pi-natives@18.2.3 @oh-my-pi/pi-natives-linux-x64@18.2.3 @babel/parser@7.29.14 >&2
	# Its program alone: npm would bring 1 GB more.
	agent=$dir/node_modules/@oh-my-pi/pi-coding-agent
	mkdir -p "$agent"
	archive=$(npm pack @oh-my-pi/pi-coding-agent@18.2.3 --ignore-scripts --silent --pack-destination "$dir")
	tar -xzf "$dir/$archive" -C "$agent" --strip-components=1 package/package.json package/dist
	flags=-rn
	[[ $(id -u) -ne 0 ]] || flags=-n
	unshare $flags "$0" inside "$dir"
	exit
fi

dir=$2
bun=$dir/node_modules/@oven/bun-linux-x64/bin/bun
ip link set lo up
export HOME=$dir/home ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL
mkdir -p "$HOME" "$dir/work"
cd "$dir/work"
printf 'one\na\rb\nthree\nfour\n' >log.txt

# The model reads the file, deletes line 3 by the tag that it was shown, and ends.
# shellcheck disable=SC2016 # JavaScript
"$bun" -e 'const server = Bun.serve({ port: 0, hostname: "127.0.0.1", async fetch(q) {
	const { messages = [], tools = [] } = await q.json().catch(() => ({}));
	const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === "tool_result");
	const text = JSON.stringify(results[0]?.content ?? "");
	if (results.length === 1)
		await Bun.write(process.argv[1], text.match(/\d+:[^\\"]*/g).join(" "));
	const inputs = [["read", { path: "log.txt" }], ["edit", { i: "delete three", input: `[log.txt#${text.match(/#([0-9A-F]{4})\]/)?.[1]}]\nCUT 3.=3` }]];
	const [name, input] = (tools.length > 0 && inputs[results.length]) || [];
	const block = name ? { type: "tool_use", id: `toolu_${results.length}`, name, input: {} } : { type: "text", text: "" };
	const delta = name ? { type: "input_json_delta", partial_json: JSON.stringify(input) } : { type: "text_delta", text: "ok" };
	const usage = { input_tokens: 1, output_tokens: 1 };
	const events = [
		["message_start", { message: { id: `msg_${messages.length}`, type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage } }],
		["content_block_start", { index: 0, content_block: block }], ["content_block_delta", { index: 0, delta }], ["content_block_stop", { index: 0 }],
		["message_delta", { delta: { stop_reason: name ? "tool_use" : "end_turn" }, usage }], ["message_stop", {}],
	].map(([type, rest]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
	return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
} });
console.log(server.port)' "$dir/shown" >"$dir/port" &
server=$!
trap 'kill $server' EXIT
until [[ -s $dir/port ]]; do sleep 0.1; done
ANTHROPIC_BASE_URL=http://127.0.0.1:$(<"$dir/port")

timeout 300 "$bun" "$dir/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js" --model anthropic/claude-opus-4-5 -p 'delete the line three' </dev/null >"$dir/said" 2>&1 || true
shown=$(<"$dir/shown")
left=$(tr '\r\n' '@ ' <log.txt)
printf 'read shows: %s\nwithout line 3: %s\n' "$shown" "$left"
[[ $shown == "1:one 2:ab 3:three 4:four" && $left == "one a three four " ]]
