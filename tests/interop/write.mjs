// Write to random sessions through the mount, and see after each write that Pi
// reads what the mount shows; then let Pi append, and see the mount follow; then
// open branch.jsonl with Pi. TREES=n SEED=s choose the sessions.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Comparison, Difference, namesOf, same } from "./compare.mjs";
import { generate } from "./gen.mjs";
import { Mount, withScratch } from "./mount.mjs";
import { openCopy, versions } from "./pi.mjs";
import { Random } from "./random.mjs";
import { forEachSeed } from "./seeds.mjs";

const WRITES = 10;
const APPENDS = 4;
const BRANCHES = 4;

const LABELS = ["tested", "two words", "Ünïcode 😀", "a/b", " spaces ", ".dot", "%2F", "x".repeat(1024)];
const BAD_LABELS = ["two\nlines", "tab\t", "\u0085", "\u0000", "x".repeat(1025), Buffer.from("ff", "hex")];

/** What Pi appends, and how often. */
const APPENDED = {
	user: 4, assistant: 4, custom: 2, compaction: 2, summary: 2, label: 2, name: 1, model: 1, thinking: 1,
};

class Trial {
	constructor(seed, scratch, mount, linear) {
		this.random = new Random(seed);
		this.scratch = scratch;
		this.mount = mount;
		this.file = mount.file;
		this.linear = linear;
		this.checks = 0;
		this.look();
	}

	copyName() {
		return path.join(this.scratch, "copy.jsonl");
	}

	/** Take in what there is now, and compare it with what each Pi sees. */
	look() {
		this.bytes = fs.readFileSync(this.file);
		for (const pi of versions) {
			this.session = openCopy(pi, this.file, this.copyName());
			const names = namesOf(this.mount, this.session.ids, this.linear);
			this.compared = new Comparison(this.mount, this.session, names);
			this.compared.session();
			this.checks++;
		}
		this.names = [...this.compared.names.values()];
		this.head = this.nameOf(this.session.head());
	}

	nameOf(id) {
		return id === null ? null : this.compared.names.get(id);
	}

	idOf(name) {
		return this.session.ids[this.names.indexOf(name)];
	}

	/** No byte that was there has changed, except by the one migration. */
	checkBytes(before, names) {
		const now = fs.readFileSync(this.file);
		const backup = `${this.file}.v1.bak`;
		if (this.linear && fs.existsSync(backup)) {
			if (!fs.readFileSync(backup).equals(before))
				throw new Difference("the backup of a version 1 file is not what the file was");
			this.linear = false;
			this.checkMigration(backup, names);
		} else if (!now.subarray(0, before.length).equals(before)) {
			throw new Difference("earlier bytes of the file have changed");
		}
		same("names of the entries that were there", this.mount.list("by-id").slice(0, names.length), names);
	}

	/** The mount shows what Pi makes of the file as it was, under the old names. */
	checkMigration(backup, names) {
		const old = openCopy(versions[0], backup, this.copyName());
		new Comparison(this.mount, old, new Map(old.ids.map((id, i) => [id, names[i]]))).everyEntry();
	}

	/** Do a write, and see that nothing but what was wanted came of it. */
	write(what, wanted, act) {
		const { bytes, names } = this;
		try {
			act();
			this.checkBytes(bytes, names);
			this.look();
			same("HEAD", this.head, wanted.head);
			same("label", this.mount.read(`by-id/${wanted.labelled}/label`).toString(), wanted.label);
		} catch (e) {
			e.message = `after ${what}: ${e.message}`;
			throw e;
		}
	}

	label(name) {
		return this.mount.read(`by-id/${name}/label`).toString();
	}

	// Moving HEAD

	/** What names an entry in a link, by every way that there is to it. */
	spellings(name) {
		const { mount, session, names } = this;
		const id = this.idOf(name);
		const way = session.path(id).map((step) => this.nameOf(step));
		const list = [
			`by-id/${name}`, `./by-id/${name}/`, `by-id/${name}/content`, `tree/../by-id/${name}`, name,
			`${mount.dir}/by-id/${name}`, `${path.basename(mount.dir)}/by-id/${name}`, `tree/${way.join("/")}`,
			`${mount.dir}/tree/${way.join("/")}/`,
		];
		for (const label of mount.list("by-label")) {
			if (mount.readlink(`by-label/${label}`) === `../by-id/${name}`)
				list.push(`by-label/${label}`);
		}
		if (mount.list("branches").includes(name))
			list.push(`branches/${name}`);
		if (this.head !== null) {
			const head = this.idOf(this.head);
			if (session.parent(head) === id)
				list.push("HEAD/parent", "HEAD/parent/content");
			if (session.parent(id) === head)
				list.push(`HEAD/${name}`);
		}
		const prefix = name.slice(0, 4 + this.random.int(4));
		if (prefix.length >= 4 && names.filter((other) => other.startsWith(prefix)).length === 1)
			list.push(prefix);
		// A link's text is shorter than a path may be.
		return list.filter((text) => Buffer.byteLength(text) < 4000);
	}

