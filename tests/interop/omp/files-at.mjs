// The real oh-my-pi at work with its file tools: each entry's files/ are what its folder
// was. Beside prompts there are moves of HEAD, branches, compactions and the user's commands.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Judge, moveHead, Shelf } from "../files-at.mjs";
import { withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { start } from "../server.mjs";
import { linesOf, stepOf, Working } from "../working.mjs";
import { Agent, CLI, NAME } from "./program.mjs";

/** So many agents run at a time. */
const JOBS = 2;
const MODEL = "anthropic/claude-opus-4-5";
/** Of the old and the new text together; then the result of an edit does not hold them. */
const MOST_KEPT = 32768;
/** What read shows of a file. */
const MOST_LINES = 300;
const MOST_COLUMNS = 768;

/** The rows that a hashline patch adds. */
function rows(text) {
	return linesOf(text).map((line) => `+${line.replace(/\r?\n$/, "")}`);
}

class OmpWorking extends Working {
	kinds = { write: 4, edit: 6, read: 5, readPart: 1, outside: 1, long: 0.3, shell: 0.7, fails: 1 };
	/** Of each path the newest tag that the agent has told. */
	tags = new Map();
	/** How edits are spelled. */
	mode = this.random.weighted({ hashline: 5, replace: 2, patch: 1, apply_patch: 1 });

	call(name, input, after) {
		return { name, input, after: (result) => {
			for (const [, file, tag] of result.text.matchAll(/^\[([^\]\n#]+)#([0-9A-F]{4})\]$/gm))
				this.tags.set(path.relative(this.cwd, path.resolve(this.cwd, file)), tag);
			if (!result.failed)
				after?.(result);
			else if (result.text.includes("aborted"))
				this.expectation.all("known").filter((known) => JSON.stringify(input).includes(path.basename(known))).forEach((known) => this.interrupted(known));
		} };
	}

	sleep() {
		return { name: "bash", input: { command: "sleep 60" } };
	}

	goBack(request) {
		super.goBack(request);
		this.tags.clear();
	}

	write(name = this.anyName(), content = this.someText()) {
		return this.call("write", { path: this.spell(name), content }, ({ text }) => {
			// Its lines began as those that read shows.
			text.includes("auto-stripped") ? this.expectation.forget(name) : this.expectation.know(name);
		});
	}

	/** Beside the folder. */
	outside() {
		const { random } = this;
		const file = path.join(this.shelf.others[0], "o.txt");
		return this.call("write", { path: random.pick([file, path.relative(this.cwd, file)]), content: this.someText() }, () => this.expectation.know(path.join("@", file)));
	}

	long() {
		return this.write("long.txt", `${Array.from({ length: this.random.pick([299, 301, 900]) }, (_, i) => `the line ${i} of them`).join("\n")}\n`);
	}

	read() {
		const name = this.file();
		return name && this.call("read", { path: this.spell(name) + this.random.pick(["", "", ":raw"]) }, ({ text }) => {
			const shown = () => {
				const lines = linesOf(this.textOf(name));
				return lines.length <= MOST_LINES && lines.every((line) => line.length < MOST_COLUMNS);
			};
			// With a NUL it is none to it.
			if (!text.startsWith("[Cannot read") && this.alone(name) && this.isText(name) && shown())
				this.expectation.know(name);
		});
	}

	readPart() {
		const name = this.file();
		return name && this.call("read", { path: `${name}:${this.random.pick(["1-2", "3-5", "2-900", "1-900"])}` });
	}

	/** Lines of a file that are changed, as one section of a patch. */
	section(name) {
		const { random } = this;
		const lines = linesOf(this.textOf(name).replace(/\r\n?/g, "\n"));
		const { from, count, after } = this.span(lines.join(""));
		const body = rows(after);
		const [first, last] = [from + 1, Math.max(from + count, 1)];
		const put = body.length > 0 ? random.pick([
			[`PUT ${first}.=${last}:`, ...body], [`PUT ${first}.=${last}:`, ...body], [`PUT <${first}:`, ...body], [`PUT >${last}:`, ...body], ["PUT >$:", ...body],
		]) : [`CUT ${first}.=${last}`];
		const end = random.weighted({ none: 8, move: 1, remove: 1 });
		const to = end === "move" ? this.anyName() : undefined;
		const ops = { none: () => put, move: () => [...random.pick([[], put]), `MV ${to}`], remove: () => ["REM"] }[end]();
		return { name, to, removed: end === "remove", lines: [`[${name}#${this.tags.get(name)}]`, ...ops] };
	}

	/** What is known after a section: the result has the whole text, if it is not long. */
	changed({ name, to, removed }) {
		const is = this.expectation.is(name);
		if (to || removed)
			this.expectation.forget(name);
		if (removed)
			return;
		const at = to ?? name;
		if (this.has(at) && this.textOf(at).length * 2 < MOST_KEPT - 2000)
			this.expectation.know(at);
		else if (is === "known")
			// The last line's end may not be.
			this.expectation.forget(at);
	}

	edit() {
		const edit = { hashline: () => this.hashline(), replace: () => this.replace(), patch: () => this.patch(), apply_patch: () => this.applyPatch() }[this.mode]();
		return edit ?? this.read();
	}

	hashline() {
		const { random } = this;
		const names = random.shuffle([...this.tags.keys()].filter((name) => !name.startsWith("..") && this.has(name) && this.textOf(name) !== ""));
		const sections = names.slice(0, random.chance(0.8) ? 1 : 3).map((name) => this.section(name));
		const lines = sections.flatMap((section) => section.lines);
		const input = random.chance(0.2) ? ["*** Begin Patch", ...lines, "*** End Patch"] : lines;
		return sections.length > 0 ? this.call("edit", { i: "change it", input: input.join("\n") }, () => sections.forEach((section) => this.changed(section))) : undefined;
	}

	/** A file that has lines. */
	lined() {
		const name = this.file();
		return name && this.textOf(name) !== "" ? name : undefined;
	}

	replace() {
		const { random } = this;
		const name = this.lined();
		if (!name)
			return undefined;
		const { before, after } = this.span(this.textOf(name).replace(/\r\n?/g, "\n"));
		return this.call("edit", { path: this.spell(name), old_string: before, new_string: after, ...random.pick([{}, { replace_all: true }]) }, () => this.changed({ name }));
	}

	/** The rows of a diff for one change of a file. */
	diff(name) {
		const { before, after } = this.span(this.textOf(name).replace(/\r\n?/g, "\n"));
		return ["@@", ...rows(before).map((row) => row.replace("+", "-")), ...rows(after)];
	}

	patch() {
		const { random } = this;
		const name = this.lined();
		const to = random.chance(0.2) ? this.anyName() : undefined;
		const made = this.anyName();
		const one = (at, edit, changed) => this.call("edit", { path: this.spell(at), edits: [edit] }, () => this.changed(changed));
		return random.weighted({ update: 4, create: 1, remove: 1 }) === "create" || !name ? one(made, { op: "create", diff: this.someText() }, { name: made })
			: random.chance(0.15) ? one(name, { op: "delete" }, { name, removed: true })
				: one(name, { op: "update", diff: this.diff(name).join("\n"), ...(to ? { rename: to } : {}) }, { name, to });
	}

	applyPatch() {
		const { random } = this;
		const name = this.lined();
		const [to, made] = [random.chance(0.2) ? this.anyName() : undefined, this.anyName()];
		const hunks = [{ lines: [`*** Add File: ${made}`, ...rows(this.someText())], name: made }];
		if (name && name !== made) {
			hunks.push({ lines: [`*** Delete File: ${name}`], name, removed: true });
			hunks.push({ lines: [`*** Update File: ${name}`, ...(to ? [`*** Move to: ${to}`] : []), ...this.diff(name)], name, to });
		}
		const chosen = random.chance(0.2) ? [hunks[0], ...hunks.slice(2)] : [hunks.at(random.weighted({ "-1": 6, 0: 2, 1: 1 })) ?? hunks[0]];
		const input = ["*** Begin Patch", ...chosen.flatMap(({ lines }) => lines), "*** End Patch"].join("\n");
		return this.call("edit", { input }, () => chosen.forEach((hunk) => this.changed(hunk)));
	}

	/** Nobody sees what it does. */
	shell() {
		const name = this.file() ?? "a.txt";
		const command = this.random.pick([`echo shell >>'${name}'`, `rm -f '${name}'`, `printf 'by shell' >'${name}'`, "true"]);
		return this.call("bash", { command }, () => command !== "true" && this.expectation.loosen(name));
	}

	fails() {
		const name = this.file() ?? "a.txt";
		return this.random.pick([
			() => this.call("read", { path: "none.txt" }),
			() => this.call("edit", { i: "x", input: `[${name}#0000]\nPUT 1.=1:\n+x` }),
			() => this.call("edit", { i: "x", input: "[none.txt#0000]\nPUT 1.=1:\n+x" }),
			() => this.call("edit", { path: name, old_string: "a", new_string: "b" }),
			() => this.call("write", { path: ".", content: "x" }),
			() => this.call("write", { file_path: name, content: "x" }),
			() => this.call("nosuchtool", { path: name }),
		])();
	}
}

class Life {
	constructor(home, random, working, env) {
		Object.assign(this, { home, random, working, env, files: [] });
	}

	/** With the agent, in the session or in a new one. */
	async with(run) {
		const args = this.file ? ["--resume", this.file] : [];
		const agent = new Agent([process.execPath, CLI, "--mode", "rpc", "--model", MODEL, ...args], this.working.cwd, this.env);
		try {
			await run(agent);
			this.file = (await agent.ask("get_state")).sessionFile;
		} finally {
			agent.child.stdin.end();
			await agent.gone;
		}
		if (!this.files.includes(this.file))
			this.files.push(this.file);
	}

	async say(agent, message, meanwhile) {
		const settled = new Promise((resolve) => {
			const look = (line) => {
				if (JSON.parse(line).type !== "agent_end")
					return;
				agent.said.off("line", look);
				resolve();
			};
			agent.said.on("line", look);
		});
		await agent.ask("prompt", { message });
		await meanwhile?.();
		await settled;
	}

	interrupt(agent) {
		const { random, working } = this;
		const begun = working.slowly();
		return this.say(agent, working.ask(), async () => {
			await begun;
			await sleep(random.int(300));
			await agent.ask("abort");
		});
	}

	/** So many prompts, with what a user may do between them. */
	async talk(agent) {
		const { random, working } = this;
		for (let n = 1 + random.int(3); n > 0; n--) {
			await (random.chance(0.1) ? this.interrupt(agent) : this.say(agent, working.ask()));
			// What interrupted calls have done is told with the next prompt.
			if (working.pending.length > 0)
				continue;
			if (random.chance(0.1))
				await this.shell(agent);
			if (random.chance(0.1))
				await agent.ask("compact").catch(() => {});
		}
	}

	async shell(agent) {
		const name = this.working.file() ?? "a.txt";
		await agent.ask("bash", { command: `echo user >>'${name}'` });
		this.working.expectation.loosen(name);
	}

	/** As the agent itself has it, from before one of the prompts. */
	async branch() {
		await this.with(async (agent) => {
			const { messages } = await agent.ask("get_branch_messages");
			const { requests } = this.working.shelf;
			const found = messages.map(({ entryId, text }) => ({ entryId, request: requests.find(({ calls, prompt }) => calls.length === 0 && prompt === text) }));
			const { entryId, request } = this.random.pick(found.filter((one) => one.request));
			await agent.ask("branch", { entryId });
			this.working.goBack(request);
			await this.talk(agent);
		});
	}

	/** To an entry at which the model was asked, through the mount. */
	async move() {
		const { random, working } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length > 0));
		if (!request || !await moveHead(this.file, path.join(this.home, "mnt"), request))
			return;
		working.goBack(request);
		await this.with((agent) => this.talk(agent));
	}
}

async function live(scratch, seed, judge) {
	const random = new Random(seed);
	const home = fs.mkdtempSync(path.join(scratch, "h-"));
	const [cwd, outside] = ["work", "out"].map((name) => path.join(home, name));
	fs.mkdirSync(cwd);
	fs.mkdirSync(outside);
	const working = new OmpWorking(random, `${seed}`, new Shelf(cwd, path.join(home, "copies"), [outside]), { odd: ["a\rb", "nul \0 byte", "half \ud83d"] });
	// It asks for titles, too, without tools.
	let works = false;
	const server = await start(({ body }) => { works = Boolean(body?.tools?.some(({ name }) => name === "edit")); }, (messages) => (works ? stepOf(working, messages) : "ok"));
	const env = { PATH: process.env.PATH, HOME: home, SHELL: "/bin/sh", LC_ALL: "C.UTF-8", PI_EDIT_VARIANT: working.mode, ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}` };
	const life = new Life(home, random, working, env);
	try {
		await life.with((agent) => life.talk(agent));
		for (let n = random.int(4); n > 0; n--)
			await life[random.pick(["move", "move", "branch"])]();
	} finally {
		server.close();
	}
	working.check();
	await judge.session(seed, life.files, working.shelf.requests);
}

const judge = new Judge(NAME);
await withScratch(async (scratch) => {
	await forEachSeed((seed) => live(scratch, seed, judge), (n) => `${n} sessions of ${judge.table()}`, { jobs: JOBS });
});
