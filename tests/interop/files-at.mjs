// files/, at each request of a real agent, against copies of the folder that it works in.
//
// AGENT/files-at.mjs lets the agent work with a played model, which copies the folder
// (Shelf) whenever it is asked something. An Expectation says meanwhile what is to be
// known of each path:
//
//   known      the session has its whole text: files/ must have it
//   open       it may be in files/, and is right then: paths that nobody speaks of
//   loose      something that is no file tool has changed it: not compared
//
// A request is { calls, prompt, tools, expectation, copy }: the ids of the calls whose
// results it brought, as the session has them, or if there are none, words that only its
// prompt has; the names of these tools. Ids and words are not to occur twice in a test.
//
// judge.session(seed, files, requests) compares each request in each of the files
// of the session in which it is: a fork has those that were before it. With KEEP=DIR it
// keeps them, for those who look for the cause of a difference: DIR/SEED has the files by
// their names, copies/N, and requests.json, [{ session, entry, copy, tools, known, loose }].
// What is not in files/ is said by files.txt: judge.table() counts its reasons.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Difference } from "./compare.mjs";
import { Mount } from "./mount.mjs";

/** So many differences of a session are told. */
const MOST_TOLD = 8;
const LINES = ["one", "two", "three", "", "\tindented", "one  ", "żółć – “quoted” ’s", "😀", "a\u00a0b\u2028c", "x".repeat(90), "}"];

/** A text as files have it: some of its lines are there twice, and some are odd. */
export function someText(random, odd = []) {
	const lines = random.some(9, () => random.pick([...LINES, ...odd, ...Array.from({ length: 9 }, () => `line ${random.int(999)} – ‘x’`)]));
	const ends = random.weighted({ lf: 6, crlf: 2, mixed: 1 });
	const end = () => ({ lf: "\n", crlf: "\r\n", mixed: random.pick(["\n", "\r\n"]) })[ends];
	const text = lines.map((line) => line + end()).join("");
	return (random.chance(0.1) ? "\ufeff" : "") + (random.chance(0.2) ? text.replace(/\r?\n$/, "") : text);
}

export class Expectation {
	constructor(paths = new Map()) {
		this.paths = new Map(paths);
	}

	/** As it is now: a branch goes on from there. */
	clone() {
		return new Expectation(this.paths);
	}

	/** Written or read as a whole. */
	know(name) {
		this.paths.set(name, "known");
	}

	/** By something that the session does not tell. */
	loosen(name) {
		this.paths.set(name, "loose");
	}

	/** Deleted, or nothing is asked for any more. */
	forget(name) {
		this.paths.delete(name);
	}

	is(name) {
		return this.paths.get(name) ?? "open";
	}

	/** The paths that are so. */
	all(state) {
		return [...this.paths].filter(([, is]) => is === state).map(([name]) => name).sort();
	}
}

/** Copies of a folder, and below "@" of others outside of it, by their absolute paths. */
export class Shelf {
	constructor(cwd, dir, others = []) {
		Object.assign(this, { cwd, dir, others, requests: [], copies: 0 });
	}

	/** The folder as it is, and what is expected of it. */
	copy(expectation) {
		const copy = path.join(this.dir, `${this.copies++}`);
		fs.cpSync(this.cwd, copy, { recursive: true });
		for (const other of this.others)
			fs.cpSync(other, path.join(copy, "@", other), { recursive: true });
		return { copy, expectation: expectation.clone() };
	}

	/** The same when a request comes. */
	take({ calls = [], prompt, tools = [], expectation }) {
		const request = { calls, prompt, tools, ...this.copy(expectation) };
		this.requests.push(request);
		return request;
	}

	/** As a user does who goes back there. */
	restore({ copy }) {
		const refill = (from, to) => {
			for (const name of fs.readdirSync(to))
				fs.rmSync(path.join(to, name), { recursive: true });
			fs.cpSync(from, to, { recursive: true, filter: (name) => name !== path.join(copy, "@") });
		};
		refill(copy, this.cwd);
		for (const other of this.others)
			refill(path.join(copy, "@", other), other);
	}
}

/** The paths of all files in a folder. */
function filesIn(dir) {
	return fs.readdirSync(dir, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile()).map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name))).sort();
}

/** The entry of a request: the last one that has one of its calls, or the first with its prompt. */
function place(entries, { calls, prompt }) {
	const ids = calls.map((id) => JSON.stringify(id));
	const found = ids.length > 0
		? entries.findLast(({ raw }) => ids.some((id) => raw.includes(id)))
		: entries.find(({ raw }) => raw.includes(prompt));
	return found?.name;
}

function entriesOf(mount) {
	return mount.list("by-id").map((name) => ({ name, raw: mount.read(`by-id/${name}/raw.json`).toString() }));
}

/** Move HEAD of a session to a request's entry, if it has that. */
export function moveHead(file, dir, request) {
	return Mount.with(file, dir, (mount) => {
		const entry = place(entriesOf(mount), request);
		if (entry === undefined)
			return false;
		fs.symlinkSync(`by-id/${entry}`, mount.path("new-head"));
		return whenGone(() => fs.renameSync(mount.path("new-head"), mount.path("HEAD"))).then(() => true);
	});
}

/** Some agents' processes end after them, and as long as they run HEAD stays. */
async function whenGone(move) {
	for (let left = 100; ; left--) {
		try {
			return move();
		} catch (e) {
			if (e.code !== "EBUSY" || left === 0)
				throw e;
			await sleep(50);
		}
	}
}

/** The requests that a session has, with their entries. */
function placed(mount, requests) {
	const entries = entriesOf(mount);
	return requests.map((request) => ({ ...request, entry: place(entries, request) })).filter(({ entry }) => entry !== undefined);
}

