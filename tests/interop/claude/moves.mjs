// HEAD moved in a mount, and the real agent going on from there: in sessions that it
// writes itself, step by step, and then in odd transcripts, from one entry of each.
// CASES=REGEX chooses some of both, VERSIONS="V ..." the agents, and MOVES=n how many
// entries of an odd transcript.

import assert from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isChosen } from "../seeds.mjs";
import { Home, linesOf, NEWEST, program } from "./agent.mjs";
import { CASES } from "./cases.mjs";
import { forEach, headOf } from "./compare.mjs";
import { ask, blocksOf, resume } from "./oracle.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { prompt, start } from "../server.mjs";
import { SESSION } from "./transcript.mjs";
import { KEYS, Terminal } from "./tui.mjs";
import { inShort, says } from "./words.mjs";

/** From every entry it takes ten minutes. */
const MOVES = Number(process.env.MOVES ?? 1);

/** Move HEAD as ln -sfn does. Returns why it was refused, or null. */
function move(mount, target) {
	const { status, stderr } = spawnSync("ln", ["-sfn", target, mount.path("HEAD")], { encoding: "utf8" });
	if (status === 0)
		return null;
	return `${stderr.trim().replace(/.*: /, "")}: ${mount.info()["last-refused"]}`;
}

/** A session that the agent writes, in a mount. */
class Moved {
	constructor(home, version) {
		this.home = home;
		this.version = version;
	}

	get lines() {
		return linesOf(fs.readFileSync(this.file));
	}

	/** One turn. Returns what was sent before its prompt, in short. */
	async turn(words, args = ["--resume", this.id], more = {}) {
		const asked = await ask(this.home, this.file ? args : [], { version: this.version, prompt: says(words, more) });
		this.file ??= this.home.transcripts()[0];
		this.id ??= path.basename(this.file, ".jsonl");
		assert.equal(asked.error, undefined);
		return inShort(asked.messages);
	}

	async turns(...prompts) {
		for (const words of prompts)
			await this.turn(words);
	}

	/** The entry of an answer, or of a prompt. */
	entry(words) {
		const is = ({ message, isSidechain }) => message && !isSidechain && blocksOf(message).some(({ type, text }) => type === "text" && text.split(/\s/)[0] === words);
		return this.lines.findLast(is).uuid;
	}

	/** The last words of HEAD's context. */
	at() {
		return inShort(JSON.parse(this.mount.read("context.json"))).split(" ").at(-1);
	}

	move(words) {
		return move(this.mount, words === null ? "tree" : `by-id/${this.entry(words)}`);
	}

	/** Move, see HEAD there, and let the agent take the next turn: what it has sent. */
	async moveAndGoOn(words, next, args) {
		assert.equal(this.move(words), null);
		assert.equal(this.at(), words ?? "");
		const sent = await this.turn(next, args);
		assert.equal(this.at(), next.toUpperCase());
		return sent;
	}

	/** Run with the session mounted. */
	mounted(run) {
		return withScratch((scratch) => Mount.with(this.file, path.join(scratch, "mnt"), (mount) => {
			this.mount = mount;
			return run(this);
		}));
	}

	/** Start the agent on a turn that takes a while: its process, when the prompt is written. */
	async slowTurn(words) {
		const server = await start(() => {});
		const [command, ...first] = program(this.version);
		const text = prompt(words, [{ blocks: ["A", "B", words.toUpperCase()].map((t) => ({ type: "text", text: t })), delay_ms: 1500 }]);
		const child = spawn(command, [...first, "-p", "--resume", this.id, text], { cwd: this.home.cwd, env: this.home.env(server.port), stdio: "ignore" });
		const gone = once(child, "close").finally(() => server.close());
		for (let left = 2400; !fs.readFileSync(this.file).includes(`"${words} `); left--) {
			assert(left > 0, "the agent does not start");
			await sleep(50);
		}
		return { child, gone };
	}
}

/** Fails unless a move is refused because the agent runs. */
function isBusy(session, words, pid) {
	const before = fs.readFileSync(session.file).length;
	const why = session.move(words);
	assert.match(why ?? "done", /^Device or resource busy: Claude Code has this session open/);
	if (pid)
		assert(why.endsWith(`(pid ${pid})`), why);
	const added = linesOf(fs.readFileSync(session.file).subarray(before));
	assert(!added.some(({ explicit }) => explicit));
}

