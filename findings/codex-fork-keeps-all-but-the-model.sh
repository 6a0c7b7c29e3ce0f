#!/bin/bash
# Codex 0.171.0 (npm @openai/codex), its app-server, offline, with a server on loopback that
# answers "ok" to each request and keeps what it was asked for.
#
# A client that starts a thread gives it a model, an effort, instructions and tools. thread/resume
# keeps all four, also in another process. thread/fork keeps the instructions and the tools, and
# forgets the model and the effort: the same conversation goes on with those of config.toml. Only
# the reply names them; who wants what the thread had gives both again. So does `codex exec
# resume`, and there for good: the thread itself has the other model from then on, whoever
# resumes it.
#
# Seen: of a thread with the model gpt-5-codex, high effort, instructions and a tool, where
# config.toml has gpt-5, a resume sends all four, and a fork sends gpt-5, no effort, and the
# instructions and the tool. After `codex exec resume` a resume does so too. Fails if that has
# changed. Needs npm, node, unshare, ip.
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
const server = createServer(async (request, response) => {
	let body = "";
	for await (const piece of request)
		body += piece;
	const { model, reasoning, input, tools = [] } = JSON.parse(body || "{}");
	asked = [model, reasoning?.effort ?? "no effort", JSON.stringify(input).includes("BE BRIEF") ? "instructions" : "none", tools.some(({ name }) => name === "look_up") ? "tool" : "none"].join(", ");
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

/** Run with an app-server: call(method, params), and say(thread), which gives what the model was asked for. */
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
		return asked;
	}
	await call("initialize", { clientInfo: { name: "finding", version: "1" }, capabilities: { experimentalApi: true } });
	await run(call, say);
	agent.stdin.end();
	await once(agent, "close");
}

let id;
await withAgent(async (call, say) => {
	({ id } = (await call("thread/start", {
		model: "gpt-5-codex", config: { model_reasoning_effort: "high" }, developerInstructions: "BE BRIEF",
		dynamicTools: [{ name: "look_up", description: "look up", inputSchema: { type: "object", properties: {} } }],
	})).thread);
	console.log(`start: ${await say(id)}`);
	const fork = await call("thread/fork", { threadId: id });
	console.log(`fork: ${await say(fork.thread.id)}`);
});
async function resume(when) {
	await withAgent(async (call, say) => {
		await call("thread/resume", { threadId: id });
		console.log(`${when}: ${await say(id)}`);
	});
}
await resume("resume");
await once(spawn(codex, ["exec", "resume", id, "go on", "--skip-git-repo-check"], { stdio: "ignore" }), "close");
await resume("resume after exec");
process.exit();
JS
seen=$(timeout 300 node "$dir/ask.mjs" "$codex" "$HOME/.codex/config.toml")
echo "$seen"
[[ $seen == "start: gpt-5-codex, high, instructions, tool
fork: gpt-5, no effort, instructions, tool
resume: gpt-5-codex, high, instructions, tool
resume after exec: gpt-5, no effort, instructions, tool" ]]
