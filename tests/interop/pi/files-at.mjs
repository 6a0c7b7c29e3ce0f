// The real Pi at work with its file tools: each entry's files/ are what its folder was.
// Beside prompts there are moves of HEAD, forks, compactions and the user's commands.

import fs from "node:fs";
import path from "node:path";
import { Judge, Shelf } from "../files-at.mjs";
import { withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { Life } from "../rpc-life.mjs";
import { forEachSeed } from "../seeds.mjs";
import { stepOf, Working } from "../working.mjs";
import { NAME } from "./agent.mjs";
import { Home, Rpc } from "./program.mjs";

/** What read shows. */
const MOST_LINES = 2000;

function withoutCr(text) {
	return text.replace(/\r\n?/g, "\n");
}

/** Has it ends of lines of more than one kind? */
function isMixed(text) {
	return text.includes("\r") && /[\r\n]/.test(text.replaceAll("\r\n", ""));
}

class PiWorking extends Working {
	kinds = { write: 5, edit: 6, read: 4, readPart: 1, outside: 1, long: 0.2, shell: 0.7, fails: 1 };

	call(name, input, after) {
		return { name, input, after: (result) => {
			if (!result.failed)
				after?.(result);
			else if (result.text.includes("aborted") && input.path) {
				const file = path.resolve(this.cwd, input.path.replace(/^@/, ""));
				const name = path.relative(this.cwd, file);
				this.interrupted(name.startsWith("..") ? path.join("@", file) : name);
			}
		} };
	}

	spell(name) {
		return this.random.chance(0.1) ? `@${name}` : super.spell(name);
	}

	writing(file, content, after) {
		return this.call("write", { path: file, content }, after);
	}

	running(command, after) {
		return this.call("bash", { command }, after);
	}

	longest() {
		return MOST_LINES + this.random.int(3) - 1;
	}

	read() {
		const name = this.file();
		return name && this.call("read", { path: this.spell(name) }, ({ text }) => {
			if (this.alone(name) && this.isText(name) && text.split("\n").length <= MOST_LINES)
				this.expectation.know(name);
		});
	}

	readPart() {
		const { random } = this;
		const name = this.file();
		return name && this.call("read", { path: name, ...random.pick([{ offset: 2 }, { limit: 2 }, { offset: 1, limit: 900 }, { offset: 1 }]) });
	}

	/** As a model may have it: with the ends of lines that it sees, and plain quotes. */
	asTyped(text) {
		const { random } = this;
		const ends = random.chance(0.8) ? text.replaceAll("\r\n", "\n") : text;
		return random.chance(0.3) ? ends.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replaceAll("–", "-").replaceAll("\u00a0", " ").replace(/ +$/gm, "") : ends;
	}

	replacement(text) {
		const { before, after } = this.span(text);
		const cut = this.random.chance(0.3) && before.length > 4 ? before.slice(1, -2) : before;
		return { oldText: this.asTyped(cut), newText: this.asTyped(after) };
	}

	edit() {
		const { random } = this;
		const name = this.file();
		if (!name || this.textOf(name) === "")
			return undefined;
		const edits = Array.from({ length: random.chance(0.7) ? 1 : 1 + random.int(3) }, () => this.replacement(this.textOf(name)));
		const asked = random.weighted({ list: 6, one: 1, text: 1, old: 1 });
		const members = { list: { edits }, one: { edits: edits[0] }, text: { edits: JSON.stringify(edits) }, old: edits[0] }[asked];
		const loose = isMixed(this.textOf(name)) && edits.some(({ oldText }) => !withoutCr(this.textOf(name)).includes(withoutCr(oldText)));
		// Of such a one the result does not tell the ends of its lines.
		return this.call("edit", { path: this.spell(name), ...members }, () => loose && this.expectation.is(name) === "known" && this.expectation.forget(name));
	}

	fails() {
		return this.random.pick([
			() => this.call("read", { path: "none.txt" }),
			() => this.call("edit", { path: "none.txt", edits: [{ oldText: "a", newText: "b" }] }),
			() => this.call("edit", { path: this.file() ?? "a.txt", edits: [{ oldText: "not there", newText: "b" }] }),
			() => this.call("edit", { path: this.file() ?? "a.txt", edits: [{ oldText: "", newText: "b" }] }),
			() => this.call("write", { path: ".", content: "x" }),
			() => this.call("write", { path: "a.txt/b", content: "x" }, () => this.expectation.know("a.txt/b")),
			() => this.call("write", { path: this.anyName() }),
			() => this.call("nosuchtool", { path: this.anyName() }),
		])();
	}
}

async function live(scratch, seed, judge) {
	let working;
	await Home.with(scratch, async (home) => {
		const outside = path.join(home.home, "out");
		fs.mkdirSync(outside);
		working = new PiWorking(new Random(seed), `${seed}`, new Shelf(home.cwd, path.join(home.home, "copies"), [outside]), { odd: ["a\rb", "nul \0 byte", "half \ud83d"] });
		const open = (file, run) => Rpc.with(home, file ? ["--session", file] : [], run);
		const life = new Life(working, home.home, open, ["get_fork_messages", "fork"]);
		await life.live();
		await judge.session(seed, life.files, working.shelf.requests);
	}, (messages) => stepOf(working, messages));
}

const judge = new Judge(NAME);
await withScratch(async (scratch) => {
	await forEachSeed((seed) => live(scratch, seed, judge), (n) => `${n} sessions of ${judge.table()}`);
});
