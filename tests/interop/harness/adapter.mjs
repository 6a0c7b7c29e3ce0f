// Pi's harness library, for the tests that several agents have (../run.mjs).

import assert from "node:assert";
import fs from "node:fs";
import { assistant, user } from "../append.mjs";
import { same } from "../compare.mjs";
import { isWhole } from "../powercut.mjs";
import { harness } from "./agent.mjs";
import { generate, plain } from "./gen.mjs";
import { HarnessSequence } from "./sequence.mjs";

async function compact(session, { text, random }) {
	const branch = (await session.getBranch()).map(({ id }) => id);
	const tail = random.pick([undefined, [], [user("kept"), user("kept, too")]]);
	await session.appendCompaction(text, random.pick([...branch, undefined]), 9, undefined, false, undefined, tail);
}

const APPENDS = {
	user: [4, (session, { text }) => session.appendMessage(user(text))],
	assistant: [4, (session, { text }) => session.appendMessage({ ...assistant(text), usage: undefined })],
	custom: [2, (session, { text }) => session.appendCustomMessageEntry("note", text, true)],
	compaction: [2, compact],
	move: [3, (session, { random, ids }) => session.moveTo(random.pick([...ids, null]))],
	summary: [2, (session, { text, random, ids }) => session.moveTo(random.pick([...ids, null]), { summary: text })],
	label: [2, (session, { random, ids, labels }) => session.appendLabel(random.pick(ids), random.pick([...labels, undefined]))],
	tools: [1, (session) => session.appendActiveToolsChange(["read"])],
	name: [1, (session, { text }) => session.appendSessionName(text)],
	model: [1, (session) => session.appendModelChange("p", "m")],
	thinking: [1, (session) => session.appendThinkingLevelChange("high")],
};

/**
 * What the entries of a path say, without those that keep books: a fork may
 * drop them or write them anew, and then others name the next that is kept.
 */
function said(session, way) {
	const kept = way.filter((id) => !session.isBook(id));
	const isAt = new Map(way.map((id, i) => [id, i]));
	const next = (id) => way.slice(isAt.get(id) ?? way.length).find((step) => !session.isBook(step));
	return kept.map((id, i) => {
		const entry = { ...session.byId.get(id), parentId: kept[i - 1] ?? null };
		// One that is not on the path is none.
		if (entry.type === "compaction")
			entry.firstKeptEntryId = next(entry.firstKeptEntryId);
		return entry;
	});
}

function settings(session, id) {
	const { model, thinkingLevel, activeToolNames } = session.state(id);
	return { model, thinkingLevel, activeToolNames };
}

/** Against the path. */
function checkFork(trial, branch, id, file) {
	const { session } = trial;
	const { cwd, metadata } = session.metadata;
	same("header of the branch", { ...branch.metadata, id: 0, createdAt: 0 },
		{ id: 0, createdAt: 0, cwd, path: file, parentSessionPath: trial.file, metadata });
	same("context of the branch", branch.context(branch.leaf()), session.context(id));
	same("settings of the branch", settings(branch, branch.leaf()), settings(session, id));
	same("entries of the branch", said(branch, branch.path(branch.leaf())), said(session, session.path(id)));
}

/**
 * The library opens no session with a damaged line, and walks up to no lost parent: a user
 * has to take such lines out, and to cut such links.
 */
async function mend(file) {
	const lines = fs.readFileSync(file, "utf8").split("\n").filter((line) => line.trim());
	if (!lines.every(isWhole))
		await assert.rejects(harness.open(file), /is not valid JSON/);
	const values = lines.filter(isWhole).map((line) => JSON.parse(line));
	const ids = new Set(values.map(({ id }) => id));
	for (const value of values) {
		if (value.parentId && !ids.has(value.parentId))
			value.parentId = null;
	}
	fs.writeFileSync(file, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

export const adapter = {
	dialect: "pi-harness",
	versions: [harness],
	generate,
	manager: (_, file) => harness.session(file),
	appends: APPENDS,
	gluesLines: true,
	checkFork,
	keptLabel: (text) => text.trim(),
	/** Where `leaf` is not known, as in Pi, a session goes on at the parent. */
	checkMove: ({ type, parentId, targetId }) => same("entry that moved HEAD", { type, parentId }, { type: "leaf", parentId: targetId }),
	/** What it appends and Pi does not know. */
	turning: { bytes: plain(), by: ["move", "summary", "tools"] },
	Sequence: HarnessSequence,
	powerCuts: { patterns: ["*/pi-harness"], sample: "5", mend },
};
