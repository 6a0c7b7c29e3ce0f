// Write to random sessions through the mount, and see after each write that the agent
// reads what the mount shows; then let the agent append, and see the mount follow; then
// open branch.jsonl with it. What a mount makes of each spelling, piece and error is the
// matter of tests/model; here the agent is to live with what was taken.

import fs from "node:fs";
import path from "node:path";
import { append } from "./append.mjs";
import { Comparison, Difference, namesOf, same } from "./compare.mjs";
import { Mount, removeFolder } from "./mount.mjs";
import { Random } from "./random.mjs";
import { forEachSeed, namesOfAgents } from "./seeds.mjs";
import { openCopy } from "./session.mjs";

const CHANGES = { moveHead: 5, setLabel: 3, clearLabel: 1, appendMessage: 2, appendLine: 5, setName: 1 };
const LABELS = ["tested", "two words", "Ünïcode 😀", "a/b", " spaces ", ".dot", "%2F", "x".repeat(1024)];
const ODD_VALUES = [undefined, null, true, 5, "text", "", [], {}, [null], [5], [{}]];
const ODD_DEPTH = 5;
/** What is in these is a tool's or a provider's own. */
const PRIVATE = ["meta", "details", "preserveData", "providerPayload"];
const WRITES = 16;
const APPENDS = 5;
const BRANCHES = 5;

/** As a shell's > does it: bun truncates last, also behind a write that failed. */
function overwrite(file, data) {
	const fd = fs.openSync(file, "w");
	try {
		fs.writeSync(fd, data);
	} finally {
		fs.closeSync(fd);
	}
}

/** The objects and arrays in a value, itself first, that have something in them. */
function placesIn(value, depth = ODD_DEPTH) {
	if (typeof value !== "object" || value === null || depth === 0)
		return [];
	const inner = Object.entries(value).filter(([key]) => !PRIVATE.includes(key));
	const places = inner.flatMap(([, member]) => placesIn(member, depth - 1));
	return Object.keys(value).length > 0 ? [value, ...places] : places;
}

class Trial {
	/** A mount of a file that may be of version 1, `linear`. */
	constructor(seed, scratch, mount, linear, adapter) {
		Object.assign(this, { random: new Random(seed), scratch, mount, file: mount.file, linear, adapter, agents: adapter.versions, checks: 0, refused: 0 });
		this.generator = adapter.generator(seed);
	}

	/** A copy of a file, opened by an agent. */
	open(agent, file) {
		return openCopy(agent, file, path.join(this.scratch, "copy.jsonl"));
	}

	/** From here on, entries are those that the agent finds in the file. */
	async take(agent) {
		this.session = await this.open(agent, this.file);
		this.compared = new Comparison(this.mount, this.session, namesOf(this.mount, this.session.ids, this.linear));
		this.names = [...this.compared.names.values()];
		this.head = this.nameOf(this.session.head());
	}