const STEPS = {
	async moved(session) {
		await session.turns("one", "two", "three");
		await session.mounted(async () => {
			assert.equal(await session.moveAndGoOn("ONE", "four"), "one ONE");
			assert.equal(session.move("THREE"), null);
			assert.equal(await session.moveAndGoOn("TWO", "five"), "one ONE two TWO");
			// For several turns.
			assert.equal(await session.turn("six"), "one ONE two TWO five FIVE");
			assert.equal(await session.turn("seven", ["--continue"]), "one ONE two TWO five FIVE six SIX");
			assert.equal(session.at(), "SEVEN");
			assert.equal(await session.moveAndGoOn("FOUR", "eight", ["--continue"]), "one ONE four FOUR");
			// To a prompt, which is then answered in one turn with the next.
			assert.equal(await session.moveAndGoOn("six", "nine"), "one ONE two TWO five FIVE six");
		});
	},
	async beginning(session) {
		await session.turns("one", "two");
		await session.mounted(async () => {
			assert.equal(await session.moveAndGoOn(null, "three"), "");
			assert.equal(await session.turn("four"), "three THREE");
			assert.equal(await session.moveAndGoOn("TWO", "five"), "one ONE two TWO");
			assert.equal(await session.moveAndGoOn("THREE", "six"), "three THREE");
			assert.equal(session.move(null), null);
			assert.equal(await session.moveAndGoOn("ONE", "seven"), "one ONE");
		});
	},
	async rewound(session) {
		await session.turns("one", "two");
		await session.mounted(async () => {
			assert.equal(await session.turn("again", ["--resume", session.id, "--resume-session-at", session.entry("ONE")]), "one ONE");
			assert.equal(session.at(), "AGAIN");
			assert.equal(await session.moveAndGoOn("TWO", "three"), "one ONE two TWO");
			assert.equal(await session.moveAndGoOn("AGAIN", "four"), "one ONE again AGAIN");
			// Also from a moved HEAD.
			assert.equal(session.move("AGAIN"), null);
			assert.equal(await session.turn("five", ["--resume", session.id, "--resume-session-at", session.entry("ONE")]), "one ONE");
			assert.equal(session.at(), "FIVE");
		});
	},
	async compacted(session) {
		await session.turns("one", "two");
		await ask(session.home, ["--resume", session.id], { version: session.version, prompt: "/compact" });
		const all = await session.turn("three");
		await session.turn("four");
		await session.mounted(async () => {
			assert.equal(await session.moveAndGoOn("THREE", "five"), `${all} three THREE`);
			assert.equal(await session.turn("six"), `${all} three THREE five FIVE`);
			// And once more, off a branch.
			await ask(session.home, ["--resume", session.id], { version: session.version, prompt: "/compact" });
			await session.turn("seven");
			assert.equal(session.at(), "SEVEN");
			for (const words of ["one", "ONE", "FOUR", "FIVE", "seven"])
				assert.equal(await tryMove(session.mount, session.entry(words), session.version), null);
		});
	},
	async forked(session) {
		await session.turns("one", "two");
		await session.mounted(async () => {
			assert.equal(session.move("ONE"), null);
			const before = fs.readFileSync(session.file);
			assert.equal(await session.turn("fork", ["--resume", session.id, "--fork-session"]), "one ONE");
			assert(before.equals(fs.readFileSync(session.file)));
			assert.equal(session.at(), "ONE");
			assert.equal(await session.turn("three"), "one ONE");
			assert.equal(session.at(), "THREE");
		});
	},
	async printing(session) {
		await session.turns("one", "two");
		await session.mounted(async () => {
			const { child, gone } = await session.slowTurn("slow");
			isBusy(session, "ONE", child.pid);
			await gone;
			assert.equal(session.at(), "SLOW");
			assert.equal(await session.moveAndGoOn("TWO", "three"), "one ONE two TWO");
			// Killed, it leaves its record.
			const killed = await session.slowTurn("again");
			killed.child.kill("SIGKILL");
			await killed.gone;
			assert.equal(await session.moveAndGoOn("SLOW", "four"), "one ONE two TWO slow A B SLOW");
		});
	},
	async interactive(session) {
		await session.turns("one", "two");
		await session.mounted(async () => {
			assert.equal(session.move("ONE"), null);
			await Terminal.with(session.home, session.version, ["--resume", session.id], async (terminal) => {
				await terminal.say(says("three"));
				assert.equal(session.at(), "THREE");
				isBusy(session, "TWO");
				await terminal.say(says("four"));
				isBusy(session, null);
			});
			assert.equal(session.at(), "FOUR");
			assert.equal(await session.moveAndGoOn("TWO", "five"), "one ONE two TWO");
			assert.equal(await session.moveAndGoOn("THREE", "six"), "one ONE three THREE");
			assert.equal(session.move(null), null);
			// In a terminal `--continue` finds no conversation there, `--resume` begins one.
			await Terminal.with(session.home, session.version, ["--resume", session.id], async (terminal) => {
				await terminal.say(says("seven"));
				assert.equal(session.at(), "SEVEN");
				await terminal.press("/clear", KEYS.enter);
				// It has another session now, or soon.
				for (let left = 600; session.move("SIX") !== null; left--) {
					assert(left > 0, "the agent keeps the session that it has left");
					await sleep(100);
				}
			});
			assert.equal(await session.turn("eight"), "one ONE three THREE six SIX");
		});
	},
};

