// The real Codex at work with patches and commands: each entry's files/ are what its folder
// was. Beside prompts there are forks, reverts, restarts and the user's commands.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Judge, Shelf } from "../files-at.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { linesOf, Working } from "../working.mjs";
import { Home, JOBS, says, VERSION } from "./agent.mjs";
import { Refused } from "./app-server.mjs";
import { Threads } from "./threads.mjs";

/** One that is offered apply_patch. */
const MODEL = "gpt-5.5";
/** What an event keeps of a command's output. */
const MOST_OUTPUT = 65536;

/** Lines as a patch has them. */
function plain(text) {
	return linesOf(text).map((line) => line.replace(/\r?\n$/, ""));
}

class CodexWorking extends Working {
	kinds = { patch: 8, cat: 4, look: 1, outside: 1, shell: 0.7, long: 0.2, fails: 1 };

	command(cmd, after, more) {
		const input = JSON.stringify({ cmd, ...more });
		return { name: "exec_command", input, after: ({ text }) => text.includes("Process exited with code 0") && after?.() };
	}

	running(cmd, after) {
		return this.command(cmd, after);
	}

	/** A patch of these hunks, each with what it does to what is known. */
	patched(hunks) {
		const { random } = this;
		const patch = ["*** Begin Patch", ...hunks.flatMap(({ lines }) => lines), "*** End Patch"].join("\n");
		const after = ({ text }) => {
			const done = text.includes("Exit code: 0");
			// It may have stopped between the hunks.
			const begun = !text.startsWith("apply_patch verification failed");
			for (const { names, after: known } of hunks)
				done ? known() : begun && names.forEach((name) => this.interrupted(name));
		};
		if (random.chance(0.7))
			return { name: "apply_patch", custom: true, input: patch, after };
		const [program, end] = [random.pick(["apply_patch", "apply_patch", "applypatch"]), random.pick(["'EOF'", "EOF"])];
		const cd = random.chance(0.2) && fs.existsSync(path.join(this.cwd, "src"));
		const cmd = `${program} <<${end}\n${cd ? patch.replace(/^(\*\*\* (?:Add|Delete|Update) File: |\*\*\* Move to: )(?!\/)/gm, "$1../") : patch}\nEOF`;
		const how = cd ? random.pick([{ cmd: `cd src && ${cmd}` }, { cmd, workdir: "src" }]) : { cmd };
		return { name: "exec_command", input: JSON.stringify(how), after };
	}

	patch() {
		const { random } = this;
		const hunks = Array.from({ length: random.chance(0.7) ? 1 : 1 + random.int(3) }, () => this[random.weighted({ add: 4, update: 8, remove: 1 })]());
		return this.patched(hunks.filter((hunk) => hunk));
	}

	add(name = this.anyName(), text = this.someText()) {
		return { lines: [`*** Add File: ${this.spell(name)}`, ...plain(text).map((line) => `+${line}`)], names: [name], after: () => this.expectation.know(name) };
	}

	remove() {
		const name = this.file();
		return name && { lines: [`*** Delete File: ${this.spell(name)}`], names: [name], after: () => this.expectation.forget(name) };
	}

	/** As a model may have it. */
	asTyped(line) {
		const { random } = this;
		const ascii = (text) => text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replaceAll("–", "-").replaceAll("\u00a0", " ");
		return { same: (text) => text, end: (text) => text.trimEnd(), both: (text) => text.trim(), ascii }[random.weighted({ same: 6, end: 1, both: 1, ascii: 1 })](line);
	}

