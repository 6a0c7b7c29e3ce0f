// Pi, for the tests that several agents have (../run.mjs).

import { assistant, user } from "../append.mjs";
import { same } from "../compare.mjs";
import { words } from "../listed.mjs";
import { versions } from "./agent.mjs";
import { generate, PiGenerator } from "./gen.mjs";

const APPENDS = {
	user: [4, (pi, { text }) => pi.appendMessage(user(text))],
	assistant: [4, (pi, { text }) => pi.appendMessage(assistant(text))],
	custom: [2, (pi, { text }) => pi.appendCustomMessageEntry("note", text, true)],
	compaction: [2, (pi, { text, random }) => pi.appendCompaction(text, random.pick([...pi.getBranch().map(({ id }) => id), undefined]), 9)],
	summary: [2, (pi, { text, random, ids }) => pi.branchWithSummary(random.pick(ids), text)],
	label: [2, (pi, { random, ids, labels }) => pi.appendLabelChange(random.pick(ids), random.pick(labels))],
	name: [1, (pi, { text }) => pi.appendSessionInfo(text)],
	model: [1, (pi) => pi.appendModelChange("p", "m")],
	thinking: [1, (pi) => pi.appendThinkingLevelChange("high")],
};

/** Entries with the ids that the mount shows, labels' ids being new anyway. */
function normal(trial, entries) {
	const ids = new Map(trial.linear ? trial.compared.names : []);
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

/** Against the fork that Pi makes there. This session has the ids that the names stand for. */
function checkFork(trial, branch, id) {
	const { manager } = trial.session;
	const header = branch.manager.getHeader();
	same("header of the branch", { ...header, id: 0, timestamp: 0 },
		{ type: "session", version: 3, id: 0, timestamp: 0, cwd: manager.getHeader().cwd, parentSession: trial.file });
	same("context of the branch", branch.context(branch.leaf()), trial.session.context(id));
	manager.createBranchedSession(id);
	same("entries of the branch", normal(trial, branch.entries), normal(trial, manager.getEntries()));
}

const SKILL = '<skill name="x" location="/s">\nDo this.\n</skill>';
const { SessionManager } = versions[0];

const titles = {
	prompts: {
		skill: [2, () => [SKILL, ""]],
		"skill and words": [2, (random) => {
			const typed = words(random);
			return [`${SKILL}\n\n${typed}`, typed];
		}],
	},
	names(random, put) {
		if (random.chance(0.4))
			random.some(2, () => put({ type: "session_info", name: random.pick([words(random), ` ${words(random)} `, "", " "]) }));
		return { before: [] };
	},
	list: (folder) => SessionManager.list("/work/demo", folder),
};

export const adapter = {
	dialect: "pi",
	titles,
	versions,
	generate,
	generator: (seed) => new PiGenerator(seed),
	keptName: (text) => text.trim(),
	manager: (pi, file) => pi.SessionManager.open(file),
	appends: APPENDS,
	checkFork,
};
