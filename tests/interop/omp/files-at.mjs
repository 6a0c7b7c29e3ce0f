// The real oh-my-pi at work with its file tools: each entry's files/ are what its folder
// was. Beside prompts there are moves of HEAD, branches, compactions and the user's commands.

import fs from "node:fs";
import path from "node:path";
import { Judge, Shelf } from "../files-at.mjs";
import { withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { Life } from "../rpc-life.mjs";
import { forEachSeed } from "../seeds.mjs";
import { start } from "../server.mjs";
import { linesOf, stepOf, Working } from "../working.mjs";
import { Agent, envOf, NAME, PLAYED } from "./program.mjs";

/** So many agents run at a time. */
const JOBS = 2;
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
	mode = this.random.weighted({ hashline: 5, replace: 2, patch: 1, apply_patch: 1, sloppy: 1 });

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

	goBack(request) {
		super.goBack(request);
		this.tags.clear();
	}

	writing(file, content, after) {
		return this.call("write", { path: file, content }, after);
	}

	running(command, after) {
		return this.call("bash", { command }, after);
	}

	write(name = this.anyName(), content = this.someText()) {
		return this.call("write", { path: this.spell(name), content }, ({ text }) => {
			// Its lines began as those that read shows.
			text.includes("auto-stripped") ? this.expectation.forget(name) : this.expectation.know(name);
		});
	}

	longest() {
		return this.random.pick([299, 301, 900]);
	}

	read() {
		const name = this.file();
		return name && this.call("read", { path: this.spell(name) + this.random.pick(["", "", ":raw"]) }, ({ text }) => {
			const shown = () => {
				const lines = linesOf(this.textOf(name));
				return lines.length <= MOST_LINES && lines.every((line) => line.length < MOST_COLUMNS);
			};
			// With a NUL it is none to it, and a mark of byte order alone is not shown.
			if (!text.startsWith("[Cannot read") && this.alone(name) && this.isText(name) && this.textOf(name) !== "\ufeff" && shown())
				this.expectation.know(name);
		});
	}

	readPart() {
		const name = this.file();
		return name && this.call("read", { path: `${name}:${this.random.pick(["1-2", "3-5", "2-900", "1-900", "1-1,3-900", "1-2,4-900", "1-2,6-9"])}` });
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
		const edit = {
			hashline: () => this.hashline(), replace: () => this.replace(), patch: () => this.patch(), apply_patch: () => this.applyPatch(), sloppy: () => this.sloppy(),
		}[this.mode]();
		return edit ?? this.read();
	}

	/** Since 18.3.0 the heads are "*** Edit File: PATH" and so on, in a library that npm does not have. */
	sloppy() {
		const { random } = this;
		const names = [...new Set([this.lined(), this.lined()])].filter(Boolean).slice(0, random.chance(0.7) ? 1 : 2);
		const edits = (name) => random.some(2, () => {
			const { before, after } = this.span(this.textOf(name).replace(/\r\n?/g, "\n"));
			const rowsOf = (text) => linesOf(text).map((line) => line.replace(/\n$/, ""));
			return ["*** SM:FIND", ...rowsOf(before), random.pick(["*** SM:PUT", "*** SM:PUT", "*** SM:AFTER"]), ...rowsOf(after)];
		});
		const head = (name) => `*** SM:EDIT ${random.pick([name, name, `"${name}"`])}${random.pick(["", "", " all"])}`;
		const lines = names.flatMap((name) => edits(name).flatMap((edit, i) => [...(i === 0 || random.chance(0.5) ? [head(name)] : random.pick([[], ["*** SM:EDIT"]])), ...edit]));
		return lines.length > 0 ? this.call("edit", { input: lines.join("\n") }, () => names.forEach((name) => this.changed({ name }))) : undefined;
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

async function live(scratch, seed, judge) {
	const home = fs.mkdtempSync(path.join(scratch, "h-"));
	const [cwd, outside] = ["work", "out"].map((name) => path.join(home, name));
	fs.mkdirSync(cwd);
	fs.mkdirSync(outside);
	const working = new OmpWorking(new Random(seed), `${seed}`, new Shelf(cwd, path.join(home, "copies"), [outside]), { odd: ["a\rb", "nul \0 byte", "half \ud83d"] });
	// It asks for titles, too, without tools.
	let works = false;
	const server = await start(({ body }) => { works = Boolean(body?.tools?.some(({ name }) => name === "edit")); }, (messages) => (works ? stepOf(working, messages) : "ok"));
	const env = { ...envOf(home, server.port), PI_EDIT_VARIANT: working.mode };
	const life = new Life(working, home, async (file, run) => {
		const agent = new Agent([...PLAYED, ...file ? ["--resume", file] : []], { cwd, env });
		try {
			await run(agent);
		} finally {
			await agent.leave();
		}
	}, ["get_branch_messages", "branch"]);
	try {
		await life.live();
	} finally {
		server.close();
	}
	await judge.session(seed, life.files, working.shelf.requests);
}

const judge = new Judge(NAME);
await withScratch(async (scratch) => {
	await forEachSeed((seed) => live(scratch, seed, judge), (n) => `${n} sessions of ${judge.table()}`, { jobs: JOBS });
});
