// branch.jsonl of an entry, opened with oh-my-pi, against the session there.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { omp } from "./agent.mjs";

/** A title slot has room for this much; for more it depends on how its time is written. */
export const NAME_KEPT = 150;

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

/** Of a trial whose session omp has just opened: it moves on to a fork of its own. */
export async function checkBranch(trial, name) {
	const { mount, session } = trial;
	const id = trial.idOf(name);
	const file = path.join(trial.scratch, "branch.jsonl");
	const bytes = mount.read(`by-id/${name}/branch.jsonl`);
	fs.writeFileSync(file, bytes);
	const branch = await omp.open(file);
	if (!fs.readFileSync(file).equals(bytes))
		throw new Difference("omp rewrites branch.jsonl when it opens it");

	const { version, cwd, parentSession } = branch.manager.getHeader();
	same("header of the branch", { version, cwd, parentSession },
		{ version: 3, cwd: session.manager.getHeader().cwd, parentSession: trial.file });
	const entries = branch.entries.filter((entry) => entry.type !== "label");
	same("entries of the branch", JSON.parse(JSON.stringify(entries)), forked(trial, id));
	same("context of the branch", branch.context(branch.leaf()).text, session.context(id).text);
	for (const step of session.path(id)) {
		const there = trial.linear ? trial.nameOf(step) : step;
		if (session.byId.get(step).type !== "label")
			same(`label of ${step} in the branch`, branch.label(there), session.label(step));
	}
	const fork = await omp.open(session.manager.createBranchedSession(id));
	same("name of the branch", ...[branch, fork].map((s) => s.info().name?.slice(0, NAME_KEPT)));
	same("folders of the branch", ...[branch, fork].map((s) => s.manager.getAdditionalDirectories()));
}
