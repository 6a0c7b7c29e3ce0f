// What else can be said of a model's work (working.mjs): what an agent itself makes of the
// files when it goes back to a prompt, and what they are while it works.

import fs from "node:fs";
import path from "node:path";
import { Difference } from "./compare.mjs";

/**
 * Fails unless the files of a model's folder that were known at a request are
 * as its copy has them. An agent leaves those that somebody else has changed since then, and
 * may leave what is not in its folder.
 */
export function checkRestored({ cwd, shelf, expectation }, request) {
	const since = [...shelf.requests.slice(shelf.requests.indexOf(request)).map((one) => one.expectation), expectation];
	const names = request.expectation.all("known").filter((name) => !name.startsWith("@") && since.every((state) => state.is(name) !== "loose"));
	for (const name of names) {
		const [now, then] = [cwd, request.copy].map((dir) => path.join(dir, name)).map((file) => (fs.existsSync(file) ? fs.readFileSync(file, "latin1") : null));
		if (now !== then)
			throw new Difference(`the agent restores ${name} as ${JSON.stringify(now)}, and it was ${JSON.stringify(then)}`);
	}
}

/** The requests, and as such the entries of the first calls of their answers: no result counts there. */
export function withCalls(requests) {
	const calls = requests.filter(({ answer }) => answer.length > 0).map((request) => ({ ...request, calls: [], prompt: JSON.stringify(request.answer[0].id) }));
	return [...requests, ...calls];
}
