// The files that Codex's tools open: ../traced.mjs. Of those of its commands by-file/ has what
// `cat` reads, because the agent itself says so.

import { once } from "node:events";
import { checkFiles } from "../traced.mjs";
import { Home, PROGRAM, says, VERSION } from "./agent.mjs";
import { PNG } from "./words.mjs";

const PATCH = [
	"*** Begin Patch", "*** Update File: c.txt", "@@", "-one", "+two", "*** Add File: new/b.txt", "+b", "*** Delete File: d.txt",
	"*** Update File: m.txt", "*** Move to: moved.txt", "@@", "-one", "+three", "*** End Patch",
].join("\n");
const calls = [
	["exec_command", { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` }],
	["view_image", { path: "p.png" }],
	["view_image", { path: "none.png" }],
	["exec_command", { cmd: "cat sub/e.txt" }],
	["exec_command", { cmd: "tr a-z A-Z <secret.txt >out.txt" }],
].map(([name, input], n) => ({ type: "function_call", name, arguments: JSON.stringify(input), call_id: `call_${n}` }));
const wanted = ["delete d.txt", "edit c.txt", "move m.txt", "move moved.txt", "read p.png", "read sub/e.txt", "read-failed none.png", "write new/b.txt"];

await Home.with(async (home) => {
	home.answer = () => [calls.shift() ?? says("done")];
	const others = { "p.png": Buffer.from(PNG.split(",")[1], "base64") };
	// The agent lists the files of a patch in a random order, and cat reads for it.
	await checkFiles({ name: `Codex ${VERSION}`, home: home.dir, cwd: home.cwd, program: PROGRAM, wanted, others, isOrdered: false, ofCommands: ["sub/e.txt"] }, async (command) => {
		await once(home.spawn(["exec", "work", "--skip-git-repo-check"], ["ignore", "ignore", "ignore"], command), "close");
		return home.rollouts()[0];
	});
});
