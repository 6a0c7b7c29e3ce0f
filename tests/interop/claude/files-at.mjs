// The real Claude Code at work with its file tools: each entry's files/ are what its folder
// was. It runs with -p, several prompts a process, and goes on from where it was rewound to:
// by its own option, or where HEAD was moved. The files there are put back by the judge, or
// by the agent itself, as its SDK asks for that, and then they are to be the same.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { Judge, moveHead, Shelf } from "../files-at.mjs";
import { Mount } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { eachLine } from "../said.mjs";
import { start } from "../server.mjs";
import { checkRestored, FileWorking, isMarked, isText, stepOf, withCalls } from "../working.mjs";
import { Home, linesOf, NAME, PROGRAM } from "./agent.mjs";
import { STREAM, typed } from "./steps.mjs";

/** Of longer texts, the result of an edit does not have what was there before. */
const MOST_KEPT = 10_000;
const ODD = ["it's \"plain\"", "$& $1 $$", "a\\u00e9b", "a\rb", "12\tnumbered", "</system-reminder>", "\u0001\u007f", "nul \0 byte", "half \ud83d", "tab\t"];

class ClaudeWorking extends FileWorking {
	tools = { write: "Write", edit: "Edit", read: "Read", notebook: "NotebookEdit" };
	misspelt = [
		(text) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, "\""),
		(text) => text.replaceAll(/[ \t]+$/gm, ""),
		(text) => text.replaceAll(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
		(text) => `${text}\n`,
		() => "not there",
	];

	/** Its members have other names, too. */
	call(name, input, after) {
		const { file_path: file, content, old_string: before, new_string: now, ...rest } = input;
		const others = { Write: { path: file, file_text: content }, Edit: { file_path: file, old_str: before, new_str: now, ...rest } }[name];
		const isOdd = this.random.chance(0.05) && others && !Object.values(others).includes(undefined);
		return { name, input: isOdd ? others : input, after: (result) => !result.failed && after?.(result) };
	}

	running(command, after) {
		return this.call("Bash", { command, description: "d" }, after);
	}

	longest() {
		return 600;
	}

	isToldByRead(bytes) {
		return !bytes.includes("\r\n") && !isMarked(bytes) && isText(bytes);
	}

	isToldByEdit(bytes) {
		return bytes.length < MOST_KEPT && !bytes.includes("\r\n") && isText(bytes);
	}

	answer(results) {
		const calls = super.answer(results);
		this.shelf.requests.at(-1).answer = calls;
		return calls;
	}
}

/** The agent, in a process for some prompts. */
class Agent {
	constructor(home, port, env) {
		Object.assign(this, { home, port, env, args: [], child: undefined });
	}

	begin() {
		const env = { ...this.home.env(this.port), ...this.env };
		this.child = spawn(PROGRAM, ["-p", ...STREAM, "--dangerously-skip-permissions", ...this.args], { cwd: this.home.cwd, env, stdio: ["pipe", "pipe", "inherit"] });
		this.ended = once(this.child, "close");
		eachLine(this.child.stdout, (line) => {
			const said = JSON.parse(line);
			if (said.type === this.awaited)
				this.hear(said);
		});
		this.child.on("close", () => this.hear?.({ type: "closed" }));
	}

	/** Write a line, and wait for what it says of a type. */
	async ask(line, type) {
		if (!this.child)
			this.begin();
		this.awaited = type;
		const heard = new Promise((done) => { this.hear = done; });
		this.child.stdin.write(line);
		const said = await heard;
		if (said.type !== type)
			throw new Error("the agent ended");
		return said;
	}

	say(words) {
		return this.ask(typed(words), "result");
	}

	/** Has it restored the files that a prompt's turn began with? */
	async restore(prompt) {
		const request = { subtype: "rewind_files", user_message_id: prompt };
		const { response } = await this.ask(`${JSON.stringify({ type: "control_request", request_id: "r", request })}\n`, "control_response");
		return response.subtype === "success";
	}

	async end() {
		this.child?.stdin.end();
		await this.ended;
		this.child = undefined;
	}
}

