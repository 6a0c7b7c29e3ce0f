// Sessions for the tests, as lines of Pi's.

export const header = (cwd = "/work/demo") => ({
	type: "session",
	version: 3,
	id: "0198f000-0000-7000-8000-00000000000a",
	timestamp: "2026-03-01T10:00:00.000Z",
	cwd,
});

const entry = (type, id, parentId, rest) => ({
	type,
	id,
	parentId,
	timestamp: "2026-03-01T10:00:01.000Z",
	...rest,
});

export const message = (id, parent, content, role = "user") =>
	entry("message", id, parent, { message: { role, content, timestamp: 7 } });

export const label = (id, parent, targetId, text) =>
	entry("label", id, parent, { targetId, label: text });

export const nameOf = (id, parent, name) => entry("session_info", id, parent, { name });

/** Two branches below a chain: root, a, b, and old (two entries) or new. */
export const branched = () => [
	header(),
	message("root", null, "list the files"),
	message("a", "root", "There is one: (wc.c). It counts words.", "assistant"),
	message("b", "a", "make it faster"),
	message("old1", "b", "I'll use regcomp.", "assistant"),
	message("old2", "old1", "That was a dead end, words and words."),
	message("new1", "b", "I'll use isspace().", "assistant"),
	message("new2", "new1", "It counts WORDS faster.", "assistant"),
	label("l1", "new2", "a", "works"),
];

const id = (i) => i.toString(16).padStart(8, "0");
const roles = ["user", "assistant", "toolResult"];

/** A session of n entries; parentOf says on which one each hangs. */
export function many(n, parentOf, text = (i) => `entry ${i}`) {
	const lines = [header()];
	for (let i = 0; i < n; i++)
		lines.push(message(id(i), i > 0 ? id(parentOf(i)) : null, text(i), roles[i % 3]));
	return lines;
}

/** Every text that could be taken for something else. */
export const hostile = () => [
	header("/work/</title><script>window.owned = 0</script>"),
	nameOf("n1", null, "</script><img src=x onerror=alert(1)> \u202Etxt.exe"),
	message("__proto__", "n1", "</script><script>window.owned = 1</script><!-- <script>\n" +
		"<img src=x onerror='window.owned = 2'>\n<svg onload=alert(3)></svg>"),
	message("a b%20\"'<c>", "__proto__", "bidi \u202Egnp.exe\u202C \u2066x\u2069 \u200E\u200F\u061C " +
		"NUL \0 ESC \x1B[31m DEL \x7F CR\r\nzero\u200Bwidth \u2028 \u2029 \uD83D"),
	message("constructor", "a b%20\"'<c>", "javascript:alert(4) data:text/html,<script>alert(5)</script> " +
		"see https://example.com/a?b=c&d=(e), (http://example.org/x). https://example.com/\u202Emoc " +
		"<https://example.net/y> ftp://example.com file:///etc/passwd https:// HTTPS://EXAMPLE.COM/Z"),
	message("100%", "constructor", "percent"),
	message("../../etc", "100%", "a path"),
	message("x".repeat(300), "100%", "a long id"),
	message("#", "100%", "שלום"),
	label("l1", "100%", "constructor", "<b>\u202Elabel</b>"),
];

const call = (callId, name, args) => ({ type: "toolCall", id: callId, name, arguments: args });

const result = (id, parent, callId, name, text, isError = false) =>
	entry("message", id, parent, {
		timestamp: "2026-03-01T10:00:06.000Z",
		message: { role: "toolResult", toolCallId: callId, toolName: name, isError, content: [{ type: "text", text }] },
	});

/** A conversation with tools, thinking and markdown. */
export const worked = () => [
	header(),
	message("u1", null, "Please **count** the words."),
	message("a1", "u1", [
		{ type: "thinking", thinking: "I should look first." },
		{ type: "text", text: "# Plan\n\n1. *read*\n2. `count`\n\n```c\nint main(void);\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
		call("c1", "read", { path: "wc.c" }),
		call("c2", "bash", { command: "cc -o wc wc.c\n./wc", timeout: 5 }),
	], "assistant"),
	result("r2", "a1", "c2", "bash", "wc.c:3: needle expected", true),
	result("r1", "r2", "c1", "read", "int x;"),
	message("a2", "r1", "It **failed**.", "assistant"),
	message("u2", "a2", "try again"),
	label("l1", "u2", "a2", "bad"),
];

/** Markdown that would do something, if it were taken for what it looks like. */
export const markdown = () => [
	header(),
	message("m", null, [
		"<b onclick=alert(1)>bold</b> <script>window.owned = 1</script>",
		"<iframe src=https://example.com/></iframe>",
		"",
		"<div><img src=x onerror='window.owned = 2'></div>",
		"",
		"[one](javascript:alert(1)) [two](JaVaScRiPt:alert(1)) [three](data:text/html,<script>alert(1)</script>)",
		"[four](vbscript:x) [five](file:///etc/passwd) [six](//example.com/x) [seven](&#106;avascript:alert(1))",
		"[web](https://example.com/a \"title\") mailto:me@example.com <javascript:alert(1)>",
		"![picture](https://example.com/x.png) ![](javascript:alert(1)) ![data](data:image/png;base64,AAAA)",
		"[ref]: javascript:alert(1)",
		"",
		"[ref]",
		"",
		"```<script>",
		"</code></pre><script>window.owned = 3</script>",
		"```",
	].join("\n"), "assistant"),
];
