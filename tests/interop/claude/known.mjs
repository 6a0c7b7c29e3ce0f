// Odd transcripts that sessfs shows differently from what the agent sends, and why.
// One that no longer differs fails the test, so that this list stays true.

/** To be mended. */
const OPEN = [
	"A04-fragments-are-siblings", "A06-call-without-result-mid", "A07-one-of-two-results", "A08-result-without-call",
	"A09-two-results-one-call", "A10-call-id-twice", "A14-api-error", "A16-thinking-only", "A18-empty-text",
	"A19-blank-text", "A20-empty-text-beside-call", "A22-empty-contents", "A29-thinking-other-model",
	"A40-missing-tool-result-parallel", "A43-server-tool", "A46-whitespace-user", "A48-tool-call-no-result-then-results",
	"A49-no-content-message", "C13-preserved-new-below-kept", "C14-preserved-messages-below-kept", "C16-preserved-is-tip",
	"C17-preserved-unknown", "C20-anchor-is-boundary", "F07-duplicate-uuid", "F08-duplicate-uuid-other-parent",
	"F09-orphan-parent", "F22-prefix-sidechain", "F25-lone-surrogate", "L01-newer-earlier-in-file",
	"L03-two-tips-newer-first", "L04-system-tip-newest-on-older-branch", "L08-plain-pin", "L09-explicit-pin-then-lines",
	"L14-explicit-pin-sidechain", "L17-two-roots-older-last", "L20-orphan-newest", "L21-orphan-older-last",
	"L24-tip-attachment-branch", "L34-tip-unanswered-tool", "L37-pin-before-everything", "S01-local-command",
	"S02-local-command-pair", "S09-att-queued-command", "S10-att-queued-rendered", "S19-task-notification",
];

/** For each version, the name of a case and the reason. */
export const KNOWN = {
	"2.1.330": Object.fromEntries(OPEN.map((name) => [name, "to be mended"])),
};
