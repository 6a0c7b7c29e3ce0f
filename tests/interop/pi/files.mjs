// The real Pi at work with its file tools: strace sees it open the files that by-file/ has,
// and no others but what its commands open.

import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { prompt } from "../server.mjs";
import { opened, touched, trace } from "../traced.mjs";
import { NAME } from "./agent.mjs";
import { COMMAND, Home } from "./program.mjs";

const use = (name, input) => [{ type: "tool_use", name, input }];

const STEPS = [
	use("read", { path: "a.txt" }),
	use("read", { path: "none.txt" }),
	use("write", { path: "new/b.txt", content: "b\n" }),
	use("edit", { path: "./sub/../c.txt", edits: [{ oldText: "one", newText: "two" }] }),
	use("edit", { path: "d.txt", edits: [{ oldText: "not there", newText: "x" }] }),
	use("bash", { command: "cat secret.txt >out.txt" }),
	[...use("read", { path: "@sub/e.txt" }), ...use("read", { path: "../outside.txt" })],
	"done",
];

const WANTED = [
	"read a.txt", "read-failed none.txt", "write new/b.txt", "edit c.txt", "edit-failed d.txt", "read sub/e.txt", "read ../outside.txt",
];

function sessions(folder) {
	return fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".jsonl")).map((name) => path.join(folder, name));
}

async function work(home) {
	for (const file of ["a.txt", "c.txt", "d.txt", "secret.txt", "sub/e.txt", "../outside.txt"]) {
		fs.mkdirSync(path.dirname(path.join(home.cwd, file)), { recursive: true });
		fs.writeFileSync(path.join(home.cwd, file), "one\n");
	}
	const traces = path.join(home.home, "traces");
	await trace(traces, [...COMMAND, "-p", prompt("work", STEPS)], { cwd: home.cwd, env: home.env });
	const [session] = sessions(path.join(home.home, ".pi/agent/sessions"));
	const found = touched(session).map(({ what, file }) => ({ what, file: path.relative(home.cwd, path.resolve(home.cwd, file)) }));
	same("what sessfs files says", found.map(({ what, file }) => `${what} ${file}`), WANTED);
	const names = (wanted) => [...new Set(found.filter(wanted).map(({ file }) => file))].sort();
	const seen = opened(traces, COMMAND[0], home.home);
	const ours = (files) => files.filter((file) => file === "outside.txt" || file.startsWith("work/")).map((file) => path.relative("work", file)).sort();
	same("the files that were written", names(({ what }) => what === "write" || what === "edit"), ours(seen.written));
	same("the files that were opened", names(({ what }) => what !== "read-failed"), [...new Set([...ours(seen.read), ...ours(seen.written)])].sort());
	console.log(`interop: ${NAME}'s tools opened the ${found.length} files that by-file/ has, and no others`);
}

await withScratch((scratch) => Home.with(scratch, work));