	/** Take in what there is now, and compare it with what each agent sees. */
	async look() {
		this.bytes = fs.readFileSync(this.file);
		for (const agent of this.agents) {
			await this.take(agent);
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

	/** No byte that was there has changed, except by the one migration, and where names are. */
	async checkBytes(before, names) {
		const { body = (bytes) => bytes } = this.adapter;
		const now = fs.readFileSync(this.file);
		const backup = `${this.file}.v1.bak`;
		if (this.linear && fs.existsSync(backup)) {
			if (!fs.readFileSync(backup).equals(before))
				throw new Difference("the backup of a version 1 file is not what the file was");
			this.linear = false;
			await this.checkMigration(backup, names);
		} else if (!body(now).subarray(0, body(before).length).equals(body(before))) {
			throw new Difference("earlier bytes of the file have changed");
		}
		same("names of the entries that were there", this.mount.list("by-id").slice(0, names.length), names);
	}

	/** The mount shows what the agent makes of the file as it was, under the old names. */
	async checkMigration(backup, names) {
		const old = await this.open(this.agents[0], backup);
		new Comparison(this.mount, old, new Map(old.ids.map((id, i) => [id, names[i]]))).everyEntry();
	}

	/** Do a write, and see that nothing but what was wanted came of it: { head, labels: [[name, text]...] }. */
	async write(what, { head, labels = [] }, act) {
		const { bytes, names } = this;
		try {
			act();
			await this.checkBytes(bytes, names);
			await this.look();
			if (head !== undefined)
				same("HEAD", this.head, head);
			for (const [name, text] of labels)
				same("label", this.label(name), text);
		} catch (e) {
			e.message = `after ${what}: ${e.message}`;
			throw e;
		}
	}

	label(name) {
		return this.mount.read(`by-id/${name}/label`).toString();
	}

	/** The label of any entry, as it is. */
	anyLabel() {
		const name = this.random.pick(this.names);
		return [name, this.label(name)];
	}

	async moveHead() {
		const { random, mount } = this;
		const name = random.chance(0.12) ? null : random.pick(this.names);
		const link = name === null ? "tree" : `by-id/${name}`;
		const head = name === null ? null : this.nameOf(this.session.headAt(this.idOf(name)));
		await this.write(`HEAD -> ${link}`, { head, labels: [this.anyLabel()] }, () => {
			fs.symlinkSync(link, mount.path(".new-head"));
			fs.renameSync(mount.path(".new-head"), mount.path("HEAD"));
		});
	}

	async setLabel() {
		const [name, text] = [this.random.pick(this.names), this.random.pick(LABELS)];
		await this.write(`label of ${name} = ${text}`, { head: this.head, labels: [[name, `${text}\n`]] },
			() => overwrite(this.mount.path(`by-id/${name}/label`), text + this.random.pick(["\n", ""])));
	}

	async clearLabel() {
		const labelled = this.names.filter((name) => this.label(name));
		const name = this.random.pick(labelled.length > 0 ? labelled : this.names);
		await this.write(`clearing the label of ${name}`, { head: this.head, labels: [[name, ""]] },
			() => fs.truncateSync(this.mount.path(`by-id/${name}/label`)));
	}

	/** The agent's name of it is compared as always. A version 1 file may have lines that can't be migrated. */
	async setName() {
		const name = this.random.pick(["", ...LABELS]);
		let kept = this.mount.read("name").toString().trim();
		await this.write(`name = ${name}`, { head: this.head, labels: [this.anyLabel()] }, () => {
			try {
				overwrite(this.mount.path("name"), name);
				kept = name;
			} catch (e) {
				if (!this.linear || !["EOPNOTSUPP", "ENOTSUP"].includes(e.code))
					throw e;
			}
		});
		const shown = this.mount.read("name").toString().trim();
		same("the name", shown, this.adapter.keptName(kept, shown));
	}

	/** A message becomes an entry below the leaf, and HEAD. */
	async appendMessage() {
		const content = `said ${this.random.hex(8)}`;
		const parent = this.head;
		await this.write(`appending ${content}`, { labels: [this.anyLabel()] },
			() => fs.writeFileSync(this.mount.path("append"), JSON.stringify({ role: "user", content }) + this.random.pick(["\n", ""])));
		const said = this.idOf(this.head);
		same("the new HEAD", this.head, this.names.at(-1));
		same("its content", this.mount.read("HEAD/content").toString(), `${content}\n`);
		same("its parent", this.nameOf(this.session.headAt(this.session.parent(said))), parent);
	}

	/** An entry, or a bare message, for below the leaf, in which a value may be odd. */
	anyLine() {
		const { random, generator: g, session } = this;
		const types = new Map(session.entries.map(({ type }, i) => [this.names[i], type]));
		Object.assign(g, { ids: this.names, types, linear: false });
		const way = session.path(session.leaf()).map((id) => this.nameOf(id)).reverse();
		const { message, ...entry } = g.fields(random.weighted(g.kinds), undefined, way);
		const isBare = typeof message?.role === "string" && random.chance(0.5);
		const line = g.printer.line(isBare ? message : { ...entry, message });
		if (random.chance(0.5))
			return line;
		const said = JSON.parse(line);
		const object = random.pick(placesIn(said));
		object[random.pick(Object.keys(object))] = random.pick(ODD_VALUES);
		// For agents there is a level that is empty text; `info` has none then.
		return said.thinkingLevel === "" ? line : JSON.stringify(said);
	}

	/** If a line is taken, the agent has to live with it; else nothing changes, and `info` says why. */
	async appendLine() {
		const line = this.anyLine();
		const n = this.names.length;
		await this.write(`appending ${line.slice(0, 1000)}`, {}, () => {
			try {
				fs.writeFileSync(this.mount.path("append"), `${line}\n`);
			} catch (e) {
				if (e.code !== "EINVAL")
					throw e;
				this.refused++;
				same("the file", fs.readFileSync(this.file).equals(this.bytes), true);
				same("info says why it was refused", "last-refused" in this.mount.info(), true);
			}
		});
		// Where the leaf is not the last line, a move of HEAD may come first.
		if (this.names.length > n + 2)
			throw new Difference(`${this.names.length - n} entries for ${line}`);
	}

	/** What the agent itself has written is taken again: a cherry-pick. */
	async copyLast() {
		const name = this.names.at(-1);
		const raw = this.mount.read(`by-id/${name}/raw.json`);
		// A compaction may keep what is not above it.
		if (JSON.parse(raw).type === "compaction")
			return;
		await this.write(`a copy of ${raw}`, {}, () => fs.writeFileSync(this.mount.path("append"), raw));
		const copy = JSON.parse(this.mount.read(`by-id/${this.names.at(-1)}/raw.json`));
		same("the copy", { ...copy, id: 0, parentId: 0 }, { ...JSON.parse(raw), id: 0, parentId: 0 });
	}

	/** It is the agent's own file now, with whatever that rewrites when it opens it. */
	async appendAll(agent) {
		const { adapter } = this;
		if (adapter.gluesLines && this.bytes.at(-1) !== 0x0a)
			fs.appendFileSync(this.file, "\n");
		const manager = await adapter.manager(agent, this.file);
		for (let n = 0; n < APPENDS; n++) {
			const { leaf, text } = await append(adapter, manager, { random: this.random, labels: LABELS, n });
			await this.look();
			same(`leaf after ${agent.name} has appended`, this.session.leaf(), leaf);
			if (!this.mount.read("context.txt").includes(text))
				throw new Difference(`context.txt lacks what ${agent.name} has appended: ${text}`);
		}
		await adapter.close?.(manager);
		await this.look();
		await this.copyLast();
	}

	/** branch.jsonl of an entry, opened with the agent that has just opened the session, which may move on to a fork of its own. */
	async fork(agent, name) {
		const { session } = this;
		const id = this.idOf(name);
		const file = path.join(this.scratch, "branch.jsonl");
		const bytes = this.mount.read(`by-id/${name}/branch.jsonl`);
		fs.writeFileSync(file, bytes);
		const branch = await agent.open(file);
		same("branch.jsonl is left as it was when it is opened", fs.readFileSync(file).equals(bytes), true);
		for (const step of session.path(id).filter((one) => session.isForked(one)))
			same(`label of ${step} in the branch`, branch.label(this.linear ? this.nameOf(step) : step), session.label(step));
		await this.adapter.checkFork(this, branch, id);
	}

	/** Some branches; each needs the session opened, since the agent moves on to the fork. */
	async branches(agent) {
		for (let n = 0; n < BRANCHES; n++) {
			await this.take(agent);
			const name = this.random.pick(this.names);
			try {
				await this.fork(agent, name);
				this.checks++;
			} catch (e) {
				e.message = `by-id/${name}/branch.jsonl: ${e.message}`;
				throw e;
			}
		}
		await this.look();
	}

	async all(agent) {
		await this.branches(agent);
		for (let n = 0; n < WRITES; n++)
			await this[this.random.weighted(CHANGES)]();
		// An agent gives new ids to a file that is still of version 1.
		if (!this.linear)
			await this.appendAll(agent);
		this.compared.everyEntry();
		await this.branches(agent);
	}
}

/** Write to the session of a seed, in a file of its own. */
async function writeTree(seed, adapter, agent, scratch) {
	const dir = fs.mkdtempSync(path.join(scratch, "tree-"));
	const file = path.join(dir, "session.jsonl");
	const { bytes, linear } = adapter.generate(seed);
	fs.writeFileSync(file, bytes);
	const trial = await Mount.with(file, path.join(dir, "mnt"), async (mount) => {
		const trial = new Trial(seed, dir, mount, linear, adapter);
		await trial.look();
		if (trial.names.length > 0)
			await trial.all(agent);
		return trial;
	});
	removeFolder(dir);
	return trial;
}

export async function run(adapter, scratch) {
	const { versions } = adapter;
	let checks = 0, refused = 0;
	await forEachSeed(async (seed) => {
		const trial = await writeTree(seed, adapter, versions[seed % versions.length], scratch);
		checks += trial.checks;
		refused += trial.refused;
	}, (n) => `${n} trees written to, ${checks} times, read by ${namesOfAgents(versions)}; ${refused} lines were refused`);
}