/**
 * Does a leaf stand for the entry? The agent takes links and results below an entry with
 * it, and all of a response; it looks through lines that it does not send.
 */
function isThere(lines, entry, leaf) {
	const byId = new Map(lines.map((line) => [line.uuid, line]));
	const blocks = ({ message }) => (message?.content ? blocksOf(message) : []);
	const isLink = ({ type }) => ["system", "attachment"].includes(type);
	const isResult = (line) => blocks(line).some(({ type }) => type === "tool_result");
	const isUnsent = (line) => line.message && blocks(line).every(({ type, text }) => ["thinking", "tool_use"].includes(type) || ["", "(no content)"].includes(text?.trim()));
	const climb = (from, holds, passes) => {
		const seen = new Set();
		for (let at = byId.get(from); at && !seen.has(at); at = byId.get(at.parentUuid)) {
			if (holds(at))
				return at;
			if (!passes(at))
				return undefined;
			seen.add(at);
		}
		return undefined;
	};
	const responseOf = (id) => climb(id, ({ type }) => type === "assistant", (line) => isResult(line) || isLink(line))?.message?.id;
	const response = responseOf(entry);
	const belongs = (line) => isLink(line) || isResult(line) || (response && line.message?.id === response);
	return (response && responseOf(leaf) === response) || climb(leaf, ({ uuid }) => uuid === entry, belongs) || climb(entry, ({ uuid }) => uuid === leaf, (line) => isUnsent(line) || belongs(line));
}

/**
 * What is wrong with a move, or null: it must be refused if and only if the agent
 * would not go on from the entry. `moved` are the bytes after it, if it was made.
 */
async function wrongWith(bytes, entry, refused, moved, version) {
	const newline = bytes.at(-1) === 10 ? "" : "\n";
	const pin = `${newline}${JSON.stringify({ type: "last-prompt", leafUuid: entry, explicit: true, sessionId: SESSION })}\n`;
	const asked = await resume(refused === null ? moved : Buffer.concat([bytes, Buffer.from(pin)]), { version });
	const follows = asked.error === undefined && Boolean(isThere(linesOf(bytes), entry, asked.leaf));
	// A cycle of parents is refused for the sake of versions that follow it forever.
	if (follows === (refused === null) || refused?.startsWith("Too many levels"))
		return null;
	return follows ? `the agent goes on from ${entry}, but a move is refused: ${refused}` : `the agent goes on from ${asked.leaf ?? asked.error}, not from ${entry}`;
}

/** Move to an entry and check that, and undo it. */
async function tryMove(mount, entry, version) {
	const bytes = fs.readFileSync(mount.file);
	const refused = move(mount, `by-id/${entry}`);
	const moved = fs.readFileSync(mount.file);
	fs.writeFileSync(mount.file, bytes);
	return wrongWith(bytes, entry, refused, moved, version);
}

/** Move HEAD of an odd transcript to some of its entries: how many, and what is wrong. */
function moveInCase(bytes, version) {
	const ids = new Set(linesOf(bytes).map(({ uuid }) => uuid).filter((id) => typeof id === "string" && id));
	return withScratch((scratch) => {
		const file = path.join(scratch, "session.jsonl");
		fs.writeFileSync(file, bytes);
		return Mount.with(file, path.join(scratch, "mnt"), async (mount) => {
			ids.delete(headOf(mount));
			const some = new Random(1).shuffle([...ids]).slice(0, MOVES);
			const wrong = [];
			for (const id of some)
				wrong.push(await tryMove(mount, id, version));
			return { moves: some.length, wrong: wrong.filter((difference) => difference) };
		}, ["-o", "dialect=claude"]);
	});
}

/** Cases that differ, and why. */
const KNOWN = {
	"boundary-with-parent": "boundaries have no parent, and are refused; this one has, and the agent goes on from it",
	"preserved-unknown": "a boundary that keeps an unknown message drops nothing, but is taken for one that does",
	"bom": "the first line is not JSON to this test",
	"no-message": "a user's line without a message is no line to the agent",
};

const named = (cases) => Object.keys(cases).filter((name) => isChosen(name) && !KNOWN[name]);
for (const version of process.env.VERSIONS?.split(" ") ?? [NEWEST]) {
	let failed = 0, moves = 0;
	const fail = (name, why) => {
		failed++;
		process.exitCode = 1;
		console.error(`interop: VERSIONS=${version} CASES=${name}: ${why}`);
	};
	await forEach(named(STEPS), (name) => Home.with((home) => STEPS[name](new Moved(home, version))).catch((e) => fail(name, e.message)));
	await forEach(named(CASES), async (name) => {
		const done = await moveInCase(CASES[name], version);
		moves += done.moves;
		done.wrong.forEach((why) => fail(name, why));
	});
	console.log(`interop: HEAD moved step by step in ${named(STEPS).length} sessions of Claude Code ${version}, and ${moves} times in odd transcripts; ${failed} failed`);
}
