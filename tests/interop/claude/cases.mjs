// Small odd transcripts, one rule each.

import { answer, attachment, boundary, call, file, line, MODEL, pin, result, results, SESSION, summary, system, thinking, torn, user, uuid, without } from "./transcript.mjs";

const BASE = [user(1, null, "one"), answer(2, 1, "A2")];
const OLD = [user(1, null, "old"), answer(2, 1, "old answer")];
/** Of more than 5 MiB, in which the agent forgets what precedes a boundary. */
const LARGE = [user(1, null, "old"), answer(2, 1, "x".repeat(6 << 20))];
const KEPT = [...OLD, user(3, 2, "kept"), answer(4, 3, "kept answer")];
const NOTE = { type: "date_change", newDate: "2026-03-02" };
const RENDERED = { rendered: [{ content: "<system-reminder>\nthe date\n</system-reminder>" }], renderedRole: "system" };
const side = { isSidechain: true, agentId: "a1b2c3d" };

const SYSTEM_LINES = [
	"informational", "turn_duration", "api_error", "stop_hook_summary", "away_summary", "memory_saved", "bridge_status",
	"scheduled_task_fire", "permission_retry", "thinking", "agents_killed", "file_snapshot",
];

const LEAF = {
	"L01-newer-earlier-in-file": [user(1, null, "q"), answer(4, 1, "newer"), answer(3, 1, "older, last in file")],
	"L02-two-tips-newer-last": [...BASE, user(3, 2, "left"), answer(4, 3, "L"), user(5, 2, "right"), answer(6, 5, "R")],
	"L03-two-tips-newer-first": [
		...BASE, user(5, 2, "right"), answer(6, 5, "R"), user(3, 2, "left, last in file"), answer(4, 3, "L"),
	],
	"L04-system-tip-newest-on-older-branch": [
		user(1, null, "q"), answer(2, 1, "older"), answer(3, 1, "newer"), system(9, 2, "turn_duration", { durationMs: 5 }),
	],
	"L05-sidechain-tip": [...BASE, user(20, null, "sub", side), answer(21, 20, "sub reply", side)],
	"L06-sidechain-below-main": [...BASE, answer(30, 1, "side", side)],
	"L07-explicit-pin": [
		user(1, null, "q"), answer(2, 1, "first"), user(3, 2, "thanks"), answer(4, 1, "second"), user(5, 4, "thanks too"),
		pin(3, { explicit: true }),
	],
	"L08-plain-pin": [
		user(1, null, "q"), answer(2, 1, "first"), user(3, 2, "thanks"), answer(4, 1, "second"), user(5, 4, "thanks too"), pin(3),
	],
	"L09-explicit-pin-then-lines": [
		user(1, null, "q"), answer(2, 1, "first"), user(3, 2, "thanks"), answer(4, 1, "second"), pin(3, { explicit: true }),
		user(5, 4, "thanks too"),
	],
	"L10-explicit-then-plain-same": [
		user(1, null, "q"), answer(2, 1, "first"), user(3, 2, "thanks"), answer(4, 1, "second"), user(5, 4, "too"),
		pin(3, { explicit: true }), pin(3),
	],
	"L11-explicit-then-plain-other": [
		user(1, null, "q"), answer(2, 1, "first"), user(3, 2, "thanks"), answer(4, 1, "second"), user(5, 4, "too"),
		pin(3, { explicit: true }), pin(5),
	],
	"L12-explicit-pin-unknown": [...BASE, pin(99, { explicit: true })],
	"L13-explicit-pin-mid-chain": [...BASE, user(3, 2, "three"), answer(4, 3, "A4"), pin(2, { explicit: true })],
	"L14-explicit-pin-sidechain": [
		...BASE, user(20, null, "sub", side), answer(21, 20, "sub reply", side), pin(21, { explicit: true }),
	],
	"L15-explicit-pin-of-system": [
		...BASE, system(3, 2, "turn_duration", { durationMs: 5 }), user(4, 2, "x"), answer(5, 4, "y"), pin(3, { explicit: true }),
	],
	"L16-two-roots": [user(1, null, "one"), answer(2, 1, "A2"), user(3, null, "other root"), answer(4, 3, "A4")],
	"L17-two-roots-older-last": [user(3, null, "newer root"), answer(4, 3, "A4"), user(1, null, "older root"), answer(2, 1, "A2")],
	"L18-equal-times": [user(1, null, "q"), answer(2, 1, "first", { t: 5 }), answer(3, 1, "second", { t: 5 })],
	"L19-no-timestamps": [user(1, null, "q"), answer(2, 1, "first"), answer(3, 1, "second")].map((line) => without(line, "timestamp")),
	"L20-orphan-newest": [...BASE, user(5, 99, "orphan"), answer(6, 5, "A6")],
	"L21-orphan-older-last": [user(5, null, "one", { t: 5 }), answer(6, 5, "A6"), user(1, 99, "orphan"), answer(2, 1, "A2")],
	"L22-tip-user-meta": [...BASE, user(3, 2, "meta words", { isMeta: true })],
	"L23-tip-unanswered-prompt": [...BASE, user(3, 2, "unanswered")],
	"L24-tip-attachment-branch": [
		user(1, null, "q"), answer(2, 1, "first"), answer(3, 1, "second"),
		attachment(4, 2, { type: "hook_success", hookName: "x", toolUseID: "y", hookEvent: "Stop", content: "no" }),
	],
	"L25-progress-tip": [
		...BASE,
		line(3, 2, "progress", { data: { type: "hook_progress", hookEvent: "Stop", hookName: "x", command: "y" }, toolUseID: "t", parentToolUseID: "t" }),
	],
	"L26-summary-leaf": [
		{ type: "summary", summary: "T", leafUuid: uuid(2) }, user(1, null, "q"), answer(2, 1, "first"), answer(3, 1, "second"),
	],
	"L27-cycle": [user(1, 2, "a"), answer(2, 1, "b"), user(3, 2, "c")],
	"L28-self-parent": [user(1, 1, "own"), answer(2, 1, "b")],
	"L29-inner-newer-than-tip": [
		user(1, null, "q"), answer(2, 1, "A", { t: 50 }), user(3, 2, "old clock", { t: 3 }), answer(4, 1, "B", { t: 20 }),
	],
	"L30-tip-by-system-only-root": [
		system(1, null, "informational", { content: "hello", level: "info" }), user(2, 1, "one"), answer(3, 2, "A3"),
	],
	"L31-pin-explicit-then-metadata": [
		user(1, null, "q"), answer(2, 1, "first"), answer(4, 1, "second"), pin(2, { explicit: true }),
		{ type: "custom-title", customTitle: "T", sessionId: SESSION },
	],
	"L32-pin-explicit-then-system": [
		user(1, null, "q"), answer(2, 1, "first"), answer(4, 1, "second"), pin(2, { explicit: true }),
		system(5, 4, "turn_duration", { durationMs: 5 }),
	],
	"L33-pin-explicit-child-of-pinned": [
		user(1, null, "q"), answer(2, 1, "first"), answer(4, 1, "second"), pin(2, { explicit: true }), user(5, 2, "went on"),
	],
	"L34-tip-unanswered-tool": [...BASE, user(3, 2, "do"), answer(4, 3, "I call", call("t1"))],
	"L35-tip-tool-result": [...BASE, user(3, 2, "do"), answer(4, 3, "I call", call("t1")), results(5, 4, "t1")],
	"L36-tip-interrupt-mark": [
		...BASE, user(3, 2, "do"), answer(4, 3, "half"), user(5, 4, [{ type: "text", text: "[Request interrupted by user]" }]),
	],
	"L38-pin-unknown-child-first": [...BASE, pin(99, { explicit: true }), answer(5, 4, "before its parent"), user(4, 2, "last")],
	"L39-plain-pin-unknown-child-first": [...BASE, pin(99), answer(5, 4, "before its parent"), user(4, 2, "last")],
	"L40-pin-zero-child-first": [
		...BASE, { ...pin(99, { explicit: true }), leafUuid: "00000000-0000-0000-0000-000000000000" },
		answer(5, 4, "before its parent"), user(4, 2, "last"),
	],
	"L41-pin-null-child-first": [
		...BASE, { ...pin(99, { explicit: true }), leafUuid: null }, answer(5, 4, "before its parent"), user(4, 2, "last"),
	],
	"L42-no-pin-child-first": [...BASE, answer(5, 4, "before its parent"), user(4, 2, "last")],
	"L43-pin-unknown-then-known": [...BASE, pin(99, { explicit: true }), pin(2), answer(5, 4, "before its parent"), user(4, 2, "last")],
	"L44-pin-unknown-attachment-first": [
		...BASE, pin(99, { explicit: true }), attachment(6, 4, { type: "date_change", newDate: "2026-03-02" }),
		answer(5, 4, "before its parent"), user(4, 2, "last"),
	],
	"L37-pin-before-everything": [pin(2, { explicit: true }), user(1, null, "q"), answer(2, 1, "first"), answer(4, 1, "second")],
};

