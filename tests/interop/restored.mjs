// What an agent itself makes of the files when it goes back to a prompt.

import fs from "node:fs";
import path from "node:path";
import { Difference } from "./compare.mjs";

/**
 * Fails unless the files in a folder that were known at a request (files-at.mjs) are as its
 * copy has them. An agent may leave those that are not in its folder.
 */
export function checkRestored(cwd, { copy, expectation }) {
	for (const name of expectation.all("known").filter((known) => !known.startsWith("@"))) {
		const [now, then] = [cwd, copy].map((dir) => path.join(dir, name)).map((file) => (fs.existsSync(file) ? fs.readFileSync(file, "latin1") : null));
		if (now !== then)
			throw new Difference(`the agent restores ${name} as ${JSON.stringify(now)}, and it was ${JSON.stringify(then)}`);
	}
}
