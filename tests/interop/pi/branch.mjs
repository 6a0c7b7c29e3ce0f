// branch.jsonl of an entry, opened with Pi, against the fork that Pi makes there.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";

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

/** Of a trial whose session Pi has just opened: it moves on to the fork. */
export function checkBranch(trial, pi, name) {
	const { mount, session } = trial;
	const id = trial.idOf(name);
	const file = path.join(trial.scratch, "branch.jsonl");
	const bytes = mount.read(`by-id/${name}/branch.jsonl`);
	fs.writeFileSync(file, bytes);
	const branch = pi.open(file);
	if (!fs.readFileSync(file).equals(bytes))
		throw new Difference("Pi repairs branch.jsonl when it opens it");

	// This session has the ids that the names stand for.
	const { manager } = session;
	const header = branch.manager.getHeader();
	same("header of the branch", { ...header, id: 0, timestamp: 0 },
		{ type: "session", version: 3, id: 0, timestamp: 0, cwd: manager.getHeader().cwd, parentSession: trial.file });
	same("context of the branch", branch.context(branch.leaf()), session.context(id));
	for (const step of session.path(id)) {
		const there = trial.linear ? trial.nameOf(step) : step;
		if (session.byId.get(step).type !== "label")
			same(`label of ${step} in the branch`, branch.label(there), session.label(step));
	}
	manager.createBranchedSession(id);
	same("entries of the branch", normal(trial, branch.entries), normal(trial, manager.getEntries()));
}
