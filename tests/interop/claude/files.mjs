// The real Claude Code at work with its file tools: strace sees it open the files that
// by-file/ has, and no others but what its commands open.

import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { opened, strace, touched } from "../traced.mjs";
import { Home, NEWEST, program, run } from "./agent.mjs";
import { bash, call, say } from "./steps.mjs";

const NOTEBOOK = { cells: [{ cell_type: "code", id: "c1", source: "1", metadata: {}, outputs: [], execution_count: null }], metadata: {}, nbformat: 4, nbformat_minor: 5 };

/** Calls by what they name; paths are from the agent's directory. */
const stepsIn = (cwd) => {
	const at = (name) => path.join(cwd, name);
	return [
		[call("Read", { file_path: at("a.txt") })],
		[call("Read", { file_path: at("none.txt") })],
		[call("Write", { file_path: at("new/b.txt"), content: "b\n" })],
		[call("Read", { file_path: at("c.txt") })],
		[call("Edit", { file_path: at("c.txt"), old_string: "one", new_string: "two" })],
		[call("Edit", { file_path: at("c.txt"), old_string: "not there", new_string: "x" })],
		[bash("cat secret.txt >out.txt")],
		[call("Read", { file_path: at("sub/e.txt") }), call("Read", { file_path: at("../outside.txt") })],
		[call("Read", { file_path: at("n.ipynb") })],
		[call("NotebookEdit", { notebook_path: at("n.ipynb"), cell_id: "c1", new_source: "2" })],
		"done",
	];
};

const WANTED = [
	"read a.txt", "read-failed none.txt", "write new/b.txt", "read c.txt", "edit c.txt", "edit-failed c.txt", "read sub/e.txt", "read ../outside.txt",
	"read n.ipynb", "edit n.ipynb",
];

await Home.with(async (home) => {
	for (const file of ["a.txt", "c.txt", "secret.txt", "sub/e.txt", "../outside.txt"]) {
		fs.mkdirSync(path.dirname(path.join(home.cwd, file)), { recursive: true });
		fs.writeFileSync(path.join(home.cwd, file), "one\n");
	}
	fs.writeFileSync(path.join(home.cwd, "n.ipynb"), JSON.stringify(NOTEBOOK));
	const traces = path.join(home.dir, "traces");
	const [agent] = program(NEWEST);
	const tools = "Bash Read Write Edit NotebookEdit";
	await run(home, NEWEST, ["-p", say(stepsIn(home.cwd)), "--allowedTools", tools], { shell: [...strace(traces), agent], timeout: 600_000 });
	const found = touched(home.transcripts()[0]).map(({ what, file }) => ({ what, file: path.relative(home.cwd, path.resolve(home.cwd, file)) }));
	same("what sessfs files says", found.map(({ what, file }) => `${what} ${file}`), WANTED);
	const names = (isOne) => [...new Set(found.filter(isOne).map(({ file }) => file))].sort();
	const seen = opened(traces, agent, home.dir);
	// A file is written beside its place, and renamed.
	const ours = (files) => files.map((file) => path.relative("w", file.replace(/\.tmp\.\d+\.\w+$/, ""))).filter((file) => file === "../outside.txt" || !file.startsWith(".."));
	same("the files that were written", names(({ what }) => what === "write" || what === "edit"), [...new Set(ours(seen.written))].sort());
	same("the files that were opened", names(({ what }) => what !== "read-failed"), [...new Set([...ours(seen.read), ...ours(seen.written)])].sort());
	console.log(`interop: the tools of Claude Code ${NEWEST} opened the ${found.length} files that by-file/ has, and no others`);
});
