// The real oh-my-pi offers the skill to its model: once, although it looks for skills
// where other agents do as well.

import fs from "node:fs";
import path from "node:path";
import { withScratch } from "../mount.mjs";
import { checkOffered } from "../skill.mjs";
import { Agent, COMMAND, NAME, session } from "./program.mjs";

await withScratch(async (scratch) => {
	const file = path.join(scratch, "session.jsonl");
	fs.writeFileSync(file, session(scratch));
	const env = { HOME: scratch };
	await checkOffered(["claude", "omp"], env, () => Agent.with([...COMMAND, "--resume", file], { cwd: scratch, env }, async (agent) => JSON.stringify(await agent.ask("get_state"))));
	console.log(`interop: ${NAME} offers the skill`);
});
