// The files that Pi's tools open: ../traced.mjs.

import { once } from "node:events";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { withScratch } from "../mount.mjs";
import { prompt } from "../server.mjs";
import { checkFiles } from "../traced.mjs";
import { NAME } from "./agent.mjs";
import { COMMAND, Home } from "./program.mjs";

const use = (name, input) => ({ type: "tool_use", name, input });
const STEPS = [
	[use("read", { path: "a.txt" })],
	[use("read", { path: "none.txt" })],
	[use("write", { path: "new/b.txt", content: "b\n" })],
	[use("edit", { path: "./sub/../c.txt", edits: [{ oldText: "one", newText: "two" }] })],
	[use("edit", { path: "d.txt", edits: [{ oldText: "not there", newText: "x" }] })],
	[use("bash", { command: "cat secret.txt >out.txt" })],
	[use("read", { path: "@sub/e.txt" }), use("read", { path: "../outside.txt" })],
	"done",
];
const wanted = ["read a.txt", "read-failed none.txt", "write new/b.txt", "edit c.txt", "edit-failed d.txt", "read sub/e.txt", "read ../outside.txt"];

await withScratch((scratch) => Home.with(scratch, (home) => checkFiles({ name: NAME, home: home.home, cwd: home.cwd, program: COMMAND[0], first: COMMAND, wanted }, async ([command, ...args]) => {
	const child = spawn(command, [...args, "-p", prompt("work", STEPS)], { cwd: home.cwd, env: home.env, stdio: ["ignore", "ignore", "inherit"] });
	await once(child, "exit");
	const sessions = path.join(home.home, ".pi/agent/sessions");
	return path.join(sessions, fs.readdirSync(sessions, { recursive: true }).find((name) => name.endsWith(".jsonl")));
})));
