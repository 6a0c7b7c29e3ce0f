// The files that Claude Code's tools open: ../traced.mjs.

import { checkFiles } from "../traced.mjs";
import { Home, NAME, PROGRAM, run } from "./agent.mjs";
import { bash, call, say } from "./steps.mjs";

const NOTEBOOK = { cells: [{ cell_type: "code", id: "c1", source: "1", metadata: {}, outputs: [], execution_count: null }], metadata: {}, nbformat: 4, nbformat_minor: 5 };
const at = (name) => ({ file_path: `CWD/${name}` });
const STEPS = [
	[call("Read", at("a.txt"))],
	[call("Read", at("none.txt"))],
	[call("Write", { ...at("new/b.txt"), content: "b\n" })],
	[call("Read", at("c.txt"))],
	[call("Edit", { ...at("c.txt"), old_string: "one", new_string: "two" })],
	[call("Edit", { ...at("c.txt"), old_string: "not there", new_string: "x" })],
	[bash("cat secret.txt >out.txt")],
	[call("Read", at("sub/e.txt")), call("Read", at("../outside.txt"))],
	[call("Read", at("n.ipynb"))],
	[call("NotebookEdit", { notebook_path: "CWD/n.ipynb", cell_id: "c1", new_source: "2" })],
	"done",
];
const wanted = [
	"read a.txt", "read-failed none.txt", "write new/b.txt", "read c.txt", "edit c.txt", "edit-failed c.txt", "read sub/e.txt", "read ../outside.txt",
	"read n.ipynb", "edit n.ipynb",
];

await Home.with((home) => checkFiles({ name: NAME, home: home.dir, cwd: home.cwd, program: PROGRAM, wanted, others: { "n.ipynb": JSON.stringify(NOTEBOOK) }, tail: /\.tmp\.\d+\.\w+$/ }, async (shell) => {
	await run(home, ["-p", say(STEPS).replaceAll("CWD", home.cwd), "--allowedTools", "Bash Read Write Edit NotebookEdit"], { shell, timeout: 600_000 });
	return home.transcripts()[0];
}));
