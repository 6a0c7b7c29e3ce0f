// What is said in a context, whichever agent had it: the same list for the source's
// context.json and for what the target posts. It has rules of its own, not core/as's
// code, so that each judges the other.
//
//     canon("pi", context)  ->  [{ role: "user", kind: "text", text }, ...]
//
// Items in order, by role:
//
//     user       text { text }, picture { mime, data } or { url }
//     assistant  text { text }, call { n, name, input }
//     result     of { n } of each call, then its text and picture, with n; with
//                opts.failures also { failed }, which Codex and OpenAI's APIs do not have
//
// `n` numbers the calls from 0. Texts side by side are one, joined by a newline. An
// input is an object; { input: TEXT } of a tool that takes a text.
//
// The rules, which are core/as/conversation.h's:
//
//   - No system's nor developer's prompts, and no notes of the agent's program (below).
//   - No blank texts. Thinking is text. Half of a surrogate pair is U+FFFD.
//   - A result stands behind its call's turn, in the order of calls. A call without one
//     gets NO_RESULT, failed. A result without its call is the user's text.
//   - An assistant's turns side by side are one turn.
//   - A picture that the assistant made is the user's, behind that turn's results.
//   - A call without an id, or by another one than the assistant, is a text: its members
//     as lines, and so is any other block (but for what is encrypted). A document is its
//     text, or a label.
//   - No arguments are {}, and a tool without a name is `unknown`.

import fs from "node:fs";

const NO_RESULT = "No result was recorded.";

/** What oh-my-pi has of a picture that it kept elsewhere, where it is no more. */
const MISSING_BLOB = /^blob:sha256:/;
const ENCRYPTED = new Set(["encrypted_content", "encrypted_index", "signature", "cache_control"]);
const LOST = new Set(["redacted_thinking", "redactedThinking", "fallback"]);

const isText = (value) => typeof value === "string";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isBlank = (text) => text.trim() === "";

// Blocks that no other agent has

