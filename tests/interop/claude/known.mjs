// Odd transcripts, and sessions of recipes, that sessfs shows differently from what the
// agent sends, and why. One that no longer differs fails the test, so that this list
// stays true.

import { NEWEST, OLD } from "./agent.mjs";

const SIDECHAIN = "a subagent's transcript is no conversation to the agent, but sessfs shows it";
const PROSE = "of a reminder's text by the old version sessfs has nothing, or that of the newest";
const CRASH = "the agent fails to resume it, by a TypeError";

/** For each version, the name of a case or a recipe and the reason. */
const KNOWN = {
	[NEWEST]: {
		"F20-sidechain-true-main": SIDECHAIN,
		"L14-explicit-pin-sidechain": "a pin on a subagent's line: the agent finds no conversation, sessfs goes on without it",
	},
	[OLD]: {
		"F20-sidechain-true-main": SIDECHAIN,
		"L19-no-timestamps": "the agent finds no conversation without times",
		"A21-string-assistant": CRASH,
		"F16-no-message": CRASH,
		"F03-no-final-lf": "the agent writes its first line at the end of the last one, and loses both",
		"F04-null-and-others": "the agent loses what follows a null",
		"F07-duplicate-uuid": "to the agent the last line is where it was first written",
		"F25-lone-surrogate": "the agent sends a lone surrogate as it is, sessfs U+FFFD, as the newest does",
		"S15-att-edited-file": PROSE,
		"S16-att-todo": PROSE,
		"maxtokens": "what the agent says to have an answer continued is not in the transcript",
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