/** The lines of a files.txt, by the paths in files/: what is said of them. */
function said(mount, folder) {
	const lines = mount.read(`${folder}/files.txt`).toString().split("\n").filter((line) => line);
	return new Map(lines.map((line) => {
		const [name, is, entry, size] = line.split("\t");
		return [path.isAbsolute(name) ? path.join("@", name) : name, { is, known: /^known\b/.test(is), entry, size: Number(size) }];
	}));
}

function firstDifference(seen, copied) {
	const [a, b] = [seen, copied].map((bytes) => bytes.toString().split("\n"));
	const n = a.findIndex((line, i) => line !== b[i]);
	const at = n < 0 ? a.length : n;
	return `line ${at + 1} is ${JSON.stringify(a[at])?.slice(0, 80)}, and was ${JSON.stringify(b[at])?.slice(0, 80)}`;
}

/** What of files/ in the root is not HEAD's. */
function atHead(mount) {
	const head = fs.realpathSync(mount.path("HEAD"));
	const [seen, wanted] = [mount.path("files"), path.join(head, "files")];
	if (path.basename(path.dirname(head)) !== "by-id")
		return [];
	const names = [...new Set([...filesIn(seen), ...filesIn(wanted)])];
	const same = (name) => [seen, wanted].every((dir) => fs.existsSync(path.join(dir, name))) && fs.readFileSync(path.join(seen, name)).equals(fs.readFileSync(path.join(wanted, name)));
	return names.filter((name) => !same(name)).map((name) => `HEAD: ${name}: not as in its entry's folder`);
}

export class Judge {
	constructor(name) {
		Object.assign(this, { name, reasons: new Map(), requests: 0, compared: 0 });
	}

	count(reason) {
		this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
	}

	/** What differs at a request, and what files.txt says of what is not known there. */
	differences(mount, { entry, copy, expectation }) {
		const folder = `by-id/${entry}`;
		const lines = said(mount, folder);
		const seen = filesIn(mount.path(`${folder}/files`));
		const differ = [];
		for (const name of seen) {
			const [file, copied] = [mount.path(`${folder}/files/${name}`), path.join(copy, name)];
			const bytes = fs.readFileSync(file);
			if (!lines.get(name)?.known || lines.get(name).size !== bytes.length)
				differ.push(`${name}: of ${bytes.length} bytes, but files.txt says ${JSON.stringify(lines.get(name))}`);
			if (expectation.is(name) === "loose")
				continue;
			this.compared++;
			if (!fs.existsSync(copied))
				differ.push(`${name}: it was not there`);
			else if (!fs.readFileSync(copied).equals(bytes))
				differ.push(`${name}: ${firstDifference(bytes, fs.readFileSync(copied))}`);
		}
		for (const name of expectation.all("known").filter((known) => !seen.includes(known)))
			differ.push(`${name}: not there: ${lines.get(name)?.is ?? "not in files.txt"}`);
		for (const [name, { is, known }] of lines) {
			this.count(is);
			if (known && !seen.includes(name))
				differ.push(`${name}: files.txt says that it is known`);
		}
		return differ.map((difference) => `${entry}: ${difference}`);
	}

	compare(file, dir, requests) {
		return Mount.with(file, dir, (mount) => {
			const found = placed(mount, requests);
			this.requests += found.length;
			const shown = found.length > 0 && fs.existsSync(mount.path(`by-id/${found[0].entry}/files`));
			const differ = shown ? [...found.flatMap((request) => this.differences(mount, request)), ...atHead(mount)] : [];
			if (!shown && !process.env.KEEP)
				differ.push("there is no files/");
			return { found, differ };
		}, ["-o", "ro"]);
	}

	async session(seed, files, requests) {
		const kept = [], missed = new Set(requests), differ = [];
		for (const file of files) {
			const result = await this.compare(file, path.join(path.dirname(requests[0].copy), "mnt"), requests);
			for (const request of result.found) {
				kept.push({ ...request, session: path.basename(file) });
				requests.filter(({ copy }) => copy === request.copy).forEach((one) => missed.delete(one));
			}
			differ.push(...result.differ);
		}
		if (process.env.KEEP)
			this.keep(`${seed}`, files, kept);
		for (const { calls, prompt } of missed)
			differ.push(`the session has no entry of the request with ${JSON.stringify(calls.length > 0 ? calls : prompt)}`);
		if (differ.length > 0)
			throw new Difference(`${differ.length} differences\n  ${differ.slice(0, MOST_TOLD).join("\n  ")}`);
	}

	keep(name, files, requests) {
		const dir = path.join(process.env.KEEP, name);
		fs.rmSync(dir, { recursive: true, force: true });
		fs.mkdirSync(path.join(dir, "copies"), { recursive: true });
		files.forEach((file) => fs.cpSync(file, path.join(dir, path.basename(file))));
		const list = requests.map(({ session, entry, copy, tools, expectation }) => {
			const to = path.join("copies", path.basename(copy));
			fs.cpSync(copy, path.join(dir, to), { recursive: true });
			return { session, entry, copy: to, tools, known: expectation.all("known"), loose: expectation.all("loose") };
		});
		fs.writeFileSync(path.join(dir, "requests.json"), `${JSON.stringify(list, null, "\t")}\n`);
	}

	/** What was compared, and what files.txt has said of how many paths. */
	table() {
		const reasons = [...this.reasons].sort(([, a], [, b]) => b - a).map(([reason, n]) => `\n  ${n} ${reason}`);
		return `${this.compared} files at ${this.requests} requests of ${this.name}; files.txt said${reasons.join("") || " nothing"}`;
	}
}
