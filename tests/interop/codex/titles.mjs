// Titles of random threads against those that the real Codex lists (thread/list), and
// their order. COUNT=n SEED=s choose the threads. Where ours are others, on purpose:
//
// 1. Of a thread that begins with a picture Codex has "[Image]", the first text or the name,
//    as its index has found it. Ours is the name, or else that text, or else "[picture]".
// 2. A thread in which nobody said anything is not listed, but has the name that it got.

import fs from "node:fs";
import path from "node:path";
import { compareTitles, listed, longWords, sameTitle, words } from "../listed.mjs";
import { Home, VERSION } from "./agent.mjs";

const HOUR = 3600_000;
const URL = "data:image/png;base64,aGk=";
const MARK = "## My request for Codex:";

/** Of a prompt, its texts and whether there is a picture. */
const PROMPTS = {
	words: [6, (r) => [[words(r)]]],
	two: [1, (r) => [[words(r), words(r)]]],
	long: [1, (r) => [[longWords(r)]]],
	editor: [4, (r) => [[`# Context from my IDE setup:\n\n## Open tabs:\n- a.c: ${words(r)}\n\n${MARK}\n${words(r)}`]]],
	files: [1, (r) => [[`# Files mentioned by the user:\n\n## a.c: /w/a.c\n\n${MARK}\n\n${words(r)}\n${MARK} ${words(r)}`]]],
	"editor alone": [1, () => [[`# Context from my IDE setup:\n${MARK}\n`]]],
	picture: [1, () => [[], URL]],
	"words and a picture": [1, (r) => [[words(r)], URL]],
};

function said(role, content) {
	return { type: "response_item", payload: { type: "message", role, content } };
}

const input = (text) => ({ type: "input_text", text });

function prompt(random) {
	const [texts, url] = random.row(PROMPTS)(random);
	const images = url ? [url] : [];
	const own = texts.join(" ");
	return {
		typed: (own.includes(MARK) ? own.slice(own.indexOf(MARK) + MARK.length) : own).trim(),
		lines: [
			{ type: "event_msg", payload: { type: "user_message", message: texts.join(""), images } },
			said("user", [...texts.map(input), ...images.map((image_url) => ({ type: "input_image", image_url }))]),
		],
	};
}

/** The lines of a thread, an hour after the one before. */
function thread(random, number) {
	const id = `019ca8f0-0000-7000-8000-${String(number).padStart(12, "0")}`;
	const legacy = random.chance(0.3);
	let time = Date.UTC(2026, 2, 1) + number * HOUR;
	const stamp = () => new Date(time += 1000).toISOString();
	const meta = { id, session_id: id, timestamp: stamp(), cwd: "/tmp", originator: "x", cli_version: VERSION, source: "cli", model_provider: "fake", ...(legacy ? {} : { history_mode: "paginated" }) };
	const lines = [
		{ type: "session_meta", payload: meta },
		said("developer", [input(words(random))]),
		said("user", [input(`# AGENTS.md instructions for /tmp\n\n<INSTRUCTIONS>\n${words(random)}\n</INSTRUCTIONS>`), input("<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>")]),
	];
	const prompts = random.some(3, () => prompt(random));
	for (const prompt of prompts)
		lines.push(...prompt.lines, said("assistant", [{ type: "output_text", text: words(random) }]));
	const bytes = lines.map((line, ordinal) => `${JSON.stringify({ timestamp: stamp(), ...(legacy ? {} : { ordinal }), ...line })}\n`).join("");
	return { id, bytes, time, typed: prompts.find(({ typed }) => typed)?.typed };
}

async function list(server) {
	const threads = [];
	for (let cursor = null, page; page === undefined || cursor; cursor = page.nextCursor) {
		page = await server.call("thread/list", { limit: 100, cursor, sortKey: "updated_at" });
		threads.push(...page.data);
	}
	return threads;
}

await Home.with(async (home) => {
	const server = await home.agent();
	/** Set for those that have a name. */
	const names = new Map();
	await compareTitles(`Codex ${VERSION}`, 150, {
		make(random, i) {
			const made = thread(random, i);
			const { file } = home.put(made.id, made.bytes);
			fs.utimesSync(file, new Date(made.time), new Date(made.time));
			if (random.chance(0.2))
				names.set(made.id, words(random));
			return made;
		},
		ours: () => [...listed(home.sessions)].map(([file, title]) => [path.basename(file).slice(-36), title]),
		async list() {
			for (const [threadId, name] of names)
				await server.call("thread/name/set", { threadId, name });
			return (await list(server)).map((one) => [one.id, one]);
		},
		check(what, title, theirs, { id, typed }) {
			const { name, preview } = theirs ?? { name: names.get(id), preview: "" };
			sameTitle(what, title, preview === "[Image]" ? names.get(id) ?? typed ?? "[picture]" : name ?? preview);
		},
	});
});
