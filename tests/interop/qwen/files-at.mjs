// The real Qwen Code at work with its file tools: each entry's files/ are what its folder
// was. It is rewound by its own means, with its files or without, and loaded again where
// HEAD was moved.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Judge, moveHead, Shelf } from "../files-at.mjs";
import { withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { checkRestored, FileWorking, isMarked, isText, withCalls } from "../working.mjs";
import { Agent, JOBS, VERSION } from "./agent.mjs";

/** Of longer texts, the result of an edit has only parts. */
const MOST_KEPT = 16_000;
const ODD = ["it's \"plain\"", "$& $1 $$", "a - b", "a\rb", "---", "... [truncated]", "\u0001\u007f", "nul \0 byte", "half \ud83d", "tab\t", "\u3000wide\u3000"];

/** How a result begins if its call has done something. */
const DONE = { write_file: /^Successfully (created|overwrote)/, edit: /^(The file: |Created new file: )/, read_file: /^(?!Could not read|\[File |Showing lines )/, notebook_edit: /^Notebook / };

class QwenWorking extends FileWorking {
	tools = { write: "write_file", edit: "edit", read: "read_file", notebook: "notebook_edit" };
	misspelt = [
		(text) => text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, "\"").replaceAll("–", "-").replaceAll("\u00a0", " "),
		(text) => text.replaceAll(/[ \t]+$/gm, ""),
		(text) => text.replaceAll(/$/gm, "  "),
		(text) => `${text}\n`,
		(text) => `${text}\n\n`,
		() => "not there",
	];

	/** The requests of prompts on the way. */
	way = [];

	/** What it has read or written: others it does not change. */
	seen = new Set();

	call(name, input, after) {
		return {
			name, input, after: ({ text }) => {
				if (!(DONE[name] ?? /^Command: /).test(text))
					return;
				this.seen.add(input.file_path);
				after?.();
			},
		};
	}

	running(command, after) {
		return this.call("run_shell_command", { command, is_background: false }, after);
	}

	longest() {
		return 1800;
	}

	isToldByRead(bytes) {
		return !/[^\S\n]$|[^\S\n]\n/.test(bytes) && !isMarked(bytes) && isText(bytes);
	}

	isToldByEdit(bytes) {
		return bytes.length < MOST_KEPT && !bytes.includes("\r\n") && !isMarked(bytes) && isText(bytes);
	}

	/** Most models know that what they change is to be read first. */
	readFirst(call) {
		const { file_path: file } = call?.input ?? {};
		const name = file && path.relative(this.cwd, file);
		return file && this.has(name) && !this.seen.has(file) && this.random.chance(0.9) ? this.read(name) : call;
	}

	edit() {
		return this.readFirst(super.edit());
	}

	/** A mark of the byte order stays, and another encoding may, and no result has it. */
	write(name = this.anyName(), content = this.someText()) {
		const keepsMore = this.has(name) && (isMarked(this.bytes(name)) || !isText(this.bytes(name)));
		return this.readFirst(this.writing(this.full(name), content, () => {
			if (this.expectation.is(name) !== "known")
				this.expectation[keepsMore ? "loosen" : "know"](name);
		}));
	}

	goBack(request) {
		super.goBack(request);
		this.way = [...request.way];
	}

	/** What the model says to a request: others, such as for a title, have no tools. */
	step({ messages, tools }) {
		const isResult = ({ role }) => role === "tool";
		const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join(""));
		const last = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
		const results = new Map(last.filter(isResult).map((message) => [message.tool_call_id, { text: textOf(message.content) }]));
		const mine = this.pending.length > 0 ? this.pending.some(({ id }) => results.has(id)) : last.some(({ content }) => textOf(content).includes(this.prompt));
		if (!mine || !tools?.length)
			return "side";
		const isPrompt = this.pending.length === 0;
		const calls = this.answer(results);
		const request = this.shelf.requests.at(-1);
		Object.assign(request, { way: [...this.way], answer: calls });
		if (isPrompt)
			this.way.push(request);
		return calls.length > 0 ? calls : "done";
	}
}