// Responses and results.
const RESPONSES = {
	"R60-kept-copy-of-response": [
		user(1, null, "one"), answer(2, 1, "I call", call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }),
		results(4, 2, "t1"), results(5, 3, "t2"), answer(6, 5, "A6"), boundary(9, 6),
		user(10, 9, "one"), answer(11, 10, "I call", call("t1"), { mid: "m" }), results(12, 11, "t1"), user(13, 12, "next"), answer(14, 13, "A14"),
	],
	"R61-one-response-two-roots": [
		user(1, null, "one"), answer(2, 1, "first half", { mid: "m" }), user(3, null, "two"), answer(4, 3, "second half", { mid: "m" }),
		user(5, 4, "three"), answer(6, 5, "A6"),
	],
	"R62-one-response-two-branches": [
		...BASE, user(3, 2, "left"), answer(4, 3, "left half", call("t1"), { mid: "m" }), results(5, 4, "t1"), answer(6, 5, "L"),
		user(7, 2, "right"), answer(8, 7, "right half", { mid: "m" }), user(9, 8, "x"), answer(10, 9, "R"),
	],
	"R63-one-response-later-branch": [
		...BASE, user(7, 2, "right"), answer(8, 7, "right half", { mid: "m" }), user(9, 8, "x"), answer(10, 9, "R", { t: 30 }),
		user(3, 2, "left"), answer(4, 3, "left half", { mid: "m" }), pin(10, { explicit: true }),
	],
	"R64-one-response-on-a-sidechain": [
		user(1, null, "sub", side), answer(2, 1, "aside", { mid: "m", ...side }), user(3, null, "two"), answer(4, 3, "here", { mid: "m" }),
		user(5, 4, "three"), answer(6, 5, "A6"),
	],
	"R65-result-of-a-result-elsewhere": [
		user(1, null, "one"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }),
		results(4, 3, "t2"), results(5, 4, "t1"), answer(6, 5, "A6"), user(10, null, "two"), answer(11, 10, "again", { mid: "m" }),
		user(13, 11, "next"), answer(14, 13, "A14"),
	],
	"R66-one-response-twice-on-the-way": [
		user(1, null, "one"), answer(2, 1, "a", { mid: "m" }), user(3, 2, "two"), answer(4, 3, "b", { mid: "m" }), user(5, 4, "x"),
		answer(6, 5, "A6"), user(7, null, "root"), answer(8, 7, "c", { mid: "m" }), pin(6, { explicit: true }),
	],
	"R67-one-response-below-another-user": [
		user(1, null, "one"), answer(2, 1, "a", { mid: "m" }), user(3, 2, "b"), answer(4, 3, "c", { mid: "m" }), user(5, 2, "d"), answer(6, 5, "A6"),
	],
	"R68-one-response-with-calls-aside": [
		user(1, null, "sub", side), answer(2, 1, call("t1"), { mid: "m", ...side }), results(3, 2, "t1", side), user(4, null, "two"), answer(5, 4, "here", { mid: "m" }),
		user(6, 5, "three"), answer(7, 6, "A7"),
	],
	"R69-links-of-one-response-elsewhere": [
		user(1, null, "one"), answer(2, 1, call("t1"), { mid: "m" }), results(3, 2, "t1"), attachment(4, 2, { type: "hook_additional_context", content: ["hook words"], hookName: "PostToolUse", toolUseID: "t1", hookEvent: "PostToolUse" }), answer(5, 3, "A5"),
		user(6, null, "two"), answer(7, 6, "here", { mid: "m" }), user(8, 7, "three"), answer(9, 8, "A9"),
	],
	"R70-sibling-of-the-first-of-two-places": [
		user(1, null, "one"), answer(2, 1, "a", { mid: "m" }), answer(3, 1, "b", { mid: "m" }), user(4, 2, "x"), answer(5, 4, "c", { mid: "m" }), user(6, 5, "y"), answer(7, 6, "A7"),
	],
	"R71-order-of-fragments-elsewhere": [
		user(1, null, "one"), answer(2, 1, "z", { mid: "m", t: 50 }), user(3, null, "two"), answer(4, 3, "b", { mid: "m", t: 30 }), user(5, 4, "x", { t: 60 }), answer(6, 5, "A6", { t: 61 }),
		user(7, null, "three", { t: 20 }), answer(8, 7, "c", { mid: "m", t: 10 }), pin(6, { explicit: true }),
	],
	"R72-open-call-before-thinking": [
		user(1, null, "one"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }), results(4, 2, "t1"),
		answer(5, 4, thinking(), { mid: "n" }), answer(6, 5, "", { mid: "n" }), pin(6, { explicit: true }),
	],
	"R73-result-on-a-sidechain": [
		user(1, null, "one"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }), results(4, 2, "t1", side), results(5, 3, "t2"),
		user(6, 5, "two"), answer(7, 6, "A7"),
	],
	"A01-split-response": [
		user(1, null, "go"), answer(2, 1, thinking(), { mid: "m" }), answer(3, 2, "text", { mid: "m" }),
		answer(4, 3, call("t1"), { mid: "m" }), results(5, 4, "t1"), answer(6, 5, "done"),
	],
	"A02-parallel-off-chain": [
		user(1, null, "go"), answer(2, 1, thinking(), { mid: "m" }), answer(3, 2, call("t1"), { mid: "m" }),
		answer(4, 3, call("t2"), { mid: "m" }), results(5, 3, "t1"), results(6, 4, "t2"), answer(7, 6, "done"),
	],
	"A03-parallel-off-chain-late": [
		user(1, null, "go"), answer(3, 1, call("t1"), { mid: "m" }), answer(4, 3, call("t2"), { mid: "m" }), results(6, 4, "t2"),
		results(5, 3, "t1", { t: 7 }), answer(8, 6, "done"),
	],
	"A04-fragments-are-siblings": [
		user(1, null, "go"), answer(3, 1, call("t1"), { mid: "m" }), results(4, 3, "t1"), answer(5, 1, call("t2"), { mid: "m" }),
		results(6, 5, "t2"), answer(7, 6, "done"),
	],
	"A05-result-between-fragments": [
		user(1, null, "go"), answer(3, 1, call("t1"), { mid: "m" }), results(4, 3, "t1"), answer(5, 4, call("t2"), { mid: "m" }),
		results(6, 5, "t2"), answer(7, 6, "done"),
	],
	"A06-call-without-result-mid": [
		user(1, null, "go"), answer(2, 1, "I call", call("t1")), user(3, 2, "never mind"), answer(4, 3, "ok"),
	],
	"A07-one-of-two-results": [user(1, null, "go"), answer(2, 1, call("t1"), call("t2")), results(3, 2, "t1"), answer(4, 3, "ok")],
	"A08-result-without-call": [user(1, null, "go"), results(2, 1, "tX"), answer(3, 2, "ok")],
	"A09-two-results-one-call": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, "t1"), results(4, 3, result("t1", "again")), answer(5, 4, "ok"),
	],
	"A10-call-id-twice": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, "t1"), answer(4, 3, call("t1")),
		results(5, 4, result("t1", "again")), answer(6, 5, "ok"),
	],
	"A11-consecutive-users": [
		user(1, null, "one"), user(2, 1, "two"), user(3, 2, [{ type: "text", text: "three" }]), answer(4, 3, "ok"),
	],
	"A12-meta-user": [user(1, null, "meta words", { isMeta: true }), user(2, 1, "two"), answer(3, 2, "ok")],
	"A13-transcript-only-user": [
		...BASE, user(3, 2, "not for the model", { isVisibleInTranscriptOnly: true }), user(4, 3, "four"), answer(5, 4, "ok"),
	],
	"A14-api-error": [
		...BASE, user(3, 2, "three"), answer(4, 3, "API Error: 400", { model: "<synthetic>", isApiErrorMessage: true }),
		user(5, 4, "five"), answer(6, 5, "ok"),
	],
	"A37-api-error-of-a-model": [
		...BASE, user(3, 2, "three"), answer(4, 3, "API Error: 400", { isApiErrorMessage: true }),
		user(5, 4, "five"), answer(6, 5, "ok"),
	],
	"A38-api-error-last": [...BASE, user(3, 2, "three"), answer(4, 3, "API Error: 400", { isApiErrorMessage: true })],
	"A39-synthetic-error-last": [...BASE, user(3, 2, "three"), answer(4, 3, "API Error: 400", { model: "<synthetic>", isApiErrorMessage: true })],
	"A15-synthetic-not-error": [
		...BASE, user(3, 2, "three"), answer(4, 3, "No response requested.", { model: "<synthetic>" }), user(5, 4, "five"),
		answer(6, 5, "ok"),
	],
	"A16-thinking-only": [...BASE, user(3, 2, "three"), answer(4, 3, thinking()), user(5, 4, "five"), answer(6, 5, "ok")],
	"A17-trailing-thinking-fragment": [
		...BASE, user(3, 2, "three"), answer(4, 3, "text", { mid: "m" }), answer(5, 4, thinking(), { mid: "m" }), user(6, 5, "six"),
		answer(7, 6, "ok"),
	],
	"A18-empty-text": [user(1, null, "one"), answer(2, 1, ""), user(3, 2, "three"), answer(4, 3, "ok")],
	"A19-blank-text": [user(1, null, "one"), answer(2, 1, "\n\n"), user(3, 2, "three"), answer(4, 3, "ok")],
	"A20-empty-text-beside-call": [user(1, null, "one"), answer(2, 1, "", call("t1")), results(3, 2, "t1"), answer(4, 3, "ok")],
	"A21-string-assistant": [
		user(1, null, "one"),
		line(2, 1, "assistant", { message: { id: "m", type: "message", role: "assistant", model: MODEL, content: "plain" } }),
		user(3, 2, "three"), answer(4, 3, "ok"),
	],
	"A22-empty-contents": [
		user(1, null, "one"), user(2, 1, ""), user(3, 2, []), answer(4, 3), user(5, 4, "five"), answer(6, 5, "ok"),
	],
	"A23-results-and-text-mixed": [
		user(1, null, "go"), answer(2, 1, call("t1")),
		user(3, 2, [{ type: "text", text: "before" }, result("t1"), { type: "text", text: "after" }]), answer(4, 3, "ok"),
	],
	"A24-result-then-user": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, "t1"), user(4, 3, "and more words"), answer(5, 4, "ok"),
	],
	"A25-assistants-apart": [user(1, null, "one"), answer(2, 1, "A2"), answer(3, 2, "A3"), user(4, 3, "four"), answer(5, 4, "ok")],
	"A26-same-id-far-apart": [
		user(1, null, "one"), answer(2, 1, "A2", { mid: "m" }), user(3, 2, "three"), answer(4, 3, "A4", { mid: "m" }), user(5, 4, "x"),
		answer(6, 5, "ok"),
	],
	"A27-interrupted-mark": [
		...BASE, user(3, 2, "do"), answer(4, 3, "half"), user(5, 4, [{ type: "text", text: "[Request interrupted by user]" }]),
		user(6, 5, "again"), answer(7, 6, "ok"),
	],
	"A28-interrupted-tool": [
		...BASE, user(3, 2, "do"), answer(4, 3, call("t1")),
		results(5, 4, result("t1", "The user doesn't want to proceed", { is_error: true })),
		user(6, 5, [{ type: "text", text: "[Request interrupted by user for tool use]" }]), user(7, 6, "again"), answer(8, 7, "ok"),
	],
	"A29-thinking-other-model": [
		user(1, null, "one"), answer(2, 1, thinking(), "A2", { model: "claude-opus-4-1-20250805" }), user(3, 2, "three"),
		answer(4, 3, "ok"),
	],
	"A30-redacted-thinking": [
		user(1, null, "one"), answer(2, 1, { type: "redacted_thinking", data: "eA==" }, "A2"), user(3, 2, "three"), answer(4, 3, "ok"),
	],
	"A31-unsigned-thinking": [user(1, null, "one"), answer(2, 1, thinking("hm", ""), "A2"), user(3, 2, "three"), answer(4, 3, "ok")],
	"A32-picture-and-document": [
		user(1, null, [{ type: "text", text: "see" }, { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }, { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } }]),
		answer(2, 1, "ok"),
	],
	"A33-result-blocks": [
		user(1, null, "go"), answer(2, 1, call("t1")),
		results(3, 2, result("t1", [{ type: "text", text: "x" }, { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } }])),
		answer(4, 3, "ok"),
	],
	"A34-error-result": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, result("t1", "bad", { is_error: true })), answer(4, 3, "ok"),
	],
	"A35-empty-result": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, { type: "tool_result", tool_use_id: "t1", content: "" }),
		answer(4, 3, "ok"),
	],
	"A36-result-no-content": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, { type: "tool_result", tool_use_id: "t1" }), answer(4, 3, "ok"),
	],
	"A37-starts-with-assistant": [answer(1, null, "hello"), user(2, 1, "two"), answer(3, 2, "ok")],
	"A38-three-calls-chain-on-first": [
		user(1, null, "go"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }),
		answer(4, 3, call("t3"), { mid: "m" }), results(5, 2, "t1"), results(6, 3, "t2"), results(7, 4, "t3"), answer(8, 5, "done"),
	],
	"A39-results-out-of-order": [
		user(1, null, "go"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }), results(4, 3, "t2"),
		results(5, 2, "t1"), answer(6, 4, "done"),
	],
	"A40-missing-tool-result-parallel": [
		user(1, null, "go"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }), results(4, 3, "t2"),
		answer(6, 4, "done"),
	],
	"A41-unknown-tool": [user(1, null, "go"), answer(2, 1, call("t1", "Nope", {})), results(3, 2, "t1"), answer(4, 3, "ok")],
	"A42-old-tool-name": [
		user(1, null, "go"), answer(2, 1, call("t1", "Task", { description: "d", prompt: "p", subagent_type: "general-purpose" })),
		results(3, 2, "t1"), answer(4, 3, "ok"),
	],
	"A43-server-tool": [
		user(1, null, "go"), answer(2, 1, { type: "server_tool_use", id: "srv1", name: "web_search", input: { query: "q" } }, "ok"),
		user(3, 2, "x"), answer(4, 3, "ok"),
	],
	"A44-unknown-block": [
		user(1, null, [{ type: "text", text: "x" }, { type: "future", y: 1 }]), answer(2, 1, { type: "future", z: 1 }, "ok"),
	],
	"A45-user-citations": [user(1, null, [{ type: "text", text: "x", citations: [], extra: 1 }]), answer(2, 1, "ok")],
	"A46-whitespace-user": [user(1, null, "one"), answer(2, 1, "A2"), user(3, 2, "  \n"), user(4, 3, "four"), answer(5, 4, "ok")],
	"A47-assistant-whitespace-ends": [user(1, null, " one \n\n"), answer(2, 1, " A2 \n\n"), user(3, 2, "three"), answer(4, 3, "ok")],
	"A48-tool-call-no-result-then-results": [
		user(1, null, "go"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }), user(4, 3, "words first"),
		results(5, 4, "t1", "t2"), answer(6, 5, "ok"),
	],
	"A49-no-content-message": [user(1, null, "go"), answer(2, 1, "(no content)"), user(3, 2, "x"), answer(4, 3, "ok")],
	"A50-string-input": [
		user(1, null, "go"), answer(2, 1, { type: "tool_use", id: "t1", name: "Bash", input: "{\"command\":\"ls\"}" }),
		results(3, 2, "t1"), answer(4, 3, "ok"),
	],
};

