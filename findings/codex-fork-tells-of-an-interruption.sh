#!/bin/bash
# Codex 0.171.0 (npm @openai/codex), its app-server, offline, with a server on loopback that
# answers "ok", but leaves one request without an answer.
#
# When the user interrupts a turn, Codex writes a message for the model into the thread: the user
# did so on purpose, and commands may have been executed in part. A Codex that is killed in a turn
# writes nothing. Who resumes the thread then sends the user's two messages one behind the other:
# the model does not learn that anything was cut off. Who forks it makes up the user's
# interruption: the model is told that it was on purpose, as if the user did not want what had
# been asked for. thread/fork does the same to a turn that is not over at all, and goes on in the
# thread that it is forked off. Both look for the end of the turn in the same file.
#
# Seen: the words that the model is sent behind "hold on", which got no answer. After an interruption
# a resume and a fork both have the message; after SIGKILL only the fork has it; and so has a fork
# of the turn while that waits for its answer. Fails if that has changed. Needs npm, node, unshare, ip.
set -euo pipefail

if [[ ${1-} != inside ]]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error --ignore-scripts @openai/codex@0.171.0 >&2
	flags=-rn
	[[ $(id -u) -ne 0 ]] || flags=-n
	unshare $flags "$0" inside "$dir"
	exit
fi

dir=$2
codex=$(find "$dir/node_modules" -type f -name codex -perm -u+x -path '*/vendor/*' | head -n 1)
ip link set lo up
export HOME=$dir/home
mkdir -p "$dir/work" "$HOME/.codex"
cd "$dir/work"
cat >"$dir/ask.mjs" <<'JS'
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [codex, config] = process.argv.slice(2);
let asked;
let held;
const server = createServer(async (request, response) => {
	let body = "";
	for await (const piece of request)
		body += piece;
	asked = (JSON.parse(body || "{}").input ?? []).map(({ content }) => content?.map(({ text }) => text).join("") ?? "");
	if (asked.at(-1) === "hold on") {
		held();
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream" });
	const event = (type, rest) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
	event("response.created", { response: { id: "r" } });
	event("response.output_item.done", { output_index: 0, item: { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "ok" }] } });
	event("response.completed", { response: { id: "r", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } });
	response.end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
writeFileSync(config, `model = "gpt-5"
model_provider = "played"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.played]
name = "played"
base_url = "http://127.0.0.1:${server.address().port}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
`);

/** Run with an app-server: call(method, params), say(thread), which gives what the model was sent behind "hold on", and the process. */
async function withAgent(run) {
	const agent = spawn(codex, ["app-server"], { stdio: ["pipe", "pipe", "ignore"] });
	const waiting = new Set();
	createInterface({ input: agent.stdout }).on("line", (line) => waiting.forEach((wait) => wait(JSON.parse(line))));
	const heard = (is) => new Promise((resolve) => {
		const wait = (message) => is(message) && waiting.delete(wait) && resolve(message);
		waiting.add(wait);
	});
	let last = 0;
	async function call(method, params) {
		const id = ++last;
		const answered = heard((message) => message.id === id);
		agent.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
		const { result, error } = await answered;
		if (error)
			throw new Error(`${method}: ${error.message}`);
		return result;
	}
	async function say(threadId) {
		const ended = heard(({ method }) => method === "turn/completed");
		await call("turn/start", { threadId, input: [{ type: "text", text: "go on" }] });
		await ended;
		return asked.slice(asked.lastIndexOf("hold on") + 1).map((text) => text.split(/[.\n]/, 2).join(" ")).join(", ");
	}
	await call("initialize", { clientInfo: { name: "finding", version: "1" }, capabilities: { experimentalApi: true } });
	await run(call, say, agent);
	if (agent.signalCode)
		return;
	agent.stdin.end();
	await once(agent, "close");
}

async function fork(call, say, threadId) {
	const { thread } = await call("thread/fork", { threadId });
	return say(thread.id);
}
for (const how of ["interrupted", "killed", "running"]) {
	let id;
	await withAgent(async (call, say, agent) => {
		({ id } = (await call("thread/start", {})).thread);
		await say(id);
		const holds = new Promise((resolve) => held = resolve);
		const { turn } = await call("turn/start", { threadId: id, input: [{ type: "text", text: "hold on" }] });
		await holds;
		if (how === "interrupted") {
			await call("turn/interrupt", { threadId: id, turnId: turn.id });
			return;
		}
		if (how === "running")
			console.log(`${how}, fork: ${await fork(call, say, id)}`);
		agent.kill("SIGKILL");
		await once(agent, "close");
	});
	if (how === "running")
		continue;
	await withAgent(async (call, say) => console.log(`${how}, fork: ${await fork(call, say, id)}`));
	await withAgent(async (call, say) => {
		await call("thread/resume", { threadId: id });
		console.log(`${how}, resume: ${await say(id)}`);
	});
}
process.exit();
JS
seen=$(timeout 300 node "$dir/ask.mjs" "$codex" "$HOME/.codex/config.toml")
echo "$seen"
words="<turn_aborted> The user interrupted the previous turn on purpose"
[[ $seen == "interrupted, fork: $words, go on
interrupted, resume: $words, go on
killed, fork: $words, go on
killed, resume: go on
running, fork: $words, go on" ]]
