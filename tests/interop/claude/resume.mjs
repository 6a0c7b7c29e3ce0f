// The real agent, resumed by what sessfs resume prints for entries of sessions that it
// has written itself: it goes on from there, in the session or in a fork.
// CASES=REGEX chooses some, and VERSIONS="V ..." the agents.

import assert from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isChosen } from "../seeds.mjs";
import { Home, program } from "./agent.mjs";
import { forEach, VERSIONS } from "./compare.mjs";
import { ask } from "./oracle.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { printed, RESUME, shellWith } from "../resumed.mjs";
import { Terminal } from "./tui.mjs";
import { inShort, says } from "./words.mjs";

/** How it is given a fork. */
const FORK = /^\(cd .* && claude --resume .*\.jsonl\S* --fork-session\)$/;

/** A session with two turns, "one" and "two", in a mount. */
class Resumed {
	static async with(home, version, run, { options, place = (file) => file } = {}) {
		const session = new Resumed(home, version);
		await session.turn("one");
		[session.file] = home.transcripts();
		session.id = path.basename(session.file, ".jsonl");
		await session.turn("two", ["--resume", session.id]);
		session.file = place(session.file, session.id);
		// What needs quotes.
		await withScratch((scratch) => Mount.with(session.file, path.join(scratch, "it's a mount"), (mount) => {
			session.mount = mount;
			return run(session);
		}, options));
	}

	constructor(home, version) {
		this.home = home;
		this.version = version;
		this.env = { ...shellWith(home.dir, "claude", program(version)), HOME: home.home };
	}

	async turn(words, args = [], more = {}) {
		const asked = await ask(this.home, args, { version: this.version, prompt: says(words), ...more });
		assert.equal(asked.error, undefined);
		return inShort(asked.messages);
	}

	/** The entry with these words. */
	entry(words) {
		const is = (name) => this.mount.read(`by-id/${name}/content`).toString().startsWith(words);
		return ["HEAD", "tree"].includes(words) ? words : this.mount.list("by-id").findLast(is);
	}

	print(words) {
		return printed(this.mount, this.entry(words), this.env);
	}

	/** Evaluate what is printed for an entry: what was sent before the new prompt. */
	resume(words, next) {
		// oracle.mjs gives a program -p, the arguments, and the prompt.
		const shell = ["sh", "-c", `shift; PROMPT=$3; export PROMPT; ${RESUME}`, "sh"];
		return this.turn(next, [this.entry(words), this.mount.dir], { shell, env: { ...this.env, PRINT: "-p" } });
	}

	/** In the session itself, after `move`. */
	async inSession(words, next, sent, move = "") {
		const files = this.home.transcripts().length;
		assert.equal(this.print(words), `${move}(cd ${this.home.cwd} && claude --resume ${this.id})`);
		assert.equal(await this.resume(words, next), sent);
		assert.equal(this.home.transcripts().length, files);
		assert.match(this.mount.read("HEAD/content").toString(), new RegExp(`^${next.toUpperCase()}`));
	}

	/** In a fork: HEAD stays. */
	async inFork(words, next, sent) {
		const files = this.home.transcripts().length;
		const before = fs.readFileSync(this.file);
		assert.match(this.print(words), FORK);
		assert.equal(await this.resume(words, next), sent);
		assert.equal(this.home.transcripts().length, files + 1);
		assert(before.equals(fs.readFileSync(this.file)));
	}

	/** How HEAD is moved. */
	move(words) {
		const target = words === "tree" ? "tree" : `by-id/${this.entry(words)}`;
		return `ln -sfn ${target} '${this.mount.path("HEAD").replace("'", "'\\''")}' && `;
	}
}

const CHECKS = {
	moved: (home, version) => Resumed.with(home, version, async (session) => {
		await session.inSession("HEAD", "three", "one ONE two TWO");
		await session.inSession("ONE", "four", "one ONE", session.move("ONE"));
		await session.inSession("tree", "five", "", session.move("tree"));
		await session.inSession("FOUR", "six", "one ONE four FOUR", session.move("FOUR"));
	}),
	readOnly: (home, version) => Resumed.with(home, version, async (session) => {
		await session.inFork("ONE", "three", "one ONE");
		await session.inSession("HEAD", "four", "one ONE two TWO");
	}, { options: ["-o", "ro"] }),
	elsewhere: (home, version) => Resumed.with(home, version, async (session) => {
		await session.inFork("HEAD", "three", "one ONE two TWO");
		await session.inFork("ONE", "four", "one ONE");
	}, {
		place(file, id) {
			const moved = path.join(home.dir, `${id}.jsonl`);
			fs.renameSync(file, moved);
			return moved;
		},
	}),
	subagent: (home, version) => Resumed.with(home, version, async (session) => {
		await session.inFork("HEAD", "three", "one ONE two TWO");
		await session.inFork("ONE", "four", "one ONE");
	}, {
		place(file) {
			const folder = path.join(file.replace(/\.jsonl$/, ""), "subagents");
			const moved = path.join(folder, "agent-abc.jsonl");
			fs.mkdirSync(folder, { recursive: true });
			fs.writeFileSync(moved, fs.readFileSync(file, "utf8").replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"abc"'));
			return moved;
		},
	}),
	terminal: (home, version) => Resumed.with(home, version, async (session) => {
		const shell = [`set -- ${session.entry("ONE")} "${session.mount.dir}";`, RESUME];
		await Terminal.with(home, version, [], async (terminal) => {
			await terminal.say(says("three"));
			assert.equal(home.transcripts().length, 2);
			// The fork has the answers of before, so it may not have asked yet.
			const asked = () => terminal.requests.findLast(({ body }) => JSON.stringify(body?.messages ?? "").includes("three"));
			for (let left = 600; !asked(); left--) {
				assert(left > 0, "the model is not asked");
				await sleep(100);
			}
			const { messages } = asked().body;
			assert.match(inShort(messages), /^one .*ONE .*three/);
			assert.doesNotMatch(inShort(messages), /two/);
		}, { shell, env: session.env });
	}, { options: ["-o", "ro"] }),
};

const chosen = VERSIONS.flatMap((version) => Object.keys(CHECKS).filter(isChosen).map((name) => ({ version, name })));
await forEach(chosen, ({ version, name }) => Home.with((home) => CHECKS[name](home, version)).catch((e) => {
	process.exitCode = 1;
	console.error(`interop: VERSIONS=${version} CASES=${name}: ${e.message}`);
}));
console.log(`interop: Claude Code ${VERSIONS.join(" and ")} resumed by what sessfs resume prints, ${chosen.length} cases`);