class Life {
	constructor(folder, random, working) {
		Object.assign(this, { folder, random, working, restored: 0 });
	}

	async begin() {
		this.agent = await Agent.start(this.folder);
		this.agent.answer = (body) => this.working.step(body);
		this.working.seen.clear();
	}

	get file() {
		return this.agent.file(this.id);
	}

	records() {
		return fs.readFileSync(this.file, "utf8").split("\n").filter((line) => line).map((line) => JSON.parse(line));
	}

	async create() {
		({ sessionId: this.id } = await this.agent.ask("session/new", { cwd: this.agent.cwd, mcpServers: [] }));
	}

	/** So many prompts, with what a user may do between them. */
	async talk() {
		const { random, working } = this;
		for (let n = 1 + random.int(3); n > 0; n--) {
			await this.agent.ask("session/prompt", { sessionId: this.id, prompt: [{ type: "text", text: working.ask() }] });
			working.meddle();
		}
	}

	/** Before a prompt, whose files the agent itself may restore. */
	async rewind() {
		const { random, working } = this;
		const request = random.pick(working.way);
		const turn = working.way.indexOf(request);
		const rewindFiles = random.chance(0.6);
		const { filesFailed } = await this.agent.ask("rewindSession", { sessionId: this.id, targetTurnIndex: turn, promptId: this.promptId(request), rewindFiles });
		if (rewindFiles && filesFailed.length === 0) {
			checkRestored(working, request);
			this.restored++;
		}
		working.goBack(request);
		await this.talk();
	}

	/** What the agent's snapshot of a prompt's files is called. */
	promptId({ prompt }) {
		const records = this.records();
		const { uuid } = records.find((record) => record.type === "user" && JSON.stringify(record.message).includes(prompt));
		return records.find(({ subtype, parentUuid }) => subtype === "file_history_snapshot" && parentUuid === uuid).systemPayload.snapshots.at(-1).promptId;
	}

	/** To where the model was asked, with the results of calls. */
	async jump() {
		const { random, working } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length > 0));
		if (!request)
			return;
		await this.end();
		await moveHead(this.file, path.join(this.folder, "mnt"), request);
		await this.begin();
		await this.agent.ask("session/load", { sessionId: this.id, cwd: this.agent.cwd, mcpServers: [] });
		working.goBack(request);
		await this.talk();
	}

	/** Its last lines come late. */
	async end() {
		if (this.agent.child.exitCode !== null || this.agent.child.signalCode !== null)
			return;
		for (let size = -1; size !== fs.statSync(this.file).size; await sleep(300))
			({ size } = fs.statSync(this.file));
		await this.agent.stop();
	}
}

async function live(scratch, seed, judge) {
	const random = new Random(seed);
	const [outside, cwd] = ["out", "work"].map((name) => path.join(scratch, name));
	for (const folder of [outside, cwd])
		fs.mkdirSync(folder);
	const working = new QwenWorking(random, `${seed}`, new Shelf(cwd, path.join(scratch, "copies"), [outside]), { odd: ODD });
	const life = new Life(scratch, random, working);
	await life.begin();
	try {
		await life.create();
		await life.talk();
		for (let n = random.int(4); n > 0; n--)
			await life[random.pick(["rewind", "rewind", "jump"])]();
	} finally {
		await life.end();
	}
	working.check();
	await judge.session(seed, [life.file], withCalls(working.shelf.requests));
	return life.restored;
}

const judge = new Judge(`Qwen Code ${VERSION}`);
let restored = 0;
await forEachSeed((seed) => withScratch(async (scratch) => {
	const n = await live(scratch, seed, judge);
	restored += n;
}), (n) => `${n} sessions of ${judge.table()}\n  ${restored} restored by the agent itself`, { jobs: JOBS });
