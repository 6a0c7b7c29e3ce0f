// Large transcripts, and sessions of recipes, that sessfs shows differently from what the
// agent sends, and why. One that no longer differs fails the test, so that this list
// stays true.

import { NEWEST } from "./agent.mjs";

/** For each version, the name of a case or a recipe and the reason. */
const KNOWN = {
	[NEWEST]: {
		models: "the last context before another model's turn has the thinking of its own model: the next one can't be known",
		tui_summarize: "before a summary of what follows, the agent had sent what the summary has replaced since",
		"large-note-and-commands-below-boundary": "HEAD is at the last command; the agent goes on from the note above, and sends the commands all the same",
	},
};

/**
 * Fail by a difference (null: none) that is not known, or a known one that is none any
 * more. Returns whether it is known, or undefined after a failure.
 */
export function judge(version, name, difference) {
	const reason = KNOWN[version]?.[name];
	if (Boolean(difference) === Boolean(reason))
		return Boolean(reason);
	process.exitCode = 1;
	console.error(`interop: VERSIONS=${version} CASES=${name}: ${difference ?? `no longer differs: ${reason}`}`);
	return undefined;
}
