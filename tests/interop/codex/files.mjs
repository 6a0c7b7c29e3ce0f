// The real Codex at work with its file tools: strace sees it open the files that by-file/
// has, and no others but what its commands open. Of these by-file/ has what `cat` reads,
// because the agent itself says so.

import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { opened, strace, touched } from "../traced.mjs";
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
	["exec_command", { cmd: "cat sub/a.txt" }],
	["exec_command", { cmd: "tr a-z A-Z <secret.txt >out.txt" }],
].map(([name, input], n) => ({ type: "function_call", name, arguments: JSON.stringify(input), call_id: `call_${n}` }));

/** In any order: the agent lists the files of a patch in a random one. */
const WANTED = ["delete d.txt", "edit c.txt", "move m.txt", "move moved.txt", "read p.png", "read sub/a.txt", "read-failed none.png", "write new/b.txt"];
/** What was there and is read, or is gone afterwards, and what was written. */
const READ = ["c.txt", "d.txt", "m.txt", "p.png"];
const WRITTEN = ["c.txt", "moved.txt", "new/b.txt"];

await Home.with(async (home) => {
	for (const file of ["c.txt", "d.txt", "m.txt", "secret.txt", "sub/a.txt"]) {
		fs.mkdirSync(path.dirname(path.join(home.cwd, file)), { recursive: true });
		fs.writeFileSync(path.join(home.cwd, file), "one\n");
	}
	fs.writeFileSync(path.join(home.cwd, "p.png"), Buffer.from(PNG.split(",")[1], "base64"));
	home.answer = () => [calls.shift() ?? says("done")];
	const traces = path.join(home.dir, "traces");
	const child = home.spawn(["exec", "work", "--skip-git-repo-check"], ["ignore", "ignore", "ignore"], [...strace(traces), PROGRAM]);
	const [status] = await once(child, "close");
	same("the status that Codex ends with", status, 0);
	const found = touched(home.rollouts()[0]).map(({ what, file }) => `${what} ${path.relative(home.cwd, path.resolve(home.cwd, file))}`);
	same("what sessfs files says", found.sort(), WANTED);
	const seen = opened(traces, PROGRAM, home.cwd);
	same("the files that were read", seen.read, READ);
	same("the files that were written", seen.written, WRITTEN);
	console.log(`interop: the tools of Codex ${VERSION} opened the ${found.length} files that by-file/ has, and no others`);
});
