// Titles of random sessions against those that an agent of Pi's family lists, and their
// order. COUNT=n SEED=s choose the sessions. Where ours are others, on purpose:
//
// 1. What a person typed counts: of a skill the words that were typed with its call, and
//    no message of the user's role that the agent wrote. The agent is given it as ours are.
// 2. A session in which nobody typed a text has no title, or is a "[picture]".

import fs from "node:fs";
import path from "node:path";
import { assistant, user } from "./append.mjs";
import { same } from "./compare.mjs";
import { PICTURE } from "./generator.mjs";
import { compareTitles, listed, longWords, sameTitle, words } from "./listed.mjs";

const HOUR = 3600_000;
const text = (text) => ({ type: "text", text });
const picture = { type: "image", data: PICTURE, mimeType: "image/png" };

/** The contents of a prompt, and what the agent is given for them; none: nothing. */
const PROMPTS = {
	words: [6, (r) => [words(r)]],
	blocks: [3, (r) => [[text(words(r)), text(words(r))]]],
	long: [1, (r) => [longWords(r)]],
	"words and a picture": [2, (r) => [[text(words(r)), picture]]],
	picture: [2, () => [[picture]]],
	none: [1, () => [[]]],
};

const OTHERS = [
	(r) => ({ type: "message", message: { role: "bashExecution", command: "ls", output: words(r), exitCode: 0, timestamp: 5 } }),
	(r) => ({ type: "custom_message", customType: "x", content: words(r), display: true }),
	(r) => ({ type: "thinking_level_change", thinkingLevel: r.pick(["high", "off"]) }),
	(r) => ({ type: "custom", customType: "x", data: { text: words(r) } }),
];

/** A session's entries, and those that the agent is given. */
function session({ prompts, names }, random, number) {
	const kinds = { ...PROMPTS, ...prompts };
	const id = `019ca8f0-0000-7000-8000-${String(number).padStart(12, "0")}`;
	let time = Date.UTC(2026, 2, 1) + number * HOUR;
	const stamp = () => new Date(time += 1000).toISOString();
	const header = { type: "session", version: 3, id, timestamp: stamp(), cwd: "/work/demo" };
	const entries = [], given = [];
	let last = null, isTyped = false;
	const put = (entry, theirs = entry) => {
		const envelope = { id: `e${String(entries.length).padStart(7, "0")}`, parentId: last, timestamp: stamp() };
		for (const value of [entry, theirs]) {
			if (value?.message)
				value.message.timestamp = time;
		}
		entries.push({ ...entry, ...envelope });
		if (theirs)
			given.push({ ...theirs, ...envelope });
		last = envelope.id;
	};
	for (let i = random.int(4); i > 0; i--) {
		random.some(1, () => put(random.pick(OTHERS)(random)));
		const [ours, theirs = ours, more] = random.row(kinds)(random);
		put({ type: "message", message: { ...user(ours), ...more } }, theirs === "" ? null : { type: "message", message: user(theirs) });
		isTyped ||= typeof theirs === "string" ? theirs !== "" : theirs.some((block) => block.type === "text");
		put({ type: "message", message: assistant(words(random)) });
	}
	const name = names(random, put);
	put({ type: "message", message: assistant(words(random)) });
	return { id, time, isTyped, ours: [...name.before, { ...header, ...name.header }, ...entries], theirs: [...name.before, { ...header, ...name.header }, ...given] };
}

function write(folder, { id, time }, lines) {
	const file = path.join(folder, `2026-03-01T10-00-00-000Z_${id}.jsonl`);
	fs.writeFileSync(file, lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
	fs.utimesSync(file, new Date(time), new Date(time));
	return path.basename(file, ".jsonl");
}

export function run({ dialect, titles, versions: [{ name }] }, scratch) {
	const [mine, agents] = ["mine", "agents"].map((folder) => path.join(scratch, folder));
	fs.mkdirSync(mine);
	fs.mkdirSync(agents);
	return compareTitles(name, 120, {
		make(random, i) {
			const made = session(titles, random, i);
			write(agents, made, made.theirs);
			return { ...made, id: write(mine, made, made.ours) };
		},
		ours: () => listed(mine, ["-o", `dialect=${dialect}`]),
		list: async () => (await titles.list(agents)).map((info) => [path.basename(info.path, ".jsonl"), info]),
		check(what, title, { name: named, firstMessage }, { isTyped }) {
			if (named || isTyped)
				sameTitle(what, title, named || firstMessage);
			else if (title !== "[picture]")
				same(`the title of ${what}`, title, "");
		},
	});
}
