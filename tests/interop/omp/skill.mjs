// The real oh-my-pi offers the skill to its model: once, although it looks for skills
// where other agents do as well.

import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { install, TEXT, withPrograms } from "../skill.mjs";
import { Agent, COMMAND, NAME, session } from "./program.mjs";

/** Of a description it shows the first sentence, which says when. */
const [, DESCRIPTION] = TEXT.match(/^description: (.*?\.) /m);

await withScratch(async (scratch) => {
	const file = path.join(scratch, "session.jsonl");
	fs.writeFileSync(file, session(scratch));
	const env = withPrograms(scratch, { HOME: scratch });
	const offers = async () => {
		const agent = new Agent([...COMMAND, "--resume", file], scratch, env);
		try {
			return JSON.stringify(await agent.ask("get_state")).split(`sessfs: ${DESCRIPTION}`).length - 1;
		} finally {
			await agent.end();
		}
	};
	same("offers without the skill", await offers(), 0);
	install("claude", env);
	install("omp", env);
	same("offers", await offers(), 1);
	console.log(`interop: ${NAME} offers the skill`);
});
