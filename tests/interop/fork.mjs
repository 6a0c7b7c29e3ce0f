// branch.jsonl of an entry, opened with an agent, against the session there.

import fs from "node:fs";
import path from "node:path";
import { same } from "./compare.mjs";

/** Of a trial whose session the agent has just opened, which may move on to a fork of its own. */
export async function checkFork(trial, agent, name) {
	const { mount, session, adapter } = trial;
	const id = trial.idOf(name);
	const file = path.join(trial.scratch, "branch.jsonl");
	const bytes = mount.read(`by-id/${name}/branch.jsonl`);
	fs.writeFileSync(file, bytes);
	const branch = await agent.open(file);
	same("branch.jsonl is left as it was when it is opened", fs.readFileSync(file).equals(bytes), true);
	for (const step of session.path(id).filter((one) => session.isForked(one)))
		same(`label of ${step} in the branch`, branch.label(trial.linear ? trial.nameOf(step) : step), session.label(step));
	await adapter.checkFork(trial, branch, id, file);
}