// System lines, attachments, links.
const LINKS = {
	"S01-local-command": [
		...BASE,
		system(3, 2, "local_command", { content: "<local-command-stdout>out</local-command-stdout>", level: "info", isMeta: false }),
		user(4, 3, "four"), answer(5, 4, "ok"),
	],
	"S02-local-command-pair": [
		...BASE, user(3, 2, "<local-command-caveat>Caveat: x</local-command-caveat>", { isMeta: true }),
		system(4, 3, "local_command", { content: "<command-name>/cost</command-name>", level: "info", isMeta: false }),
		system(5, 4, "local_command", { content: "<local-command-stdout>out</local-command-stdout>", level: "info", isMeta: false }),
		user(6, 5, "four"), answer(7, 6, "ok"),
	],
	"S03-local-command-user-lines": [
		...BASE, user(3, 2, "<command-name>/cost</command-name>"), user(4, 3, "<local-command-stdout>out</local-command-stdout>"),
		user(6, 4, "four"), answer(7, 6, "ok"),
	],
	...Object.fromEntries(SYSTEM_LINES.map((subtype) => [`S04-system-${subtype}`, [
		...BASE, system(3, 2, subtype, { content: "words", level: "info", isMeta: false }), user(4, 3, "four"), answer(5, 4, "ok"),
	]])),
	"S05-system-no-subtype": [
		...BASE, line(3, 2, "system", { content: "words", level: "info" }), user(4, 3, "four"), answer(5, 4, "ok"),
	],
	"S06-unknown-type": [
		...BASE, line(3, 2, "future", { message: { role: "user", content: "x" } }), user(4, 3, "four"), answer(5, 4, "ok"),
	],
	"S07-progress-link": [
		...BASE, line(3, 2, "progress", { data: { type: "hook_progress" } }), user(4, 3, "four"), answer(5, 4, "ok"),
	],
	"S08-metadata-lines": [
		{ type: "file-history-snapshot", messageId: "x", snapshot: {} },
		{ type: "queue-operation", operation: "enqueue", sessionId: SESSION, content: "queued words" }, user(1, null, "one"),
		{ type: "mode", mode: "plan", sessionId: SESSION }, answer(2, 1, "A2"), { type: "cost-state", sessionId: SESSION },
		{ type: "ai-title", aiTitle: "T", sessionId: SESSION },
	],
	"S09-att-queued-command": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, "t1"),
		attachment(4, 3, { type: "queued_command", prompt: "typed meanwhile", commandMode: "prompt" }), answer(5, 4, "ok"),
	],
	"S10-att-queued-rendered": [
		user(1, null, "go"), answer(2, 1, call("t1")), results(3, 2, "t1"),
		attachment(4, 3, { type: "queued_command", prompt: "typed meanwhile", commandMode: "prompt" }, { rendered: [{ content: "<system-reminder>\nRENDERED WORDS\n</system-reminder>" }] }),
		answer(5, 4, "ok"),
	],
	"S11-att-hook-context": [
		user(1, null, "go"),
		attachment(2, 1, { type: "hook_additional_context", content: ["hook words"], hookName: "UserPromptSubmit", toolUseID: "x", hookEvent: "UserPromptSubmit" }),
		answer(3, 2, "ok"),
	],
	"S12-att-hook-success": [
		user(1, null, "go"),
		attachment(2, 1, { type: "hook_success", content: "hook words", hookName: "UserPromptSubmit", toolUseID: "x", hookEvent: "UserPromptSubmit", stdout: "hook words", stderr: "", exitCode: 0 }),
		answer(3, 2, "ok"),
	],
	"S13-att-file": [
		user(1, null, "see @a.txt"),
		attachment(2, 1, { type: "file", filename: "/w/a.txt", displayPath: "a.txt", content: { type: "text", file: { filePath: "/w/a.txt", content: "alpha", numLines: 1, startLine: 1, totalLines: 1 } } }),
		answer(3, 2, "ok"),
	],
	"S14-att-unknown": [user(1, null, "go"), attachment(2, 1, { type: "future_thing", content: "words" }), answer(3, 2, "ok")],
	"S15-att-edited-file": [
		user(1, null, "go"), attachment(2, 1, { type: "edited_text_file", filename: "/w/a.txt", snippet: "1\tnew" }),
		answer(3, 2, "ok"),
	],
	"S16-att-todo": [
		user(1, null, "go"),
		attachment(2, 1, { type: "todo_reminder", content: [{ content: "do", status: "pending", activeForm: "Doing" }], itemCount: 1 }),
		answer(3, 2, "ok"),
	],
	"S17-compact-file-reference": [
		user(1, null, "go"), attachment(2, 1, { type: "compact_file_reference", filename: "/w/a.txt", displayPath: "a.txt" }),
		answer(3, 2, "ok"),
	],
	"S18-att-before-prompt": [
		attachment(1, null, { type: "hook_additional_context", content: ["hook words"], hookName: "SessionStart", toolUseID: "x", hookEvent: "SessionStart" }),
		user(2, 1, "go"), answer(3, 2, "ok"),
	],
	"S19-task-notification": [
		...BASE,
		user(3, 2, "<task-notification>\n<task-id>x</task-id>\n<status>completed</status>\n<summary>done</summary>\n</task-notification>", { origin: { kind: "task-notification" } }),
		answer(4, 3, "noted"),
	],
};