	/** From a line on: its lines, and how many of the file it is of. */
	chunk(lines, from) {
		const { random } = this;
		const { from: at, count, after } = this.span(lines.slice(from).map((line) => `${line}\n`).join(""));
		const begin = from + at;
		const end = begin + count;
		const context = { before: Math.min(begin - from, random.int(3)), after: Math.min(lines.length - end, random.int(3)) };
		const kept = (some) => some.map((line) => ` ${this.asTyped(line)}`);
		const head = random.weighted({ none: 6, context: 2, only: 1 });
		const heading = head !== "none" && begin - context.before > from ? `@@ ${this.asTyped(lines[from + random.int(begin - context.before - from)])}` : "@@";
		const body = head === "only" ? plain(after).map((line) => `+${line}`) : [
			...kept(lines.slice(begin - context.before, begin)), ...lines.slice(begin, end).map((line) => `-${this.asTyped(line)}`),
			...plain(after).map((line) => `+${line}`), ...kept(lines.slice(end, end + context.after)),
		];
		if (end + context.after === lines.length && random.chance(0.3))
			body.push("*** End of File");
		return { lines: [heading, ...body], end: end + context.after };
	}

	update() {
		const { random } = this;
		const name = this.file();
		if (!name)
			return undefined;
		const lines = plain(this.textOf(name));
		const chunks = [];
		for (let from = 0, n = 1 + random.int(3); n > 0 && from < lines.length; n--) {
			const chunk = this.chunk(lines, from);
			chunks.push(...chunk.lines);
			from = chunk.end;
		}
		if (chunks.length === 0)
			chunks.push("@@", "+first");
		const to = random.chance(0.2) ? random.weighted({ other: 4, same: 1 }) === "same" ? name : this.anyName() : undefined;
		return {
			lines: [`*** Update File: ${this.spell(name)}`, ...(to ? [`*** Move to: ${this.spell(to)}`] : []), ...chunks],
			names: [name, ...(to ? [to] : [])],
			after: () => to && this.move(name, to),
		};
	}

	move(name, to) {
		const is = this.expectation.is(name);
		this.expectation.forget(name);
		this.expectation.forget(to);
		if (to !== name && is !== "open")
			is === "known" ? this.expectation.know(to) : this.expectation.loosen(to);
	}

	/** Beside the folder. */
	outside() {
		const file = path.join(this.shelf.others[0], "o.txt");
		const hunk = this.add(path.relative(this.cwd, file));
		return this.patched([{ ...hunk, names: [], after: () => this.expectation.know(path.join("@", file)) }]);
	}

	long() {
		return this.patched([this.add("long.txt", "a line of some length\n".repeat(this.random.pick([2900, 3100])))]);
	}

	cat() {
		const name = this.file();
		const known = () => {
			if (this.alone(name) && this.isText(name) && fs.statSync(path.join(this.cwd, name)).size < MOST_OUTPUT)
				this.expectation.know(name);
		};
		return name && this.command(`cat ${this.random.pick(["", "-- "])}'${name}'`, known);
	}

	/** What is not the whole of a file, or not as it is. */
	look() {
		const { random } = this;
		const name = this.file();
		return name && random.pick([
			() => this.command(`sed -n 1,3p '${name}'`), () => this.command(`nl -ba '${name}'`), () => this.command(`cat '${name}' '${this.file()}'`),
			() => this.command(`cat -n '${name}'`), () => this.command(`cat '${name}'`, undefined, { tty: true }), () => this.command(`head -n 2 '${name}'`),
		])();
	}

	fails() {
		const name = this.file() ?? "a.txt";
		const none = { lines: ["*** Update File: none.txt", "@@", "-a", "+b"], names: [] };
		return this.random.pick([
			() => this.patched([none]),
			() => this.patched([this.add(), none]),
			() => this.patched([{ lines: [`*** Update File: ${name}`, "@@", "-not there", "+b"], names: [] }]),
			() => this.patched([{ lines: ["*** Delete File: none.txt"], names: [] }]),
			() => this.patched([this.add(), { lines: ["*** Add File: .", "+x"], names: [], after: () => {} }]),
			() => ({ name: "apply_patch", custom: true, input: "no patch" }),
			() => this.command(`true; apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch\nEOF`),
			() => this.command("cat none.txt"),
		])();
	}
}

/** The results of calls that a request ends with. */
function results(input) {
	const outputs = input.filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output");
	const textOf = (output) => (typeof output === "string" ? output : output.map(({ text }) => text ?? "").join(""));
	return new Map(outputs.map(({ call_id, output }) => [call_id, { text: textOf(output) }]));
}

