// Lines of Claude Code transcripts, in few words; and files of them.
//
// An entry is named by a number, which its uuid ends with and which is the second
// that it was written in, unless `t` says another.

import { VERSION } from "./agent.mjs";

export const SESSION = "5e55f500-0000-4000-8000-000000000001";
export const MODEL = "claude-sonnet-4-6";

export function uuid(n) {
	return typeof n === "number" ? `c1a0de00-0000-4000-8000-${String(n).padStart(12, "0")}` : n;
}

function time(t) {
	return new Date(Date.UTC(2026, 2, 1, 10, 0, t)).toISOString();
}

export function line(n, parent, type, { t, ...more } = {}) {
	return {
		parentUuid: uuid(parent), isSidechain: false, userType: "external", cwd: "/home/ada/demo", sessionId: SESSION,
		version: VERSION, gitBranch: "main", type, ...more, uuid: uuid(n), timestamp: time(t ?? n),
	};
}

export function user(n, parent, content, more) {
	return line(n, parent, "user", { message: { role: "user", content }, ...more });
}

/** What comes after the parent are blocks, or texts for such, and perhaps more members. */
export function answer(n, parent, ...rest) {
	const isMore = typeof rest.at(-1) === "object" && !rest.at(-1).type;
	const { mid, stop, model = MODEL, ...more } = isMore ? rest.pop() : {};
	const content = rest.map((block) => (typeof block === "string" ? { type: "text", text: block } : block));
	const calls = content.some((block) => block.type === "tool_use");
	const message = {
		id: mid ?? `msg_${n}`, type: "message", role: "assistant", model, content,
		stop_reason: stop ?? (calls ? "tool_use" : "end_turn"), stop_sequence: null,
		usage: { input_tokens: 1, output_tokens: 1 },
	};
	return line(n, parent, "assistant", { message, ...more });
}

export function call(id, name = "Bash", input = { command: "x" }) {
	return { type: "tool_use", id, name, input };
}

export function result(id, content = "R", more = {}) {
	return { type: "tool_result", tool_use_id: id, content: typeof content === "string" ? `${content} ${id}` : content, ...more };
}

/** A user's line with results, or ids of calls for such, and perhaps more members. */
export function results(n, parent, ...rest) {
	const isMore = typeof rest.at(-1) === "object" && !rest.at(-1).type;
	const more = isMore ? rest.pop() : {};
	return user(n, parent, rest.map((one) => (typeof one === "string" ? result(one) : one)), more);
}

export function system(n, parent, subtype, more) {
	return line(n, parent, "system", { subtype, ...more });
}

export function attachment(n, parent, attachment, more) {
	return line(n, parent, "attachment", { attachment, ...more });
}

export function thinking(text = "hm", signature = "c2ln") {
	return { type: "thinking", thinking: text, signature };
}

export function boundary(n, logical, meta) {
	return system(n, null, "compact_boundary", {
		content: "Conversation compacted", isMeta: false, level: "info",
		...(logical ? { logicalParentUuid: uuid(logical) } : {}),
		compactMetadata: { trigger: "manual", preTokens: 1000, ...meta },
	});
}

export function summary(n, parent, text = "SUM") {
	return user(n, parent, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true });
}

export function pin(n, more) {
	return { type: "last-prompt", lastPrompt: "x", leafUuid: uuid(n), sessionId: SESSION, ...more };
}

/** The bytes of a file; a line that is text stays as it is. */
export function file(lines) {
	return Buffer.from(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
}