const COMPACTION = {
	"C01-compact": [...OLD, boundary(3, 2), summary(4, 3), user(5, 4, "new"), answer(6, 5, "ok")],
	"C02-compact-no-logical": [...OLD, boundary(3, null), summary(4, 3), user(5, 4, "new"), answer(6, 5, "ok")],
	"C03-compact-logical-unknown": [boundary(3, 77), summary(4, 3), user(5, 4, "new"), answer(6, 5, "ok")],
	"C04-two-compacts": [
		...OLD, boundary(3, 2), summary(4, 3), user(5, 4, "new"), answer(6, 5, "ok"), boundary(7, 6), summary(8, 7, "SUM2"),
		user(9, 8, "newest"), answer(10, 9, "ok"),
	],
	"C05-boundary-with-parent": [
		...OLD, { ...boundary(3, 2), parentUuid: uuid(2) }, summary(4, 3), user(5, 4, "new"), answer(6, 5, "ok"),
	],
	"C06-boundary-without-summary": [...OLD, boundary(3, 2), user(5, 3, "new"), answer(6, 5, "ok")],
	"C07-boundary-is-tip": [...OLD, boundary(3, 2)],
	"C30-note-below-boundary-is-tip": [...OLD, boundary(3, 2), attachment(4, 3, NOTE, RENDERED)],
	"C31-notes-below-boundary": [...OLD, boundary(3, 2), attachment(4, 3, NOTE, RENDERED), attachment(5, 4, NOTE, RENDERED)],
	"C32-note-between-boundary-and-summary": [
		...OLD, boundary(3, 2), attachment(4, 3, NOTE, RENDERED), summary(5, 4), user(6, 5, "new"), answer(7, 6, "ok"),
	],
	"C33-command-below-boundary": [...OLD, boundary(3, 2), system(4, 3, "local_command", { content: "<command-name>/x</command-name>" })],
	"C34-note-below-bare-boundary": [...OLD, boundary(3, null), attachment(4, 3, NOTE, RENDERED)],
	"C35-system-below-boundary": [...OLD, boundary(3, 2), system(4, 3, "turn_duration", { durationMs: 5 })],
	"C40-large-boundary-is-tip": [...LARGE, boundary(3, 2)],
	"C41-large-boundary-without-logical-parent": [...LARGE, boundary(3, null)],
	"C42-large-note-below-boundary": [...LARGE, boundary(3, 2), attachment(4, 3, NOTE, RENDERED)],
	"C43-large-command-below-boundary": [...LARGE, boundary(3, 2), system(4, 3, "local_command", { content: "<command-name>/x</command-name>" })],
	"C49-large-command-and-note-below-boundary": [
		...LARGE, boundary(3, 2), system(4, 3, "local_command", { content: "<command-name>/x</command-name>" }), attachment(5, 4, NOTE, RENDERED),
	],
	"C50-large-note-and-commands-below-boundary": [
		...LARGE, boundary(3, 2), attachment(4, 3, NOTE, RENDERED),
		system(5, 4, "local_command", { content: "<command-name>/x</command-name>" }), system(6, 5, "local_command", { content: "<command-name>/y</command-name>" }),
	],
	"C44-large-system-below-boundary": [...LARGE, boundary(3, 2), system(4, 3, "turn_duration", { durationMs: 5 })],
	"C45-large-two-boundaries": [...LARGE, boundary(3, 2), summary(4, 3), user(5, 4, "new"), boundary(6, 5)],
	"C46-large-user-below-boundary": [...LARGE, boundary(3, 2), user(4, 3, "new")],
	"C47-large-branch-after-boundary": [...LARGE, boundary(3, 2), user(4, 2, "aside")],
	"C48-large-pin-before-boundary": [...LARGE, boundary(3, 2), pin(2)],
	"C08-summary-is-tip": [...OLD, boundary(3, 2), summary(4, 3)],
	"C09-microcompact": [
		...OLD,
		system(3, 2, "microcompact_boundary", { content: "x", microcompactMetadata: { trigger: "auto", preTokens: 9, tokensSaved: 1, compactedToolIds: [], clearedAttachmentUUIDs: [] } }),
		user(4, 3, "new"), answer(5, 4, "ok"),
	],
	"C10-preserved-segment": [
		...KEPT, boundary(5, 4, { preservedSegment: { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) } }), summary(6, 5),
		user(7, 6, "new"), answer(8, 7, "ok"),
	],
	"C11-preserved-messages": [
		...KEPT, boundary(5, 4, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } }), summary(6, 5),
		user(7, 6, "new"), answer(8, 7, "ok"),
	],
	"C12-preserved-both": [
		...KEPT,
		boundary(5, 4, { preservedSegment: { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) }, preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } }),
		summary(6, 5), user(7, 6, "new"), answer(8, 7, "ok"),
	],
	"C13-preserved-new-below-kept": [
		...KEPT, boundary(5, 4, { preservedSegment: { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) } }), summary(6, 5),
		user(7, 4, "new"), answer(8, 7, "ok"),
	],
	"C14-preserved-messages-below-kept": [
		...KEPT, boundary(5, 4, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } }), summary(6, 5),
		user(7, 4, "new"), answer(8, 7, "ok"),
	],
	"C15-preserved-gap": [
		...KEPT, boundary(5, 4, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(2), uuid(4)] } }), summary(6, 5),
		user(7, 6, "new"), answer(8, 7, "ok"),
	],
	"C16-preserved-is-tip": [
		...KEPT, boundary(5, 4, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } }), summary(6, 5),
	],
	"C17-preserved-unknown": [
		...KEPT, boundary(5, 4, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(88)] } }), summary(6, 5),
		user(7, 6, "new"), answer(8, 7, "ok"),
	],
	"C18-preserved-segment-unknown": [
		...KEPT, boundary(5, 4, { preservedSegment: { headUuid: uuid(88), anchorUuid: uuid(6), tailUuid: uuid(4) } }), summary(6, 5),
		user(7, 6, "new"), answer(8, 7, "ok"),
	],
	"C19-branch-before-boundary-newest": [
		...OLD, boundary(3, 2), summary(4, 3), user(5, 4, "new"), answer(6, 5, "ok"), user(20, 2, "aside, newest"),
		answer(21, 20, "A21"),
	],
	"C20-anchor-is-boundary": [
		...KEPT, boundary(5, 4, { preservedMessages: { anchorUuid: uuid(5), uuids: [uuid(3), uuid(4)] } }), summary(6, 4),
		user(7, 6, "new"), answer(8, 7, "ok"),
	],
};