class Life extends Threads {
	constructor(home, working) {
		super(home, working.random);
		this.working = working;
	}

	answer({ input }) {
		const { working } = this;
		const got = results(input);
		const last = input.at(-1);
		const prompted = last.role === "user" && JSON.stringify(last).includes(working.prompt);
		const mine = prompted || (got.has(last.call_id) && working.pending.some(({ id }) => got.has(id)));
		const calls = mine ? working.answer(got, prompted) : [];
		return calls.length === 0 ? [says("done")] : calls.map(({ id: call_id, name, input: text, custom }) => (custom
			? { type: "custom_tool_call", name, input: text, call_id } : { type: "function_call", name, arguments: text, call_id }));
	}

	async start() {
		await this.talk(await this.create({ model: MODEL }));
	}

	/** So many prompts, with what a user may do between them. */
	async talk(thread) {
		const { random, working } = this;
		const server = await this.server(thread);
		for (let n = 1 + random.int(3); n > 0; n--) {
			const { requests } = working.shelf;
			const from = requests.length;
			const { id } = await (random.chance(0.1) ? this.interrupt(server, thread) : server.say(thread.id, this.input(), { model: MODEL }));
			working.doubt();
			thread.turns.push({ id, before: requests[from], after: working.shelf.copy(working.expectation) });
			// What interrupted calls have done is told with the next prompt.
			if (working.pending.length === 0 && random.chance(0.1))
				await this.shell(server, thread);
		}
	}

	input() {
		return [{ type: "text", text: this.working.ask() }];
	}

	async interrupt(server, thread) {
		const { random, working } = this;
		const begun = working.slowly();
		let started;
		const ended = server.turn(thread.id, async () => {
			started = await server.call("turn/start", { threadId: thread.id, input: this.input(), model: MODEL });
		});
		await begun;
		await sleep(50 + random.int(300));
		await server.call("turn/interrupt", { threadId: thread.id, turnId: started.turn.id });
		return ended;
	}

	async shell(server, thread) {
		const name = this.working.file() ?? "a.txt";
		await server.turn(thread.id, () => server.call("thread/shellCommand", { threadId: thread.id, command: `echo user >>'${name}'` }));
		this.working.expectation.loosen(name);
	}

	async fork(thread) {
		const forked = await this.forkAfter(thread, 1 + this.random.int(thread.turns.length));
		this.working.goBack(forked.turns.at(-1).after);
		await this.talk(forked);
	}

	async revert(thread) {
		this.working.goBack((await this.revertTo(thread, this.random.int(thread.turns.length))).before);
		await this.talk(thread);
	}

	/** Not everything that it has begun need be in its files. */
	async restart(thread) {
		await this.stop();
		this.working.goBack(thread.turns.at(-1).after);
		await this.talk(thread);
	}
}

async function live(seed, judge) {
	const random = new Random(seed);
	await Home.with(async (home) => {
		const outside = path.join(home.dir, "out");
		fs.mkdirSync(outside);
		const working = new CodexWorking(random, `${seed}`, new Shelf(home.cwd, path.join(home.dir, "copies"), [outside]), { odd: ["a\rb", "nul \0 byte"] });
		const life = new Life(home, working);
		home.answer = (body) => life.answer(body);
		await life.start();
		try {
			for (let n = random.int(4); n > 0; n--)
				await life[random.pick(["fork", "revert", "restart"])](random.pick(life.threads));
		} catch (e) {
			// It may still write an interrupted turn, and does no more for the thread then.
			if (!(e instanceof Refused))
				throw e;
		}
		await home.stopAgent();
		working.check();
		await judge.session(seed, home.rollouts(), working.shelf.requests);
	});
}

const judge = new Judge(`Codex ${VERSION}`);
await forEachSeed((seed) => live(seed, judge), (n) => `${n} sessions of ${judge.table()}`, { jobs: JOBS });
