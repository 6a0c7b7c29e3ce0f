// Odd transcripts that sessfs shows differently from what the agent sends, and why.
// One that no longer differs fails the test, so that this list stays true.

/** For each version, the name of a case and the reason. */
export const KNOWN = {
	"2.1.330": {
		"F20-sidechain-true-main": "a subagent's transcript is no conversation to the agent, but sessfs shows it",
		"L14-explicit-pin-sidechain": "a pin on a subagent's line: the agent finds no conversation, sessfs goes on without it",
		"subagent": "as S19-task-notification",
		"S19-task-notification": "the agent explains a notification at length before it; of that sessfs has the first sentence",
	},
};