// Files that are not what they should be.
const FILES = {
	"F01-bad-line": [user(1, null, "one"), "{bad", answer(2, 1, "A2")],
	"F02-torn-tail": torn([user(1, null, "one"), answer(2, 1, "A2"), '{"parentUuid":"c1a0de00-0000-4000-8000-000000000002","isSide']),
	"F03-no-final-lf": torn([user(1, null, "one"), answer(2, 1, "A2")]),
	"F04-null-and-others": [user(1, null, "one"), "null", "5", "[1]", "{}", "{\"uuid\":7,\"type\":\"user\"}", answer(2, 1, "A2")],
	"F05-bom": Buffer.concat([Buffer.from("\ufeff"), file([user(1, null, "one"), answer(2, 1, "A2")])]),
	"F06-crlf": file([user(1, null, "one"), answer(2, 1, "A2")], "\r\n"),
	"F07-duplicate-uuid": [user(1, null, "one"), answer(2, 1, "A2"), user(3, 2, "three"), answer(2, 1, "A2 again", { t: 4 })],
	"F08-duplicate-uuid-other-parent": [
		user(1, null, "one"), answer(2, 1, "A2"), user(3, 2, "three"), answer(2, null, "A2 again", { t: 4 }),
	],
	"F09-orphan-parent": [user(1, null, "one"), user(3, 99, "orphan"), answer(4, 3, "A4")],
	"F10-parent-later": [answer(2, 1, "A2"), user(1, null, "one")],
	"F11-other-session-id": [
		user(1, null, "one"), { ...answer(2, 1, "A2"), sessionId: "11111111-1111-4111-8111-111111111111" }, user(3, 2, "three"),
		answer(4, 3, "ok"),
	],
	"F12-no-session-id": [user(1, null, "one"), answer(2, 1, "A2")].map((line) => without(line, "sessionId")),
	"F13-not-a-uuid": [user("first", null, "one", { t: 1 }), answer("second", "first", "A2", { t: 2 })],
	"F14-nul-block": [user(1, null, "one"), "\0".repeat(40) + JSON.stringify(answer(2, 1, "A2")), answer(3, 1, "A3")],
	"F15-empty-uuid": [user(1, null, "one"), user("", 1, "x", { t: 2 }), answer(3, 1, "A3")],
	"F16-no-message": [user(1, null, "one"), line(2, 1, "user"), answer(3, 2, "A3")],
	"F17-bad-utf8": [user(1, null, "one"), Buffer.from(JSON.stringify(answer(2, 1, "A\xff\xfe")), "latin1"), answer(3, 1, "A3")],
	"F18-empty-parent": [user(1, "", "one"), answer(2, 1, "A2")],
	"F19-type-missing": [user(1, null, "one"), without(answer(2, 1, "A2"), "type"), answer(3, 1, "A3")],
	"F20-sidechain-true-main": [user(1, null, "one", { isSidechain: true }), answer(2, 1, "A2", { isSidechain: true })],
	"F21-missing-isSidechain": [user(1, null, "one"), answer(2, 1, "A2")].map((line) => without(line, "isSidechain")),
	"F22-prefix-sidechain": [
		user(1, null, "one", { isSidechain: true }), answer(2, 1, "A2"), user(3, 2, "three"), answer(4, 3, "ok"),
	],
	"F23-blank-lines": [user(1, null, "one"), "", "   ", answer(2, 1, "A2")],
	"F24-two-in-one-line": [JSON.stringify(user(1, null, "one")) + JSON.stringify(answer(2, 1, "A2")), user(3, null, "three")],
	"F25-lone-surrogate": [user(1, null, "one"), answer(2, 1, "A\ud83d"), user(3, 2, "three"), answer(4, 3, "ok")],
};