function pathOf(path, key, isElement) {
	if (isElement)
		return `${path}[${key}]`;
	if (/^[^\x00-\x20\x7f-\x9f\ud800-\udfff.[\]"\\]+$/u.test(key))
		return path === "" ? key : `${path}.${key}`;
	return `${path}[${JSON.stringify(key)}]`;
}

function valueLines(value) {
	if (!isText(value))
		return ` ${JSON.stringify(value)}\n`;
	if (!value.includes("\n"))
		return `${value === "" ? "" : " "}${value}\n`;
	const lines = value.replace(/\n$/, "").split("\n");
	return `\n${lines.map((line) => (line === "" ? "\n" : `  ${line}\n`)).join("")}`;
}

/** The members as lines: `path: value` (core/json/flat.h). */
function flat(value, path = "") {
	return Object.entries(value).map(([key, member]) => {
		const at = pathOf(path, key, Array.isArray(value));
		if (ENCRYPTED.has(key))
			return "";
		const hasMembers = typeof member === "object" && member !== null && Object.keys(member).length > 0;
		return hasMembers && at.length <= 256 ? flat(member, at) : `${at}:${valueLines(member)}`;
	}).join("");
}

const asText = (block) => flat(block).replace(/\n+$/, "");

function documentText(block) {
	const { type, data, media_type, url } = block.source ?? {};
	if (type === "text" && isText(data))
		return data;
	if (type === "base64" && isText(data))
		return `[document ${media_type} ${Buffer.from(data, "base64").length} bytes]`;
	if (type === "url" && isText(url))
		return `[document ${url}]`;
	return asText(block);
}

function other(block) {
	if (!isObject(block) || LOST.has(block.type))
		return [];
	return [{ kind: "text", text: block.type === "document" ? documentText(block) : asText(block) }];
}

// Parts

const text = (value) => (isText(value) ? [{ kind: "text", text: value }] : []);

function picture(block, data, mime) {
	if (!isText(data) || data === "" || MISSING_BLOB.test(data))
		return other(block);
	const [, inUrl, rest] = data.match(/^data:([^,]*?);base64,([^]*)$/) ?? [];
	if (rest !== undefined)
		return [{ kind: "picture", mime: inUrl, data: rest }];
	return /^https?:/.test(data) ? [{ kind: "picture", url: data }] : [{ kind: "picture", mime, data }];
}

/** One at a URL, of whatever scheme. */
function pictureAt(block, url) {
	return isText(url) && url !== "" && !url.startsWith("data:") ? [{ kind: "picture", url }] : picture(block, url);
}

/** Of what is said as a text, an object in JSON is meant. */
function inputOf(args) {
	if (args === undefined || args === null || (isText(args) && isBlank(args)))
		return {};
	return isObject(args) ? args : { input: args };
}

function parsed(args) {
	try {
		const value = JSON.parse(args);
		return isObject(value) ? value : args;
	} catch {
		return args;
	}
}

function call(block, id, name, args) {
	return isText(id) ? [{ kind: "call", id, block, name: isText(name) && name !== "" ? name : "unknown", input: inputOf(args) }] : other(block);
}

const elements = (content) => (Array.isArray(content) ? content : isObject(content) ? [content] : []);

/** The parts of a content: a string, or an array of blocks of these types. */
function partsOf(content, types) {
	if (isText(content))
		return text(content);
	return elements(content).flatMap((block) => (Object.hasOwn(types, block?.type) ? types[block.type](block) : other(block)));
}

const result = (content, types, { id, failed }) => ({ role: "result", id: isText(id) ? id : "", failed: Boolean(failed), parts: partsOf(content, types) });

// Pi's family

const PI = {
	text: (b) => text(b.text),
	thinking: (b) => text(b.thinking),
	image: (b) => picture(b, b.data, b.mimeType),
	toolCall: (b) => call(b, b.id, b.name, b.arguments),
};

/** What is left of the name of a file that is no longer there. */
const OMP = { ...PI, image: (b) => (isText(b.data) && b.data.startsWith("blob:sha256:") ? other(b) : PI.image(b)) };
/** What oh-my-pi's program says as a developer's. */
const OMP_NOTE = /^<(system-(reminder|warning|injection|interrupt)|context-window-reminder)/;

function isOmpNote({ role, content }) {
	const first = isText(content) ? content : elements(content)[0]?.text;
	return role === "developer" && isText(first) && OMP_NOTE.test(first);
}

const piTurns = (types) => (context) => context.flatMap((m) => {
	if (m.role === "system" || isOmpNote(m))
		return [];
	if (m.role === "toolResult")
		return [result(m.content, types, { id: m.toolCallId, failed: m.isError })];
	return [{ role: m.role === "assistant" ? "assistant" : "user", parts: partsOf(m.content, types) }];
});

// Anthropic's API, and Claude Code, whose notes are reminders

/**
 * How the agent begins the texts of attachments that are no notes: what a person
 * mentioned, typed or chose, and what hooks, tasks and other agents said.
 */
const KEPT_STARTS = [
	/^Called the (Read|Bash) tool with the following input: /, /^Result of calling the (Read|Bash) tool:/,
	/^Note: [^\n]* (is not shown exactly as it is on disk|was too large and has been truncated|changed on disk since you last read it)/,
	/^(Full contents of resource:|Do NOT read this resource again|\[Binary content: |<mcp-resource )/,
	/^The user sent a new message while you were working:/, /^(The coordinator|A message arrived from|Another Claude session|Your background observer|The \S+ plugin) /,
	/^\[(SYSTEM NOTIFICATION|MESSAGE FROM NON-USER SOURCE) - NOT USER INPUT\]/,
	/^\S+ hook (additional context|blocking error from command|stopped continuation|success)[: ]/, /^The text below is the output of a hook/,
	/^The user (selected the|opened the file) /, /^Note from the \S+ plugin, not from the user:/, /^<new-diagnostics>/, /^Task /, /^A plan (file )?exists from plan mode/,
];
/** The same as types, for texts that a session has kept as they were sent. */
const KEPT_TYPES = new Set([
	"file", "directory", "mcp_resource", "queued_command", "hook_additional_context", "hook_blocking_error", "hook_stopped_continuation",
	"hook_success", "async_hook_response", "edited_text_file", "selected_lines_in_ide", "selected_lines_in_diff", "diagnostics", "task_status",
	"plan_file_reference", "invoked_skills", "opened_file_in_ide", "plugin_note", "read_truncation_notice", "pdf_reference",
]);

const TAGS = /^<system-reminder>\n?([^]*?)\n?<\/system-reminder>/;
/** What a person typed meanwhile is what stands between these sentences. */
const TYPED = /The user sent a new message while you were working:\n([^]*?)\n\nThis is how Claude Code surfaces messages the user sends mid-turn [^\n]*/g;
/** What stands before the commands that a person ran. */
const CAVEAT = /^(<local-command-caveat>|Caveat: The messages below )/;
const LAST_TAGS = /(?:^|\n)<system-reminder>\n?((?:(?!<\/?system-reminder>)[^])*?)\n?<\/system-reminder>\s*$/;

/** Types of attachments by what was sent for them, bare: for opts.rendered. */
function renderedTypes(lines) {
	const types = new Map();
	for (const { type, attachment, rendered } of lines) {
		if (type !== "attachment" || !Array.isArray(rendered))
			continue;
		const sent = rendered.filter(isObject).flatMap(({ content }) => (isText(content) ? [content] : elements(content).map((b) => b?.text).filter(isText)));
		const bare = sent.map((whole) => whole.match(TAGS)?.[1] ?? whole);
		// In a message of the system they are one paragraph.
		for (const words of [...bare, bare.join("\n")])
			types.set(words, attachment?.type);
	}
	return types;
}

/** The same of a file, some of whose lines may be damaged. */
export function renderedOf(file) {
	return renderedTypes(fs.readFileSync(file, "utf8").split("\n").flatMap((line) => {
		try {
			return [JSON.parse(line) ?? {}];
		} catch {
			return [];
		}
	}));
}

class Reminders {
	constructor(rendered = new Map()) {
		this.rendered = rendered;
	}

	keeps(bare) {
		const type = this.rendered.get(bare);
		return type === undefined ? KEPT_STARTS.some((start) => start.test(bare)) : KEPT_TYPES.has(type);
	}

	/** A text without the reminders before and behind it: { text, kept }. */
	split(whole) {
		const before = [], behind = [];
		let left = whole, found;
		while ((found = left.match(TAGS))) {
			before.push(found[1]);
			left = left.slice(found[0].length).replace(/^\n+/, "");
		}
		while ((found = left.match(LAST_TAGS))) {
			behind.unshift(found[1]);
			left = left.slice(0, found.index).replace(/\n+$/, "");
		}
		return { text: left, kept: [...before, ...behind].filter((bare) => this.keeps(bare)).map((bare) => bare.replace(TYPED, "$1")) };
	}

	/** A message of the system among the others has them without tags. */
	system(whole) {
		const paragraphs = whole.match(/[^]+?(?=\n\n|$)\n*/g) ?? [];
		const kept = [];
		let keeps = false;
		for (const paragraph of paragraphs) {
			const bare = paragraph.trimEnd().match(TAGS)?.[1] ?? paragraph;
			if (KEPT_STARTS.some((start) => start.test(bare)))
				keeps = true;
			else if (this.rendered.has(bare.trimEnd()))
				keeps = this.keeps(bare.trimEnd());
			if (keeps)
				kept.push(bare);
		}
		return kept.join("").trimEnd().replace(TYPED, "$1");
	}
}

const ANTHROPIC = {
	text: (b) => text(b.text),
	thinking: (b) => text(b.thinking),
	image: (b) => picture(b, b.source?.type === "url" ? b.source.url : b.source?.data, b.source?.media_type),
	tool_use: (b) => call(b, b.id, b.name, b.input),
};

/** Results are turns of their own; what stands behind them is a turn, too. */
function anthropicTurns(context, { rendered } = {}) {
	const reminders = new Reminders(rendered);
	const kept = [];
	const without = (parts) => parts.map((part) => {
		if (part.kind !== "text")
			return part;
		const split = reminders.split(part.text);
		kept.push(...split.kept);
		return { ...part, text: CAVEAT.test(split.text) ? "" : split.text };
	});
	return context.flatMap(({ role, content }) => {
		if (role === "system" || role === "developer")
			return [{ role: "user", parts: partsOf(content, ANTHROPIC).flatMap((part) => text(reminders.system(part.text ?? ""))) }];
		if (role === "assistant" || isText(content))
			return [{ role, parts: role === "user" ? withKept(without(text(content)), kept) : partsOf(content, ANTHROPIC) }];
		const turns = [];
		for (const block of elements(content)) {
			if (block?.type === "tool_result") {
				const turn = result(block.content, ANTHROPIC, { id: block.tool_use_id, failed: block.is_error });
				turns.push({ ...turn, parts: without(turn.parts) });
			} else {
				const parts = withKept(without(partsOf([block], ANTHROPIC)), kept);
				turns.push({ role, parts });
			}
		}
		if (kept.length > 0)
			turns.push({ role, parts: withKept([], kept) });
		return turns;
	});
}

/** Those that were found since the last time precede the parts. */
function withKept(parts, kept) {
	return [...kept.splice(0).flatMap(text), ...parts];
}

// OpenAI's APIs, and Codex

const CODEX_NOTES = [
	/^# AGENTS\.md instructions[^]*<\/INSTRUCTIONS>$/i, /^<environment_context>[^]*<\/environment_context>$/i,
	/^<recommended_plugins>[^]*<\/recommended_plugins>$/i,
	/^Warning: The maximum number of unified exec processes you can keep open is/,
	/^Warning: apply_patch was requested via [^]*Use the apply_patch tool instead of exec_command\.$/,
	/^Warning: Your account was flagged for potentially high-risk cyber activity/,
];

const withoutNotes = (parts) => parts.filter((part) => part.kind !== "text" || !CODEX_NOTES.some((note) => note.test(part.text.trim())));

const said = (b) => text(b.text);
const CODEX = {
	text: said, input_text: said, output_text: said, summary_text: said, reasoning_text: said,
	input_image: (b) => pictureAt(b, b.image_url),
	encrypted_content: () => [],
};

const asAssistant = (parts) => [{ role: "assistant", parts }];
/** What was compacted can be read by its maker alone. */
const COMPACTED = "[What was said before was compacted here. The summary is encrypted, and only the service that made it can read it.]";
const compacted = () => [{ role: "user", parts: text(COMPACTED) }];
const RESPONSES = {
	compaction: compacted, context_compaction: compacted,
	message: ({ role, content }) => {
		if (role === "user")
			return [{ role, parts: withoutNotes(partsOf(content, CODEX)) }];
		return role === "assistant" ? asAssistant(partsOf(content, CODEX)) : [];
	},
	agent_message: ({ content }) => [{ role: "user", parts: partsOf(content, CODEX) }],
	reasoning: ({ summary, content }) => asAssistant([...partsOf(summary, CODEX), ...partsOf(content, CODEX)]),
	function_call: (i) => asAssistant(call(i, i.call_id, i.name, parsed(i.arguments))),
	custom_tool_call: (i) => asAssistant(call(i, i.call_id, i.name, parsed(i.input))),
	local_shell_call: (i) => asAssistant(call(i, i.call_id, "shell", i.action)),
	tool_search_call: (i) => asAssistant(call(i, i.call_id, "tool_search", i.arguments)),
	web_search_call: (i) => asAssistant(other(i)),
	image_generation_call: (i) => asAssistant(picture(i, i.result, "image/png")),
	function_call_output: (i) => [result(i.output, CODEX, { id: i.call_id })],
	custom_tool_call_output: (i) => [result(i.output, CODEX, { id: i.call_id })],
	tool_search_output: (i) => [result([], CODEX, { id: i.call_id })],
};

function responsesTurns(context) {
	return context.flatMap((item) => {
		const type = item.type ?? "message";
		return Object.hasOwn(RESPONSES, type) ? RESPONSES[type](item) : [];
	});
}

const CHAT = { text: said, image_url: (b) => picture(b, b.image_url?.url) };

/** What Qwen Code says of a call whose result it does not have. */
const QWEN_NO_RESULT = /^Tool execution result was not recorded /;

function chatTurns(context) {
	return context.flatMap(({ role, content, reasoning_content: thought, tool_calls, tool_call_id }) => {
		if (role === "tool")
			return [result(content, CHAT, { id: tool_call_id, failed: QWEN_NO_RESULT.test(content?.[0]?.text) })];
		if (role !== "user" && role !== "assistant")
			return [];
		const calls = (tool_calls ?? []).flatMap((c) => call(c, c.id, c.function?.name, parsed(c.function?.arguments)));
		return [{ role, parts: [...text(thought), ...partsOf(content, CHAT), ...calls] }];
	});
}

// Settling

const isMade = (part) => part.kind === "picture";

/** A turn of the assistant with the results of its calls, and the pictures it made. */
function answered({ parts }, results, number) {
	const made = parts.filter(isMade);
	const numbered = parts.filter((part) => !isMade(part)).map((part) => (part.kind === "call" ? { ...part, n: number() } : part));
	const turns = [{ role: "assistant", parts: numbered }];
	for (const part of numbered.filter(({ kind }) => kind === "call"))
		turns.push({ role: "result", failed: true, parts: text(NO_RESULT), ...results.get(part.of), n: part.n });
	return made.length > 0 ? [...turns, { role: "user", parts: made }] : turns;
}

/** Pair calls and results: the newest call with an id that has no result has the next. */
function paired(turns) {
	const open = new Map(), results = new Map();
	for (const turn of turns) {
		if (turn.role === "result" && open.has(turn.id)) {
			results.set(open.get(turn.id), turn);
			open.delete(turn.id);
			turn.isPaired = true;
		}
		for (const part of turn.parts) {
			if (part.kind === "call") {
				part.of = Symbol(part.id);
				open.set(part.id, part.of);
			}
		}
	}
	return results;
}

function settled(turns) {
	const results = paired(turns);
	const list = [];
	let calls = 0;
	const number = () => calls++;
	for (let i = 0; i < turns.length;) {
		const turn = turns[i++];
		if (turn.isPaired || turn.parts.length === 0)
			continue;
		if (turn.role !== "assistant") {
			list.push({ role: "user", parts: turn.parts });
			continue;
		}
		const whole = { role: "assistant", parts: [...turn.parts] };
		for (; i < turns.length; i++) {
			const called = whole.parts.some(({ kind }) => kind === "call");
			if (turns[i].isPaired ? called : turns[i].role !== "assistant" && turns[i].parts.length > 0)
				break;
			if (turns[i].role === "assistant")
				whole.parts.push(...turns[i].parts);
		}
		list.push(...answered(whole, results, number));
	}
	return list;
}

// Items

function item({ role, n }, part) {
	const { kind, id, of, block, ...value } = part;
	return { role, kind, ...(role === "result" ? { n } : {}), ...value };
}

function items(turns, { failures }) {
	const list = turns.flatMap((turn) => {
		const failed = failures ? { failed: turn.failed } : {};
		const head = turn.role === "result" ? [{ role: "result", kind: "of", n: turn.n, ...failed }] : [];
		return [...head, ...turn.parts.map((part) => item(turn, part))];
	});
	const joined = [];
	for (const next of list) {
		const last = joined.at(-1);
		if (next.kind === "text" && last?.kind === "text" && last.role === next.role && last.n === next.n)
			last.text += `\n${next.text}`;
		else
			joined.push(next);
	}
	return joined;
}

const TURNS = {
	pi: piTurns(PI), omp: piTurns(OMP), "draft-uuid": piTurns(PI), "draft-index": piTurns(PI),
	claude: anthropicTurns, anthropic: anthropicTurns, "go-tree": anthropicTurns,
	codex: responsesTurns, responses: responsesTurns, openai: chatTurns, qwen: chatTurns,
};

/** All strings in it are well formed, names of members too. */
function wellFormed(value) {
	if (isText(value))
		return value.toWellFormed();
	if (Array.isArray(value))
		return value.map(wellFormed);
	return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, v]) => [key.toWellFormed(), wellFormed(v)])) : value;
}

