// Lines that `append` has to refuse, of every kind.

import { BAD_LINES } from "./generator.mjs";

const ASSISTANT = {
	role: "assistant", content: [{ type: "text", text: "said" }], api: "a", provider: "p", model: "m", stopReason: "stop",
	usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } }, timestamp: 5,
};
const COMPACTION = { type: "compaction", summary: "short", tokensBefore: 5 };
const NO_ID = "no such entry";

/** No entry of any agent. */
const NO_ENTRIES = [
	"null", "true", "5", '"text"', "[]", '[{"role":"user","content":"x"}]', "{}", '{"content":"no role"}', '{"role":5,"content":"x"}',
	'{"role":"user","content":"x"', '{"role":"user","content":"x"}}', '{"role":"user","content":"x"} more', '{"role":"user","content":"x"}{"role":"user","content":"y"}',
	...BAD_LINES,
];

function messages() {
	const without = (key) => ({ ...ASSISTANT, [key]: undefined });
	const { usage } = ASSISTANT;
	const blocks = [null, "text", 5, ["text"]].map((block) => [block]);
	const contents = [undefined, null, 5, {}, ...blocks];
	return [
		...["content", "provider", "model", "stopReason", "usage"].map(without),
		...[{ ...usage, cost: undefined }, { ...usage, cost: {} }, { ...usage, cost: { total: "0" } }, 5].map((other) => ({ ...ASSISTANT, usage: other })),
		...["text", null, ...blocks].map((content) => ({ ...ASSISTANT, content })),
		...contents.map((content) => ({ role: "user", content })),
		...contents.map((content) => ({ role: "toolResult", toolCallId: "c", toolName: "t", content, isError: false })),
		...contents.map((content) => ({ role: "custom", customType: "x", content, display: true })),
	];
}

/** Does what is wrong with a line come behind an object? In pieces, that might be taken. */
export function beginsWell(text) {
	return text.startsWith('{"role":"user","content":"x"}') && parsed(text) === undefined;
}

/** The value of a line, undefined if it is not JSON. */
export function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Entries of which those members are missing or odd that the agent relies on. */
function entries(ids, aside) {
	const bad = messages();
	return [
		...bad, ...bad.map((message) => ({ type: "message", message })),
		...[undefined, null, 5, "text", [], {}, { content: "no role" }].map((message) => ({ type: "message", message })),
		{ type: "message", role: "user", content: "no message" },
		{ type: "session", version: 3, id: "0198f000-0000-7000-8000-000000000002", timestamp: "2026-03-01T10:00:00.000Z", cwd: "/" },
		{ type: "session" },
		{ type: "title", v: 1, title: "x", updatedAt: "2026-03-01T10:00:00.000Z", pad: "" },
		...[NO_ID, "", 5, {}, true].map((parentId) => ({ type: "custom", customType: "x", parentId })),
		{ ...COMPACTION, summary: undefined }, { ...COMPACTION, summary: 5 }, { ...COMPACTION, tokensBefore: undefined },
		{ ...COMPACTION, tokensBefore: "5" },
		...[NO_ID, 5, {}, ...aside].map((firstKeptEntryId) => ({ ...COMPACTION, firstKeptEntryId })),
		...ids.slice(0, 1).map((firstKeptEntryId) => ({ ...COMPACTION, firstKeptEntryId, parentId: null })),
		...[undefined, null, NO_ID, 5].map((targetId) => ({ type: "label", targetId, label: "x" })),
		{ type: "custom_message", customType: "x", display: true }, { type: "custom_message", customType: "x", content: 5, display: true },
	];
}

/** Texts of lines; `ids` are all entries, `aside` those that are not on the leaf's path. */
export function refusedLines(ids, aside, own) {
	return [...NO_ENTRIES, ...[...entries(ids, aside), ...own].map((value) => JSON.stringify(value))];
}