/** The marks that the agent sets on lines, and results that load tools. */
const REFERENCES = [{ type: "tool_reference", tool_name: "CronCreate" }, { type: "tool_reference", tool_name: "CronList" }];
const PICTURE = {
	type: "image",
	source: {
		type: "base64", media_type: "image/png",
		data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
	},
};
const NEW_MODEL = { model: "claude-opus-5-5" };
const CALLED = [user(1, null, "one"), answer(2, 1, call("t1"), NEW_MODEL)];
const TASK = { origin: { kind: "task-notification" } };
const own = (more) => ({ isMeta: true, ownNote: true, ...more });
const hooked = (more) => ({ isMeta: true, rowSource: "hook", hookText: true, hookTextLead: "A hook says:", ...more });
const queued = (n, parent, more) => attachment(n, parent, { type: "queued_command", prompt: "queued", commandMode: "prompt", hostsOwnTurn: true, ...more });

const MARKS = {
	"M01-references": [...CALLED, results(3, 2, result("t1", REFERENCES)), answer(4, 3, "A4")],
	"M02-references-and-text": [
		...CALLED, user(3, 2, [result("t1", REFERENCES), { type: "text", text: "own" }]), user(4, 3, "later"), answer(5, 4, "A5"),
	],
	"M03-references-said": [...CALLED, user(3, 2, [result("t1", REFERENCES), { type: "text", text: "Tool loaded. x" }]), answer(5, 3, "A5")],
	"M04-references-in-parallel": [
		user(1, null, "one"), answer(2, 1, call("t1"), { mid: "m" }), answer(3, 2, call("t2"), { mid: "m" }),
		results(4, 2, result("t1", REFERENCES)), results(5, 3, result("t2", REFERENCES)), answer(6, 5, "A6"),
	],
	"M05-references-of-no-call": [user(1, null, "one"), answer(2, 1, "A2"), results(3, 2, result("t9", REFERENCES)), answer(4, 3, "A4")],
	"M06-references-at-the-tip": [...CALLED, results(3, 2, result("t1", REFERENCES))],
	"M07-own-note": [...BASE, user(3, 2, "told", own()), answer(4, 3, "A4")],
	"M08-own-note-blank": [...BASE, user(3, 2, "  ", own()), answer(4, 3, "A4")],
	"M09-own-note-not-meta": [...BASE, user(3, 2, "told", own({ isMeta: false })), answer(4, 3, "A4")],
	"M10-own-note-no-boolean": [...BASE, user(3, 2, "told", own({ ownNote: "yes" })), answer(4, 3, "A4")],
	"M11-own-note-of-blocks": [...BASE, user(3, 2, [{ type: "text", text: "told" }], own()), answer(4, 3, "A4")],
	"M12-own-note-of-a-task": [...BASE, user(3, 2, "told <system-reminder>", own(TASK)), answer(4, 3, "A4")],
	"M13-own-note-of-a-task-of-blocks": [...BASE, user(3, 2, [{ type: "text", text: "told" }], own(TASK)), answer(4, 3, "A4")],
	"M14-own-note-of-a-task-two-blocks": [...BASE, user(3, 2, [{ type: "text", text: "told" }, { type: "text", text: "more" }], own(TASK)), answer(4, 3, "A4")],
	"M15-own-note-of-a-task-not-meta": [...BASE, user(3, 2, "told", own({ ...TASK, isMeta: false })), answer(4, 3, "A4")],
	"M16-own-note-of-a-person": [...BASE, user(3, 2, "told", own({ origin: { kind: "human" } })), answer(4, 3, "A4")],
	"M17-hook-text-of-a-task": [...BASE, user(3, 2, "told", hooked(TASK)), answer(4, 3, "A4")],
	"M18-hook-text-and-own-of-a-task": [...BASE, user(3, 2, "told", hooked({ ...TASK, ownNote: true })), answer(4, 3, "A4")],
	"M19-hook-text-of-a-task-two-blocks": [...BASE, user(3, 2, [{ type: "text", text: "told" }, { type: "text", text: "more" }], hooked(TASK)), answer(4, 3, "A4")],
	"M30-hook-text": [...BASE, user(3, 2, "told\n", hooked()), answer(4, 3, "A4")],
	"M31-hook-text-not-meta": [...BASE, user(3, 2, "told", hooked({ isMeta: undefined })), answer(4, 3, "A4")],
	"M32-hook-text-no-lead": [...BASE, user(3, 2, "told", hooked({ hookTextLead: undefined })), answer(4, 3, "A4")],
	"M33-hook-text-no-boolean": [...BASE, user(3, 2, "told", hooked({ hookText: "yes" })), answer(4, 3, "A4")],
	"M34-hook-text-of-blocks": [...BASE, user(3, 2, [{ type: "text", text: "told" }], hooked()), answer(4, 3, "A4")],
	"M35-hook-text-blank": [...BASE, user(3, 2, " ", hooked()), answer(4, 3, "A4")],
	"M36-hook-text-lead-empty": [...BASE, user(3, 2, "told", hooked({ hookTextLead: "" })), answer(4, 3, "A4")],
	"M37-hook-text-lead-number": [...BASE, user(3, 2, "told", hooked({ hookTextLead: 7 })), answer(4, 3, "A4")],
	"M38-hook-text-other-source": [...BASE, user(3, 2, "told", hooked({ rowSource: "sdk" })), answer(4, 3, "A4")],
	"M39-hook-text-no-source": [...BASE, user(3, 2, "told", hooked({ rowSource: undefined })), answer(4, 3, "A4")],
	"M40-hook-text-and-own": [...BASE, user(3, 2, "told", hooked({ ownNote: true })), answer(4, 3, "A4")],
	"M41-hook-text-two-blocks": [
		...BASE, user(3, 2, [{ type: "text", text: "told" }, { type: "text", text: "more" }], hooked()), answer(4, 3, "A4"),
	],
	"M42-hook-text-with-result": [
		...BASE, user(3, 2, "do"), answer(4, 3, call("t1")), user(5, 4, [result("t1"), { type: "text", text: "told" }], hooked()), answer(6, 5, "A6"),
	],
	"M44-hook-text-lead": [
		...BASE, user(3, 2, "a <system-reminder> b <x> c <", hooked({ hookTextLead: "The text below is the output of a hook <system-reminder> x" })),
		answer(4, 3, "A4"),
	],
	"M45-hook-text-lead-of-lines": [...BASE, user(3, 2, "told", hooked({ hookTextLead: "The text below is the output of a hook\nx" })), answer(4, 3, "A4")],
	"M46-hook-text-at-tip": [...BASE, user(3, 2, "told", hooked())],
	"M47-hook-text-after-result": [
		...BASE, user(3, 2, "do"), answer(4, 3, call("t1")), results(5, 4, "t1"), user(6, 5, "told", hooked()), answer(7, 6, "A7"),
	],
	"M43-hook-text-of-tags": [...BASE, user(3, 2, "a </system-reminder> b", hooked({ hookTextLead: "lead </system-reminder>" })), answer(4, 3, "A4")],
	"M18-display-only": [
		...BASE, system(3, 2, "local_command", { content: "<local-command-stdout>x</local-command-stdout>", isDisplayOnly: true }),
		user(4, 3, "four"), answer(5, 4, "A5"),
	],
	"M19-display-only-at-the-tip": [
		...BASE, system(3, 2, "local_command", { content: "<local-command-stdout>x</local-command-stdout>", isDisplayOnly: true }),
	],
	"M20-display-only-no-boolean": [
		...BASE, system(3, 2, "local_command", { content: "<local-command-stdout>x</local-command-stdout>", isDisplayOnly: "true" }),
		user(4, 3, "four"), answer(5, 4, "A5"),
	],
	"M21-pictures-of-the-user": [user(1, null, Array(101).fill(PICTURE)), answer(2, 1, "A2")],
	"M23-pictures-for-a-new-model": [user(1, null, Array(650).fill(PICTURE)), answer(2, 1, "A2", NEW_MODEL)],
	"M22-pictures-of-results": [
		user(1, null, "one"), answer(2, 1, call("t1")), results(3, 2, result("t1", [PICTURE, { type: "text", text: "x" }])),
		answer(4, 3, call("t2")), results(5, 4, result("t2", [PICTURE])), user(6, 5, [PICTURE]), answer(7, 6, "A7"),
		user(8, 7, Array(99).fill(PICTURE)), answer(9, 8, "A9"),
	],
	"M17-own-note-of-two": [...BASE, user(3, 2, [{ type: "text", text: "told" }, { type: "text", text: "more" }], own()), answer(4, 3, "A4")],
	"M12-queued-turn": [...CALLED, results(3, 2, "t1"), queued(4, 3), answer(5, 4, "A5", NEW_MODEL)],
	"M13-queued-turn-old-model": [user(1, null, "one"), answer(2, 1, call("t1")), results(3, 2, "t1"), queued(4, 3), answer(5, 4, "A5")],
	"M14-queued-turn-meta": [...CALLED, results(3, 2, "t1"), queued(4, 3, { isMeta: true }), answer(5, 4, "A5", NEW_MODEL)],
	"M15-queued-turn-origin": [...CALLED, results(3, 2, "t1"), queued(4, 3, { origin: { kind: "human" } }), answer(5, 4, "A5", NEW_MODEL)],
	"M16-queued-turn-typed": [...BASE, queued(3, 2), user(4, 3, "typed"), answer(5, 4, "A5", NEW_MODEL)],
};

