// The files that oh-my-pi's tools open: ../traced.mjs.

import fs from "node:fs";
import path from "node:path";
import { withScratch } from "../mount.mjs";
import { prompt, start } from "../server.mjs";
import { checkFiles } from "../traced.mjs";
import { Agent, envOf, NAME, PLAYED } from "./program.mjs";

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
const wanted = ["read a.txt", "read-failed none.txt", "write new/b.txt", "read c.txt", "edit c.txt", "edit-failed d.txt", "read sub/e.txt", "read ../outside.txt"];
/** It runs commands itself, whose files are in no line. */
const ofCommands = ["secret.txt", "out.txt"];

await withScratch(async (home) => {
	const cwd = path.join(home, "work");
	fs.mkdirSync(cwd);
	const server = await start(() => {});
	try {
		await checkFiles({ name: NAME, home, cwd, program: process.execPath, first: PLAYED, wanted, ofCommands }, async (command) => {
			const agent = new Agent(command, { cwd, env: envOf(home, server.port) });
			await agent.say(prompt("work", STEPS));
			const session = await agent.file();
			await agent.leave();
			return session;
		});
	} finally {
		server.close();
	}
});