/**
 * The items of a context: an array, as a dialect's context.json has it or as an API's
 * request (messages, input). opts.rendered: renderedTypes() of a session of Claude Code.
 * opts.blank: texts that an agent sends where there is nothing.
 */
export function canon(dialect, context, opts = {}) {
	const says = ({ kind, text: words }) => kind !== "text" || !(isBlank(words) || opts.blank?.includes(words));
	const turns = TURNS[dialect](wellFormed(context), opts).map(({ parts, ...turn }) => ({
		...turn,
		parts: parts.flatMap((part) => (part.kind === "call" && turn.role !== "assistant" ? other(part.block) : [part])).filter(says),
	}));
	return items(settled(turns), opts);
}

/** Without the user's text of that name: the prompt that was sent to see what is posted. */
export function withoutPrompt(list, prompt) {
	const at = list.findLastIndex(({ role, kind, text: words }) => role === "user" && kind === "text" && words.includes(prompt));
	if (at < 0)
		return list;
	const words = list[at].text.split(prompt)[0].replace(/\n$/, "");
	return [...list.slice(0, at), ...(isBlank(words) ? [] : [{ ...list[at], text: words }])];
}

/** Where two lists begin to differ, for people; undefined: they are equal. */
export function difference(a, b) {
	const at = Array.from({ length: Math.max(a.length, b.length) }, (_, i) => i).find((i) => stable(a[i]) !== stable(b[i]));
	return at === undefined ? undefined : `item ${at}: ${shown(a[at])}\n     but: ${shown(b[at])}`;
}

/** JSON with sorted members. */
function stable(value) {
	return JSON.stringify(value, (_, v) => (isObject(v) ? Object.fromEntries(Object.entries(v).sort(([x], [y]) => (x < y ? -1 : 1))) : v));
}

const shown = (value) => (stable(value) ?? "nothing").slice(0, 2000);
