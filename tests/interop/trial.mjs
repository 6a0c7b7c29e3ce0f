// Writes to a session through its mount: after each, the agents read what the
// mount shows, and nothing but what was wanted has come of it.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Comparison, Difference, namesOf, same } from "./compare.mjs";
import { Mount, removeFolder } from "./mount.mjs";
import { Random } from "./random.mjs";
import { openCopy } from "./session.mjs";

export const LABELS = ["tested", "two words", "Ünïcode 😀", "a/b", " spaces ", ".dot", "%2F", "x".repeat(1024)];
export const BAD_LABELS = ["two\nlines", "tab\t", "\u0085", "\u0000", "x".repeat(1025), Buffer.from("ff", "hex")];

/** As a shell's > does it: bun truncates last, also behind a write that failed. */
export function overwrite(file, data) {
	const fd = fs.openSync(file, "w");
	try {
		fs.writeSync(fd, data);
	} finally {
		fs.closeSync(fd);
	}
}

export class Trial {
	/** A mount of a file that may be of version 1, `linear`. */
	constructor(seed, scratch, mount, linear, adapter) {
		this.random = new Random(seed);
		this.scratch = scratch;
		this.mount = mount;
		this.file = mount.file;
		this.linear = linear;
		this.adapter = adapter;
		this.agents = adapter.versions;
		this.checks = 0;
	}

	/** Is there an entry to do something with? */
	get canRun() {
		return this.names.length > 0;
	}

	/** A copy of a file, opened by an agent. */
	open(agent, file) {
		return openCopy(agent, file, path.join(this.scratch, "copy.jsonl"));
	}

	/** From here on, entries are those that the agent finds in this file. */
	async take(agent, file) {
		this.session = await this.open(agent, file);
		this.compared = new Comparison(this.mount, this.session, namesOf(this.mount, this.session.ids, this.linear));
		this.names = [...this.compared.names.values()];
		this.head = this.nameOf(this.session.head());
	}

	/** Take in what there is now, and compare it with what each agent sees. */
	async look() {
		this.bytes = fs.readFileSync(this.file);
		for (const agent of this.agents) {
			await this.take(agent, this.file);
			this.compared.whole();
			this.checks++;
		}
	}

	nameOf(id) {
		return id === null ? null : this.compared.names.get(id);
	}

	idOf(name) {
		return this.session.ids[this.names.indexOf(name)];
	}

	/** No byte that was there has changed, except by the one migration. */
	async checkBytes(before, names) {
		const now = fs.readFileSync(this.file);
		const backup = `${this.file}.v1.bak`;
		if (this.linear && fs.existsSync(backup)) {
			if (!fs.readFileSync(backup).equals(before))
				throw new Difference("the backup of a version 1 file is not what the file was");
			this.linear = false;
			await this.checkMigration(backup, names);
		} else if (!now.subarray(0, before.length).equals(before)) {
			throw new Difference("earlier bytes of the file have changed");
		}
		same("names of the entries that were there", this.mount.list("by-id").slice(0, names.length), names);
	}

	/** The mount shows what the agent makes of the file as it was, under the old names. */
	async checkMigration(backup, names) {
		const old = await this.open(this.agents[0], backup);
		new Comparison(this.mount, old, new Map(old.ids.map((id, i) => [id, names[i]]))).everyEntry();
	}