class Life {
	constructor(home, random, working, agent) {
		Object.assign(this, { home, random, working, agent, restored: 0 });
		this.keepsFiles = Boolean(agent.env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING);
	}

	get file() {
		return this.home.transcripts()[0];
	}

	/** So many prompts, with what a user may do between them. */
	async talk() {
		const { random, working } = this;
		for (let n = 1 + random.int(3); n > 0; n--) {
			await this.agent.say(working.ask());
			working.meddle();
		}
	}

	/** The line that has these words first, or the last with a call. */
	lineOf({ calls, prompt }) {
		const lines = linesOf(fs.readFileSync(this.file)).filter(({ uuid }) => uuid);
		const ids = calls.map((id) => JSON.stringify(id));
		return calls.length > 0 ? lines.findLast((line) => ids.some((id) => JSON.stringify(line).includes(id))) : lines.find((line) => JSON.stringify(line).includes(prompt));
	}

	/** Before a prompt, whose files the agent itself may restore. */
	async rewind() {
		const { random, working, agent } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length === 0));
		const prompt = this.lineOf(request);
		// It has no snapshots of a branch that it has left.
		if (this.keepsFiles && random.chance(0.6) && await agent.restore(prompt.uuid)) {
			checkRestored(working, request);
			this.restored++;
		}
		await agent.end();
		const answer = this.answerBefore(prompt);
		if (answer && this.isOnWay(answer) && random.chance(0.8))
			agent.args = ["--resume", path.basename(this.file, ".jsonl"), "--resume-session-at", answer.uuid];
		else
			await this.move(answer ? `by-id/${answer.uuid}` : "tree");
		working.goBack(request);
		await this.talk();
	}

	/** The lines before one, the nearest first. */
	*before(line) {
		const byId = new Map(linesOf(fs.readFileSync(this.file)).map((one) => [one.uuid, one]));
		for (let one = byId.get(line.parentUuid); one; one = byId.get(one.parentUuid))
			yield one;
	}

	answerBefore(prompt) {
		for (const line of this.before(prompt)) {
			if (line.type === "assistant")
				return line;
		}
		return undefined;
	}

	/** Does the agent, as it is, find a line to go back to? */
	isOnWay({ uuid }) {
		return [...this.before(this.lineOf(this.working.shelf.requests.at(-1)))].some((line) => line.uuid === uuid);
	}

	/** To where the model was asked, with the results of calls. */
	async jump() {
		const { random, working } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length > 0));
		if (!request)
			return;
		await this.agent.end();
		await moveHead(this.file, path.join(this.home.dir, "mnt"), request);
		this.agent.args = ["--resume", path.basename(this.file, ".jsonl")];
		working.goBack(request);
		await this.talk();
	}

	async move(target) {
		await Mount.with(this.file, path.join(this.home.dir, "mnt"), (mount) => {
			fs.symlinkSync(target, mount.path("new-head"));
			fs.renameSync(mount.path("new-head"), mount.path("HEAD"));
		});
		this.agent.args = ["--resume", path.basename(this.file, ".jsonl")];
	}
}

async function live(home, seed, judge) {
	const random = new Random(seed);
	const outside = path.join(home.dir, "out");
	fs.mkdirSync(outside);
	const working = new ClaudeWorking(random, `${seed}`, new Shelf(home.cwd, path.join(home.dir, "copies"), [outside]), { odd: ODD });
	const server = await start(() => {}, (messages) => stepOf(working, messages));
	const agent = new Agent(home, server.port, random.chance(0.6) ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "1" } : {});
	const life = new Life(home, random, working, agent);
	try {
		await life.talk();
		for (let n = random.int(4); n > 0; n--)
			await life[random.pick(["rewind", "rewind", "jump"])]();
	} finally {
		await agent.end();
		server.close();
	}
	working.check();
	await judge.session(seed, [life.file], withCalls(working.shelf.requests));
	return life.restored;
}

const judge = new Judge(NAME);
let restored = 0;
await forEachSeed((seed) => Home.with(async (home) => {
	const n = await live(home, seed, judge);
	restored += n;
}), (n) => `${n} sessions of ${judge.table()}\n  ${restored} restored by the agent itself`);
