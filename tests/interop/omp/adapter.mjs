// oh-my-pi, for the tests that several agents have (../run.mjs).

import { assistant, user } from "../append.mjs";
import { same } from "../compare.mjs";
import { words } from "../listed.mjs";
import { omp, serializeTitleSlot, SessionManager, storeBlobs } from "./agent.mjs";
import { generate, OmpGenerator } from "./gen.mjs";
import { BLOBS } from "./values.mjs";

/** The first line, which omp writes over, and how long a name it has room for at least. */
const SLOT = 256, NAME_KEPT = 150;

const APPENDS = {
	user: [4, (manager, { text }) => manager.appendMessage(user(text))],
	assistant: [4, (manager, { text }) => manager.appendMessage(assistant(text))],
	developer: [1, (manager, { text }) => manager.appendMessage({ role: "developer", content: [{ type: "text", text }], timestamp: 5 })],
	custom: [2, (manager, { text }) => manager.appendCustomMessageEntry("note", text, true)],
	compaction: [2, (manager, { text, random, ids }) => manager.appendCompaction(text, undefined, random.pick(ids), 9, { method: random.pick(["soft", "handoff"]) })],
	summary: [2, (manager, { text, random, ids }) => manager.branchWithSummary(random.pick(ids), text)],
	label: [2, (manager, { random, ids, labels }) => manager.appendLabelChange(random.pick(ids), random.pick(labels))],
	title: [2, (manager, { text }) => manager.setSessionName(text, "user")],
	model: [1, (manager) => manager.appendModelChange("p/m")],
	thinking: [1, (manager) => manager.appendThinkingLevelChange("high")],
	reset: [1, (manager) => manager.appendResetBoundary()],
	notes: [1, (manager, { text }) => manager.appendCustomEntry("experimental_context_notes", { version: 1, text })],
};

/** An anchor on a path, or where it was a label, the next entry that is none. */
function keptFrom(way, anchor) {
	const at = way.findIndex((entry) => entry.id === anchor);
	const next = at < 0 ? undefined : way.slice(at).find((entry) => entry.type !== "label");
	return next ? next.id : anchor;
}

/** The entries up to one as a fork has them: without labels, linked over the gaps. */
function forked(trial, id) {
	const way = trial.session.path(id).map((step) => trial.session.byId.get(step));
	const name = (step) => (trial.linear ? trial.nameOf(step) : step) ?? step;
	const kept = way.filter((entry) => entry.type !== "label");
	return JSON.parse(JSON.stringify(kept)).map((entry, i) => {
		const changed = { id: name(entry.id), parentId: i > 0 ? name(kept[i - 1].id) : null };
		if (entry.type === "compaction" && entry.firstKeptEntryId !== undefined)
			changed.firstKeptEntryId = name(keptFrom(way, entry.firstKeptEntryId));
		if (entry.providerReplayThroughEntryId !== undefined)
			changed.providerReplayThroughEntryId = name(entry.providerReplayThroughEntryId);
		return { ...entry, ...changed };
	});
}

/** Against the path, and what else is in a fork that omp makes there. */
async function checkFork(trial, branch, id) {
	const { session } = trial;
	const { version, cwd, parentSession } = branch.manager.getHeader();
	same("header of the branch", { version, cwd, parentSession },
		{ version: 3, cwd: session.manager.getHeader().cwd, parentSession: trial.file });
	const entries = branch.entries.filter((entry) => entry.type !== "label");
	same("entries of the branch", JSON.parse(JSON.stringify(entries)), forked(trial, id));
	same("context of the branch", branch.context(branch.leaf()).text, session.context(id).text);
	const fork = await omp.open(session.manager.createBranchedSession(id));
	same("name of the branch", ...[branch, fork].map((s) => s.info().name?.slice(0, NAME_KEPT)));
	same("folders of the branch", ...[branch, fork].map((s) => s.manager.getAdditionalDirectories()));
}

const titles = {
	prompts: {
		"the agent's": [2, (random) => [words(random), "", random.pick([{ synthetic: true }, { attribution: "agent" }])]],
	},
	names(random) {
		const title = random.pick([words(random), ` ${words(random)} `, ""]);
		const slot = random.chance(0.3) ? [serializeTitleSlot({ title, updatedAt: "2026-03-01T10:00:00.000Z" }).trimEnd()] : [];
		return { before: slot, header: random.chance(0.2) ? { title: words(random) } : {} };
	},
	async list(folder) {
		const infos = await SessionManager.list("/work/demo", folder);
		return infos.map((info) => ({ ...info, name: info.title }));
	},
};

export const adapter = {
	dialect: "omp",
	titles,
	versions: [omp],
	generate,
	generator: (seed) => new OmpGenerator(seed, false),
	body: (bytes) => bytes.subarray(bytes.indexOf('{"type":"title"') === 0 ? SLOT : 0),
	keptName(text, shown) {
		const kept = text.replace(/ +/g, " ").trim();
		return kept.length > NAME_KEPT && shown.length >= NAME_KEPT && kept.startsWith(shown) ? shown : kept;
	},
	prepare: () => storeBlobs(BLOBS),
	manager: async (_, file) => (await omp.open(file)).manager,
	appends: APPENDS,
	flush: (manager) => manager.flush(),
	close: (manager) => manager.close(),
	gluesLines: true,
	checkFork,
};
