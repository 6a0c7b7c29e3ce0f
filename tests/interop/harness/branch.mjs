// branch.jsonl of an entry, opened with Pi's harness library, against the path
// to that entry.

import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { harness } from "./agent.mjs";

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

/** Of a trial whose session the library has opened. */
export async function checkBranch(trial, name) {
	const { mount, session } = trial;
	const id = trial.idOf(name);
	const file = path.join(trial.scratch, "branch.jsonl");
	fs.writeFileSync(file, mount.read(`by-id/${name}/branch.jsonl`));
	const branch = await harness.open(file);

	const { cwd, metadata } = session.metadata;
	same("header of the branch", { ...branch.metadata, id: 0, createdAt: 0 },
		{ id: 0, createdAt: 0, cwd, path: file, parentSessionPath: trial.file, metadata });
	same("context of the branch", branch.context(branch.leaf()), session.context(id));
	same("settings of the branch", settings(branch, branch.leaf()), settings(session, id));
	same("entries of the branch", said(branch, branch.path(branch.leaf())), said(session, session.path(id)));
	for (const step of session.path(id)) {
		if (!session.isBook(step))
			same(`label of ${step} in the branch`, branch.label(step), session.label(step));
	}
}