const told = (n, parent, more) => attachment(n, parent, { type: "hook_additional_context", content: [`told ${n}`], hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", toolUseID: "t1" }, more);

/** Notes and commands beside the chain. */
const BESIDE = {
	"B01-of-call": [...CALLED, told(3, 2), results(4, 2, "t1"), answer(5, 4, "A5")],
	"B02-of-result": [...CALLED, results(4, 2, "t1"), told(5, 4), answer(6, 4, "A6")],
	"B03-of-prompt": [user(1, null, "one"), told(2, 1), answer(3, 1, "A3")],
	"B04-deep": [...CALLED, told(3, 2), line(4, 3, "progress", { data: {} }), told(5, 4), results(6, 2, "t1"), answer(7, 6, "A7")],
	"B05-written-later": [...CALLED, results(3, 2, "t1"), told(4, 3), answer(5, 4, "A5"), told(6, 2), user(7, 5, "seven"), answer(8, 7, "A8")],
	"B06-with-a-branch": [...CALLED, told(3, 2), user(4, 3, "aside"), results(5, 2, "t1"), answer(6, 5, "A6")],
	"B07-of-parallel-results": [
		user(1, null, "one"), answer(2, 1, call("t1"), { mid: "m" }), told(3, 2), answer(4, 2, call("t2"), { mid: "m" }), told(5, 4),
		results(6, 2, "t1"), told(7, 6), results(8, 4, "t2"), told(9, 8), answer(10, 9, "A10"),
	],
	"B08-command": [
		...CALLED, system(3, 2, "local_command", { content: "<local-command-stdout>x</local-command-stdout>" }), results(4, 2, "t1"),
		answer(5, 4, "A5"),
	],
	"B09-sidechain": [...CALLED, told(3, 2, side), results(4, 2, "t1"), answer(5, 4, "A5")],
	"B10-of-an-answer": [...CALLED, results(3, 2, "t1"), answer(4, 3, "A4"), told(5, 4), user(6, 4, "six"), answer(7, 6, "A7")],
	"B11-at-the-tip": [...CALLED, told(3, 2), results(4, 2, "t1")],
	"B12-is-the-tip": [...CALLED, results(3, 2, "t1"), told(4, 3), told(5, 2)],
	"B13-call-pinned": [...CALLED, told(3, 2), results(4, 2, "t1"), user(5, 4, "five"), pin(2, { explicit: true })],
	"B14-call-pinned-written-later": [...CALLED, results(3, 2, "t1"), told(4, 2), user(5, 3, "five"), pin(2, { explicit: true })],
	"B15-result-pinned": [...CALLED, results(3, 2, "t1"), told(4, 3), told(5, 3), answer(6, 5, "A6", NEW_MODEL), pin(3, { explicit: true })],
	"B16-pinned-itself": [...CALLED, told(3, 2), results(4, 2, "t1"), user(5, 4, "five"), pin(3, { explicit: true })],
};

const json = (value) => JSON.stringify(value);
const drawn = (value) => JSON.stringify(value, null, 1);

/** What stands behind a record, and records over several lines. */
const RECORDS = {
	"R01-nul-behind": [...BASE, `${json(user(3, 2, "three"))}${"\0".repeat(9)}`, answer(4, 3, "A4")],
	"R02-stub-behind": [...BASE, `${json(user(3, 2, "three"))}{"uuid":"x`, answer(4, 3, "A4")],
	"R03-record-behind": [...BASE, json(user(3, 2, "three")) + json(answer(5, 3, "lost")), answer(4, 3, "A4")],
	"R04-comma-behind": [...BASE, `  ${json(user(3, 2, "three"))},`, `${json(answer(4, 3, "A4"))},`],
	"R05-several-lines": [...BASE, drawn(user(3, 2, "three")), answer(4, 3, "A4")],
	"R06-all-of-several-lines": [...BASE, user(3, 2, "three")].map(drawn),
	"R07-several-lines-no-final-lf": torn([...BASE, drawn(user(3, 2, "three"))]),
	"R08-nul-behind-no-final-lf": torn([...BASE, `${json(user(3, 2, "three"))}${"\0".repeat(9)}`]),
	"R09-behind-several-lines": [...BASE, `${drawn(user(3, 2, "three"))} x {"a":1}`, answer(4, 3, "A4")],
	"R10-torn-open": [...BASE, '{"type":"user","message":{"content":[', user(3, 2, "three"), answer(4, 3, "A4")],
	"R11-torn-open-before-several-lines": [...BASE, '{"a":[', drawn(user(3, 2, "three")), answer(4, 3, "A4")],
	"R12-damaged-inside": [...BASE, drawn(user(3, 2, "three")).slice(0, -40), answer(4, 3, "A4")],
};

const ALL = { ...LEAF, ...RESPONSES, ...LINKS, ...COMPACTION, ...MARKS, ...BESIDE, ...RECORDS, ...FILES };

/** The bytes of each transcript, by name. */
export const CASES = Object.fromEntries(Object.entries(ALL).map(([name, lines]) => [name, Buffer.isBuffer(lines) ? lines : file(lines)]));
