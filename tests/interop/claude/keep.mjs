// The real Claude Code deletes its old sessions. Of what `sessfs keep` has kept of them no
// byte is lost, and it is listed and searched as before, with subagents and long outputs.
//
// It cleans up five seconds after a turn begins, at most once a day (.claude/.last-cleanup),
// and goes by when a file was last written to: files are made old here, instead of setting
// its clock. With -p it must live as long: a short turn deletes nothing. In a terminal it
// does not while somebody has typed within a minute, and looks again ten minutes later.

import fs from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { Difference, same } from "../compare.mjs";
import { SESSFS } from "../mount.mjs";
import { prompt } from "../server.mjs";
import { Home, NAME, run } from "./agent.mjs";
import { bash, call } from "./steps.mjs";

/** After 30 days it deletes, unless its settings say otherwise. */
const OLD = 31, YOUNG = 29;

const OUTPUT = [[bash("seq 1 30000")], "All counted."];
const AGENT = [[call("Agent", { description: "look", prompt: prompt("look", ["sub says hi"]), subagent_type: "general-purpose" })], "Back."];

/** All files below a folder: their bytes, by path. */
function bytesBelow(folder) {
	const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	const files = entries.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
	return new Map(files.map((file) => [path.relative(folder, file), fs.readFileSync(file, "latin1")]));
}

/** Those of one session. */
const ofSession = (files, id) => [...files].filter(([name]) => name.startsWith(id)).sort();

class Kept {
	constructor(home) {
		this.home = home;
		/** Where what is deleted is kept. */
		this.project = path.join(home.home, ".local/share/sessfs/kept/claude", home.project);
	}

	sessfs(...args) {
		const { status, stdout, stderr } = spawnSync(SESSFS, args, { cwd: this.home.dir, env: this.home.env(0), encoding: "utf8", maxBuffer: 1 << 28 });
		if (status !== 0)
			throw new Difference(`sessfs ${args.join(" ")}: status ${status}: ${stderr}`);
		return stdout;
	}

	/** A session that the agent writes: its id. */
	async write(words, steps) {
		const before = this.home.transcripts();
		const { status, err } = await run(this.home, ["-p", prompt(words, steps), "--allowedTools", "Bash Agent"]);
		const file = this.home.transcripts().find((name) => !before.includes(name));
		if (status !== 0 || !file)
			throw new Difference(`${words}: status ${status}: ${err}`);
		return path.basename(file, ".jsonl");
	}

	/** Make files of a session so many days old. */
	age(id, days, which = "") {
		const then = new Date(Date.now() - days * 86_400_000);
		for (const [name] of ofSession(bytesBelow(this.home.project), id)) {
			if (name.includes(which))
				fs.utimesSync(path.join(this.home.project, name), then, then);
		}
	}

	/** The agent at work until it has cleaned up, as on another day. */
	async cleanUp() {
		const stamp = path.join(this.home.home, ".claude/.last-cleanup");
		fs.rmSync(stamp, { force: true });
		await this.write("work", [[bash(`until test -e ${stamp}; do sleep 0.1; done`)], "Done."]);
		if (!fs.existsSync(stamp))
			throw new Difference("the agent has not cleaned up");
	}

	/** What is read of a session, in this folder: all but its path. */
	seen(folder, id, options = []) {
		const file = path.join(folder, `${id}.jsonl`);
		const line = this.sessfs("list", ...options).split("\n").find((row) => row.includes(id));
		return { line: line?.split("\t").filter((column) => !column.includes(id)), lines: this.sessfs("grep", "--all", "", file).replaceAll(`${file.slice(0, -6)}/`, "") };
	}
}

/** The session is deleted, and all that there was of it can be read. */
function isWhole(kept, id, before) {
	const { home, project } = kept;
	same("what the agent leaves", ofSession(bytesBelow(home.project), id), []);
	same("kept bytes", ofSession(bytesBelow(project), id), before.bytes);
	same("list --kept", kept.seen(project, id, ["--kept"]), before.seen);
}

await Home.with(async (home) => {
	const kept = new Kept(home);
	const plain = await kept.write("alpha", ["Ay."]);
	const rich = await kept.write("beta", [OUTPUT[0], ...AGENT]);
	const worn = await kept.write("gamma", OUTPUT);
	const young = await kept.write("delta", ["Dee."]);
	kept.age(plain, OLD);
	kept.age(rich, OLD);
	kept.age(worn, OLD, "tool-results");
	kept.age(young, YOUNG);
	kept.sessfs("keep");
	const before = (id) => ({ bytes: ofSession(bytesBelow(home.project), id), seen: kept.seen(home.project, id) });
	const was = { [plain]: before(plain), [rich]: before(rich), [worn]: before(worn) };

	await kept.cleanUp();
	kept.sessfs("keep");
	isWhole(kept, plain, was[plain]);
	isWhole(kept, rich, was[rich]);
	same("kept sessions", kept.sessfs("list", "--kept").trimEnd().split("\n").length, 2);

	kept.age(worn, OLD);
	await kept.cleanUp();
	kept.sessfs("keep");
	isWhole(kept, worn, was[worn]);
	same("what is young", home.transcripts().includes(home.transcript(young)), true);
});
console.log(`interop: sessions that ${NAME} deletes stay where sessfs keeps them`);
