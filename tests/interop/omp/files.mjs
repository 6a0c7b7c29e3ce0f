// The real oh-my-pi at work with its file tools: strace sees it open the files that
// by-file/ has, and no others but what its commands open.

import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { prompt, start } from "../server.mjs";
import { opened, strace, touched } from "../traced.mjs";
import { Agent, CLI, NAME } from "./program.mjs";

const MODEL = "anthropic/claude-opus-4-5";
/** What an edit calls a content of "one\n" by. */
const TAG = "B686";
const use = (name, input) => ({ type: "tool_use", name, input });

const STEPS = [
	[use("read", { path: "a.txt" })],
	[use("read", { path: "none.txt" })],
	[use("write", { path: "new/b.txt", content: "b\n" })],
	[use("read", { path: "c.txt" })],
	[use("edit", { i: "change it", input: `[c.txt#${TAG}]\nPUT 1.=1:\n+two` })],
	[use("edit", { i: "change it", input: "[d.txt#0000]\nPUT 1.=1:\n+two" })],
	[use("bash", { command: "cat secret.txt >out.txt" })],
	[use("read", { path: "sub/e.txt" }), use("read", { path: "../outside.txt" })],
	"done",
];

/** It runs commands itself, whose files are in no line. */
const OF_COMMANDS = ["secret.txt", "out.txt"];

const WANTED = [
	"read a.txt", "read-failed none.txt", "write new/b.txt", "read c.txt", "edit c.txt", "edit-failed d.txt", "read sub/e.txt", "read ../outside.txt",
];

/** Have it said, and wait until the agent has answered. */
async function say(agent, message) {
	const settled = new Promise((resolve) => {
		agent.said.on("line", (line) => JSON.parse(line).type === "agent_end" && resolve());
	});
	await agent.ask("prompt", { message });
	await settled;
	return (await agent.ask("get_state")).sessionFile;
}

await withScratch(async (home) => {
	const cwd = path.join(home, "work");
	for (const file of ["a.txt", "c.txt", "d.txt", "secret.txt", "sub/e.txt", "../outside.txt"]) {
		fs.mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
		fs.writeFileSync(path.join(cwd, file), "one\n");
	}
	const requests = [];
	const server = await start((request) => requests.push(request));
	const env = { PATH: process.env.PATH, HOME: home, SHELL: "/bin/sh", LC_ALL: "C.UTF-8", ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}` };
	const traces = path.join(home, "traces");
	const agent = new Agent([...strace(traces), process.execPath, CLI, "--mode", "rpc", "--model", MODEL], cwd, env);
	let session;
	try {
		session = await say(agent, prompt("work", STEPS));
	} finally {
		agent.child.stdin.end();
		await agent.gone;
		server.close();
	}
	const found = touched(session).map(({ what, file }) => ({ what, file: path.relative(cwd, path.resolve(cwd, file)) }));
	same("what sessfs files says", found.map(({ what, file }) => `${what} ${file}`), WANTED);
	const names = (isOne) => [...new Set(found.filter(isOne).map(({ file }) => file))].sort();
	const seen = opened(traces, process.execPath, home);
	const ours = (files) => files.filter((file) => file === "outside.txt" || file.startsWith("work/")).map((file) => path.relative("work", file)).filter((file) => !OF_COMMANDS.includes(file)).sort();
	same("the files that were written", names(({ what }) => what === "write" || what === "edit"), ours(seen.written));
	same("the files that were opened", names(({ what }) => what !== "read-failed"), [...new Set([...ours(seen.read), ...ours(seen.written)])].sort());
	console.log(`interop: ${NAME}'s tools opened the ${found.length} files that by-file/ has, and no others`);
});