	/** The ways to put a link where one is. */
	relink(target, way) {
		const head = this.mount.path("HEAD");
		switch (way) {
		case "rename": {
			const staged = this.mount.path(`.HEAD.${this.random.hex(6)}`);
			fs.symlinkSync(target, staged);
			fs.renameSync(staged, head);
			break;
		}
		case "unlink":
			fs.unlinkSync(head);
			fs.symlinkSync(target, head);
			break;
		default: {
			const ln = spawnSync("ln", [way, "--", target, head], { encoding: "utf8" });
			if (ln.status !== 0)
				throw new Error(ln.stderr);
		}
		}
	}

	moveHead() {
		const r = this.random;
		const name = r.chance(0.12) ? null : r.pick(this.names);
		const reset = ["tree", "tree/", `${this.mount.dir}/tree`];
		const target = r.pick(name === null ? reset : this.spellings(name));
		// GNU ln without -n goes into HEAD's folder and by the link's last part
		// (see DESIGN.md). In tree/ that part may be a folder, which it refuses.
		const way = r.pick(["rename", "unlink", "-sfn", ...(this.head === null ? [] : ["-sf"])]);
		const plain = name === null ? "tree" : `by-id/${name}`;
		const link = way === "-sf" ? plain : target;
		const head = name === null ? null : this.nameOf(this.session.lookThrough(this.idOf(name)));
		const labelled = r.pick(this.names);
		const wanted = { head, labelled, label: this.label(labelled) };
		this.write(`HEAD -> ${link} (${way})`, wanted, () => this.relink(link, way));
	}

	// Labels

	setLabel() {
		const r = this.random;
		const name = r.pick(this.names);
		const text = r.pick(LABELS);
		const end = r.pick(["\n", ""]);
		this.write(`label of ${name} = ${text}`, { head: this.head, labelled: name, label: `${text}\n` },
			() => fs.writeFileSync(this.mount.path(`by-id/${name}/label`), text + end));
	}

	clearLabel() {
		const labelled = this.names.filter((name) => this.label(name));
		const name = this.random.pick(labelled.length > 0 ? labelled : this.names);
		this.write(`clearing the label of ${name}`, { head: this.head, labelled: name, label: "" },
			() => fs.truncateSync(this.mount.path(`by-id/${name}/label`)));
	}

	/** A label that can't be: the old one stays. */
	setBadLabel() {
		const name = this.random.pick(this.names);
		const text = this.random.pick(BAD_LABELS);
		const before = this.session.manager.getLabel(this.idOf(name)) ?? "";
		// One that only Pi could have set can't be put back: leave it.
		if (LABELS.includes(before) || before === "") {
			const wanted = { head: this.head, labelled: name, label: this.label(name) };
			this.write(`refusing a label of ${name}`, wanted, () => {
				try {
					fs.writeFileSync(this.mount.path(`by-id/${name}/label`), text);
				} catch (e) {
					if (e.code === "EINVAL")
						return;
					throw e;
				}
				throw new Difference(`${JSON.stringify(text)} was taken`);
			});
		}
	}

	change() {
		const how = this.random.weighted({ moveHead: 5, setLabel: 3, clearLabel: 1, setBadLabel: 1 });
		this[how]();
	}

	// Pi appends

	/** Let Pi append something; returns the id, and a text of the context. */
	append(manager, n) {
		const r = this.random;
		const text = `appended ${n} 😀`;
		const branch = manager.getBranch().map((entry) => entry.id);
		switch (r.weighted(APPENDED)) {
		case "assistant": {
			const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
			const content = [{ type: "text", text }];
			return [manager.appendMessage({ role: "assistant", content, provider: "p", model: "m", usage, timestamp: 5 }), text];
		}
		case "custom":
			return [manager.appendCustomMessageEntry("note", text, true), text];
		case "compaction":
			return [manager.appendCompaction(text, r.pick([...branch, undefined]), 9), text];
		case "summary":
			return [manager.branchWithSummary(r.pick(this.session.ids), text), text];
		case "label":
			return [manager.appendLabelChange(r.pick(this.session.ids), r.pick(LABELS)), ""];
		case "name":
			return [manager.appendSessionInfo(text), ""];
		case "model":
			return [manager.appendModelChange("p", "m"), ""];
		case "thinking":
			return [manager.appendThinkingLevelChange("high"), ""];
		default:
			return [manager.appendMessage({ role: "user", content: text, timestamp: 5 }), text];
		}
	}

