// Transcripts that are too large for the corpus: above 5 MiB the agent forgets what precedes
// a boundary.

import { answer, attachment, boundary, file, pin, summary, system, user } from "./transcript.mjs";

const OLD = [user(1, null, "old"), answer(2, 1, "x".repeat(6 << 20))];
const note = (n, parent) => attachment(n, parent, { type: "date_change", newDate: "2026-03-02" }, { rendered: [{ content: "<system-reminder>\nthe date\n</system-reminder>" }], renderedRole: "system" });
const command = (n, parent, name) => system(n, parent, "local_command", { content: `<command-name>/${name}</command-name>` });

const LINES = {
	"large-boundary-is-tip": [boundary(3, 2)],
	"large-boundary-without-logical-parent": [boundary(3, null)],
	"large-note-below-boundary": [boundary(3, 2), note(4, 3)],
	"large-command-below-boundary": [boundary(3, 2), command(4, 3, "x")],
	"large-command-and-note-below-boundary": [boundary(3, 2), command(4, 3, "x"), note(5, 4)],
	"large-note-and-commands-below-boundary": [boundary(3, 2), note(4, 3), command(5, 4, "x"), command(6, 5, "y")],
	"large-system-below-boundary": [boundary(3, 2), system(4, 3, "turn_duration", { durationMs: 5 })],
	"large-two-boundaries": [boundary(3, 2), summary(4, 3), user(5, 4, "new"), boundary(6, 5)],
	"large-user-below-boundary": [boundary(3, 2), user(4, 3, "new")],
	"large-branch-after-boundary": [boundary(3, 2), user(4, 2, "aside")],
	"large-pin-before-boundary": [boundary(3, 2), pin(2)],
};

/** Those that differ from what is sent, and why. */
export const LARGE_KNOWN = {
	"large-note-and-commands-below-boundary": "HEAD is at the last command; the agent goes on from the note above, and sends the commands all the same",
};

/** The bytes of each, by name. */
export const LARGE = Object.fromEntries(Object.entries(LINES).map(([name, lines]) => [name, file([...OLD, ...lines])]));
