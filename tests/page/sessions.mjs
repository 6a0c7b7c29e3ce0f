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

const PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: /work/demo/src/wc.c\n@@\n-int n;\n+long n;\n" +
	"*** Add File: tests/wc.bats\n+@test words\n*** End Patch\nEOF";

/** Something of all that a page has, over three days and with ids of several kinds. */
export function looked() {
	const lines = [header("/work/demo")];
	let last = null;
	const at = (day, time, e) => {
		last = e.id;
		if (e.message?.role === "assistant")
			Object.assign(e.message, { provider: "acme", model: "thinker-2" });
		lines.push({ ...e, timestamp: `2026-03-0${day}T${time}.000Z` });
	};
	const note = (i) => entry("custom", `n${i}`, last, { customType: "attachment", data: { file: `notes/${i}.md` } });
	const long = (i) => `${(0x9e3779b1 * i >>> 0).toString(16).padStart(8, "0")}-3c1f-4b7a-9d20-5e8f7a6b5c4d`;
	for (let i = 1; i <= 9; i++)
		at(1, `09:15:0${i}`, note(i));
	at(1, "09:16:00", message(long(1), last, "Please write a word counter in C, and **test** it with `bats`.\n\n" +
		"- it reads a file or standard input\n- words are separated by white space, as isspace() has it"));
	at(1, "09:16:20", message(long(2), last, [
		{ type: "thinking", thinking: "The file should be looked at first, before anything is changed in it." },
		{ type: "text", text: "I'll read what is there.\n\n```c\nint main(void)\n{\n\treturn 0;\n}\n```\n\n| file | lines |\n|---|---|\n| src/wc.c | 120 |" },
		call("c1", "read", { path: "/work/demo/src/wc.c" }),
		call("c2", "bash", { command: "cc -Wall -Wextra -o build/wc src/wc.c && ./build/wc README.md CHANGELOG.md" }),
	], "assistant"));
	at(1, "09:16:21", result(long(3), last, "c1", "read", "int n;\nint main(void) { return n; }"));
	at(1, "09:16:48", result(long(4), last, "c2", "bash", "src/wc.c:3: error: expected ';' before 'return'", true));
	at(1, "09:17:00", message(long(5), last, [call("c3", "exec_command", { cmd: PATCH })], "assistant"));
	at(1, "09:17:01", result(long(6), last, "c3", "exec_command", "Success. Updated the following files"));
	const fork = last;
	at(1, "23:58:00", message("msg_0a1b2c3d4e5f60718293a4b5c6d7e8f901", last, "A dead end: regcomp() is far too slow for this.", "assistant"));
	at(2, "00:03:00", message("msg_0a1b2c3d4e5f60718293a4b5c6d7e8f902", last, "Then without it."));
	last = fork;
	at(2, "08:30:00", message(long(7), last, "Use isspace() instead, and say how many lines there are as well, please; then run the tests again."));
	for (let i = 10; i <= 12; i++)
		at(2, `08:30:${i}`, note(i));
	at(3, "10:00:00", message(long(8), last, "It counts words and lines now: https://example.com/wc", "assistant"));
	at(3, "10:00:30", label("l1", last, long(5), "the patch"));
	at(3, "10:00:40", nameOf("n13", last, "A word counter in C, with its tests, for files and for standard input"));
	return lines;
}