	appendAll(pi) {
		// It is Pi's own file now, with whatever Pi rewrites at opening.
		const manager = pi.SessionManager.open(this.file);
		for (let n = 0; n < APPENDS; n++) {
			const [id, text] = this.append(manager, n);
			this.look();
			same("HEAD after Pi has appended", this.head, this.nameOf(this.session.lookThrough(id)));
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what Pi has appended: ${text}`);
		}
	}

	// branch.jsonl

	/** Entries with the ids that the mount shows, labels' ids being new anyway. */
	normal(entries) {
		const ids = new Map(this.linear ? this.compared.names : []);
		entries.filter((e) => e.type === "label").forEach((e, i) => ids.set(e.id, `label ${i}`));
		const rename = (id) => ids.get(id) ?? id;
		return JSON.parse(JSON.stringify(entries)).map((e) => {
			for (const key of ["id", "parentId", "targetId", "firstKeptEntryId"]) {
				if (key in e)
					e[key] = rename(e[key]);
			}
			return e;
		});
	}

	/** An entry's branch.jsonl against the fork that Pi makes there. */
	branch(pi, name) {
		const id = this.idOf(name);
		const file = path.join(this.scratch, "branch.jsonl");
		const bytes = this.mount.read(`by-id/${name}/branch.jsonl`);
		fs.writeFileSync(file, bytes);
		const branch = openCopy(pi, file, this.copyName());
		if (!fs.readFileSync(this.copyName()).equals(bytes))
			throw new Difference("Pi repairs branch.jsonl when it opens it");

		// This session has the ids that the names stand for.
		const { manager } = this.session;
		const header = branch.manager.getHeader();
		same("header of the branch", { ...header, id: 0, timestamp: 0 },
			{ type: "session", version: 3, id: 0, timestamp: 0, cwd: manager.getHeader().cwd, parentSession: this.file });
		same("context of the branch", branch.context(branch.manager.getLeafId()), this.session.context(id));
		for (const step of this.session.path(id)) {
			const there = this.linear ? this.nameOf(step) : step;
			if (this.session.byId.get(step).type !== "label")
				same(`label of ${step} in the branch`, branch.manager.getLabel(there), manager.getLabel(step));
		}
		manager.createBranchedSession(id);
		same("entries of the branch", this.normal(branch.entries), this.normal(manager.getEntries()));
		this.checks++;
	}

	/** Some branches; each needs the session opened, since Pi moves on to the fork. */
	branches(pi) {
		for (let n = 0; n < BRANCHES; n++) {
			this.session = openCopy(pi, this.file, path.join(this.scratch, "whole.jsonl"));
			const names = namesOf(this.mount, this.session.ids, this.linear);
			this.compared = new Comparison(this.mount, this.session, names);
			const name = this.random.pick(this.names);
			try {
				this.branch(pi, name);
			} catch (e) {
				e.message = `by-id/${name}/branch.jsonl: ${e.message}`;
				throw e;
			}
		}
	}
}

async function writeTree(seed, scratch) {
	const { bytes, linear } = generate(seed);
	const dir = fs.mkdtempSync(path.join(scratch, "tree-"));
	const file = path.join(dir, "session.jsonl");
	const pi = versions[seed % versions.length];
	fs.writeFileSync(file, bytes);
	const checks = await Mount.with(file, path.join(dir, "mnt"), (mount) => {
		const trial = new Trial(seed, dir, mount, linear);
		if (trial.names.length === 0)
			return trial.checks;
		trial.branches(pi);
		trial.look();
		for (let n = 0; n < WRITES; n++)
			trial.change();
		// Pi would give new ids to a file that is still of version 1.
		if (!trial.linear)
			trial.appendAll(pi);
		trial.compared.everyEntry();
		trial.branches(pi);
		return trial.checks;
	});
	fs.rmSync(dir, { recursive: true });
	return checks;
}

await withScratch(async (scratch) => {
	let checks = 0;
	const run = async (seed) => {
		checks += await writeTree(seed, scratch);
	};
	await forEachSeed(60, run, (trees) => `${trees} trees written to, ${checks} times`);
});
