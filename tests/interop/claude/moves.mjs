// HEAD moved in a mount while the real agent runs, and in odd transcripts: from one entry of
// each, also where the agent would not go on from it. recipes.mjs has moves step by step.
// CASES=REGEX chooses some.

import assert from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { casesOf } from "../corpus.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { isChosen } from "../seeds.mjs";
import { prompt, start } from "../server.mjs";
import { until } from "../terminal.mjs";
import { Home, linesOf, NAME, PROGRAM } from "./agent.mjs";
import { forEach, headOf } from "./compare.mjs";
import { LARGE } from "./large.mjs";
import { blocksOf, resume } from "./oracle.mjs";
import { move, Session } from "./session.mjs";
import { says } from "./steps.mjs";
import { SESSION } from "./transcript.mjs";

/** Start the agent on a turn that takes a while: its process, when the prompt is written. */
async function slowTurn(session, words) {
	const server = await start(() => {});
	const text = prompt(words, [{ blocks: ["A", "B", words.toUpperCase()].map((t) => ({ type: "text", text: t })), delay_ms: 1500 }]);
	const child = spawn(PROGRAM, ["-p", ...session.resume, text], { cwd: session.home.cwd, env: session.home.env(server.port), stdio: "ignore" });
	const gone = once(child, "close").finally(() => server.close());
	await until("the prompt in the transcript", () => fs.readFileSync(session.file).includes(`"${words} `));
	return { child, gone };
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

const RUNNING = {
	async printing(session) {
		const { child, gone } = await slowTurn(session, "slow");
		isBusy(session, "ONE", child.pid);
		await gone;
		await session.goOn({ to: "TWO", words: "three" });
		// Killed, it leaves its record.
		const killed = await slowTurn(session, "again");
		killed.child.kill("SIGKILL");
		await killed.gone;
		await session.goOn({ to: "THREE", words: "four" });
	},
	async interactive(session) {
		assert.equal(session.move("ONE"), null);
		await session.inTerminal([says("three"), () => isBusy(session, "TWO"), says("four"), () => isBusy(session, null)]);
		await session.goOn({ to: "TWO", words: "five" });
		await session.goOn({ to: "THREE", words: "six" });
		assert.equal(session.move(null), null);
		// In a terminal `--continue` finds no conversation there, `--resume` begins one. Cleared, it has another session now, or soon.
		await session.inTerminal([says("seven"), ["/clear", "Enter"], () => until("that the agent leaves the session", () => session.move("SIX") === null)]);
		await session.goOn({ words: "eight" });
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
async function wrongWith(bytes, entry, refused, moved) {
	const newline = bytes.at(-1) === 10 ? "" : "\n";
	const pin = `${newline}${JSON.stringify({ type: "last-prompt", leafUuid: entry, explicit: true, sessionId: SESSION })}\n`;
	const asked = await resume(refused === null ? moved : Buffer.concat([bytes, Buffer.from(pin)]));
	const follows = asked.error === undefined && Boolean(isThere(linesOf(bytes), entry, asked.leaf));
	// A cycle of parents is refused for the sake of versions that follow it forever.
	if (follows === (refused === null) || refused?.startsWith("Too many levels"))
		return null;
	return follows ? `the agent goes on from ${entry}, but a move is refused: ${refused}` : `the agent goes on from ${asked.leaf ?? asked.error}, not from ${entry}`;
}

/** Move HEAD of an odd transcript to one of its entries: what is wrong, or null. */
function moveInCase(bytes) {
	const ids = new Set(linesOf(bytes).map(({ uuid }) => uuid).filter((id) => typeof id === "string" && id));
	return withScratch((scratch) => {
		const file = path.join(scratch, "session.jsonl");
		fs.writeFileSync(file, bytes);
		return Mount.with(file, path.join(scratch, "mnt"), async (mount) => {
			ids.delete(headOf(mount));
			if (ids.size === 0)
				return null;
			const [entry] = new Random(1).shuffle([...ids]);
			const refused = move(mount, `by-id/${entry}`);
			const moved = fs.readFileSync(file);
			// Where lines name no version that heeds a pin, HEAD is kept beside the transcript.
			return refused === null && moved.equals(bytes) ? null : wrongWith(bytes, entry, refused, moved);
		}, ["-o", "dialect=claude"]);
	});
}

/** Cases that differ, and why. */
const KNOWN = {
	"boundary-with-parent": "boundaries have no parent, and are refused; this one has, and the agent goes on from it",
	"preserved-unknown": "a boundary that keeps an unknown message drops nothing, but is taken for one that does",
	"links-of-other-types": "the first line has a BOM, and is not JSON to this test",
	"leaf-response-of-thinking": "nothing is sent of the only line, so the agent goes on from none",
	"no-message": "a user's line without a message is no line to the agent",
	"leaf-links-alone": "the agent goes on from a line that it does not send; to us that is no conversation",
};

const named = (cases) => Object.keys(cases).filter((name) => isChosen(name) && !KNOWN[name]);
const fail = (name, why) => {
	process.exitCode = 1;
	console.error(`interop: CASES=${name}: ${why}`);
};

await forEach(named(RUNNING), (name) => Home.with(async (home) => {
	const session = new Session(home);
	await session.take([says("one"), says("two")]);
	await session.mounted(RUNNING[name]);
}).catch((e) => fail(name, e.message)));

const cases = { ...Object.fromEntries(casesOf("claude").map(({ rule, file }) => [rule, () => fs.readFileSync(file)])), ...Object.fromEntries(Object.keys(LARGE).map((name) => [name, () => LARGE[name]])) };
await forEach(named(cases), async (name) => {
	const wrong = await moveInCase(cases[name]());
	if (wrong)
		fail(name, wrong);
});
console.log(`interop: HEAD moved while ${NAME} runs, and in ${named(cases).length} odd transcripts`);