	/** Do a write, and see that nothing but what was wanted came of it. */
	async write(what, wanted, act) {
		const { bytes, names } = this;
		try {
			act();
			await this.checkBytes(bytes, names);
			await this.look();
			if ("head" in wanted)
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

	/** A label as the agent reads it. */
	keptLabel(text) {
		return this.adapter.keptLabel?.(text) ?? text;
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

	async moveHead() {
		const r = this.random;
		const name = r.chance(0.12) ? null : r.pick(this.names);
		const reset = ["tree", "tree/", `${this.mount.dir}/tree`];
		const target = r.pick(name === null ? reset : this.spellings(name));
		// GNU ln without -n goes into HEAD's folder and by the link's last part
		// (sessfs-mount(7), H). In tree/ that part may be a folder, which it refuses.
		const way = r.pick(["rename", "unlink", "-sfn", ...(this.head === null ? [] : ["-sf"])]);
		const plain = name === null ? "tree" : `by-id/${name}`;
		const link = way === "-sf" ? plain : target;
		const head = name === null ? null : this.nameOf(this.session.headAt(this.idOf(name)));
		const labelled = r.pick(this.names);
		const wanted = { head, labelled, label: this.label(labelled) };
		await this.write(`HEAD -> ${link} (${way})`, wanted, () => this.relink(link, way));
	}

	// Labels

	async setLabel() {
		const r = this.random;
		const name = r.pick(this.names);
		const text = r.pick(LABELS);
		const end = r.pick(["\n", ""]);
		await this.write(`label of ${name} = ${text}`, { head: this.head, labelled: name, label: `${this.keptLabel(text)}\n` },
			() => overwrite(this.mount.path(`by-id/${name}/label`), text + end));
	}

	async clearLabel() {
		const labelled = this.names.filter((name) => this.label(name));
		const name = this.random.pick(labelled.length > 0 ? labelled : this.names);
		await this.write(`clearing the label of ${name}`, { head: this.head, labelled: name, label: "" },
			() => fs.truncateSync(this.mount.path(`by-id/${name}/label`)));
	}

	/** A label that can't be: the old one stays. */
	async setBadLabel() {
		const name = this.random.pick(this.names);
		const text = this.random.pick(BAD_LABELS);
		const before = this.session.label(this.idOf(name)) ?? "";
		// One that only the agent could have set can't be put back: leave it.
		if (LABELS.includes(before) || before === "") {
			const wanted = { head: this.head, labelled: name, label: this.label(name) };
			await this.write(`refusing a label of ${name}`, wanted, () => {
				try {
					overwrite(this.mount.path(`by-id/${name}/label`), text);
				} catch (e) {
					if (e.code === "EINVAL")
						return;
					throw e;
				}
				throw new Difference(`${JSON.stringify(text)} was taken`);
			});
		}
	}

	// Lines

	/** A message becomes an entry below the leaf, and HEAD. */
	async appendMessage() {
		const r = this.random;
		const content = `said ${r.hex(8)}`;
		const text = JSON.stringify({ role: "user", content });
		const parent = this.head;
		const labelled = r.pick(this.names);
		const file = this.mount.path("append");
		await this.write(`appending ${text}`, { labelled, label: this.label(labelled) }, () => fs.writeFileSync(file, text + r.pick(["\n", ""])));
		const said = this.idOf(this.head);
		same("the new HEAD", this.head, this.names.at(-1));
		same("its content", this.mount.read("HEAD/content").toString(), `${content}\n`);
		same("its parent", this.nameOf(this.session.headAt(this.session.parent(said))), parent);
	}

	async change() {
		const how = this.random.weighted({ moveHead: 5, setLabel: 3, clearLabel: 1, setBadLabel: 1, appendMessage: 3 });
		await this[how]();
	}
}

/** Write a session to a file of its own, mount it and run with a trial of it. */
export async function withTrial(TrialOf, { seed, bytes, linear, adapter }, scratch, run) {
	const dir = fs.mkdtempSync(path.join(scratch, "tree-"));
	const file = path.join(dir, "session.jsonl");
	fs.writeFileSync(file, bytes);
	const checks = await Mount.with(file, path.join(dir, "mnt"), async (mount) => {
		const trial = new TrialOf(seed, dir, mount, linear, adapter);
		await trial.look();
		if (trial.canRun)
			await run(trial);
		return trial.checks;
	});
	removeFolder(dir);
	return checks;
}
