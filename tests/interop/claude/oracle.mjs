// What the real Claude Code makes of a transcript: it is resumed with one more
// prompt, and the request says which messages it sent before that.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { NotCompared } from "../compare.mjs";
import { Home, linesOf, run } from "./agent.mjs";

export const PROMPT = "ORACLE-NEXT-PROMPT";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the agent itself puts after a tip that is open. */
const MADE_UP = ["No response requested.", "Continue from where you left off."];

const NO_RESULT = /^\[Tool call interrupted: /;

/** Reminders at the end of a result: there some models get them. */
const GLUED = /(\n\n<system-reminder>\n(?:(?!<system-reminder>)[\s\S])*<\/system-reminder>\n?)+$/;

/** A reminder of the old version's own, before the first message. */
const OWN = /^As you answer the user's questions, you can use the following context:/;

export function blocksOf({ content }) {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function isNote({ type, text }) {
	return type === "text" && /^\s*<system-reminder>/.test(text);
}

function noteText(note) {
	return note.trim().replace(/^<system-reminder>\n?([\s\S]*?)\n?<\/system-reminder>$/, "$1").trim();
}

function unglued(text, notes) {
	return text.replace(GLUED, (glued) => {
		notes.push(...glued.trim().split(/\n+(?=<system-reminder>)/));
		return "";
	});
}

/** A block as all versions could have sent it, with its notes taken out. */
function plain({ cache_control: unused, ...block }, notes) {
	// A text has a newline added if another block comes after it.
	if (block.type === "text")
		return { ...block, text: block.text.replace(/\n+$/, "") };
	if (block.type !== "tool_result")
		return block;
	const { is_error: isError, content, ...rest } = block;
	const parts = Array.isArray(content)
		? content.map((part) => (part.type === "text" ? { ...part, text: unglued(part.text, notes) } : part))
		: content && unglued(content, notes);
	return { ...rest, ...(parts === undefined ? {} : { content: parts }), ...(isError ? { is_error: true } : {}) };
}

/** Make one message of neighbours of one role. */
function joinTurns(messages) {
	for (let i = messages.length - 1; i > 0; i--) {
		if (messages[i].role === messages[i - 1].role)
			messages[i - 1].content.push(...messages.splice(i, 1)[0].content);
	}
}

/**
 * Messages in the one form in which two sides can be compared: { messages, notes }.
 * All contents are blocks, and neighbours of one role are one message. Notes are the
 * system's reminders and messages, which attachments become, too.
 */
export function normalise(messages) {
	const notes = [], out = [];
	for (const message of messages) {
		const blocks = blocksOf(message).map((block) => plain(block, notes));
		const isSystem = message.role === "system";
		notes.push(...blocks.filter((block) => isSystem || isNote(block)).flatMap(({ text }) => text ?? []));
		const said = isSystem ? [] : blocks.filter((block) => !isNote(block));
		if (said.length > 0)
			out.push({ role: message.role, content: said });
	}
	joinTurns(out);
	return { messages: out, notes: notes.map(noteText).filter((note) => !OWN.test(note)) };
}

/** The messages, and blocks of the last, before the new prompt; null if it is not there. */
function history(messages, prompt) {
	const isPrompt = ({ type, text }) => type === "text" && text === prompt;
	const last = messages.findIndex((message) => blocksOf(message).some(isPrompt));
	if (last < 0)
		return null;
	const blocks = blocksOf(messages[last]);
	return [...messages.slice(0, last), { ...messages[last], content: blocks.slice(0, blocks.findIndex(isPrompt)) }];
}

/** The nearest line, from one up, for which that holds. */
function climb(byId, id, holds) {
	const seen = new Set();
	for (let line = byId.get(id); line && !seen.has(line); line = byId.get(line.parentUuid)) {
		if (holds(line))
			return line;
		seen.add(line);
	}
	return undefined;
}

/** Is it a line of the user, or of an answer that is neither blank nor thinking? */
function isSaid({ type, message }) {
	const isSilent = (block) => block.type === "thinking" || (block.type === "text" && block.text.trim() === "");
	return type === "user" || (type === "assistant" && !blocksOf(message).every(isSilent));
}

/** Is it a local command that is sent? */
function isCommand({ subtype, isDisplayOnly }) {
	return subtype === "local_command" && isDisplayOnly !== true;
}

/**
 * Which line of those before did the new prompt's line go on from? `sent` is the
 * nearest from there up that is sent, or a boundary, `added` what the agent has written from the
 * prompt on, and `repair` what it wrote before that. An answer that it makes up hangs
 * on what the user said last: local commands that it has sent are left `beside` that.
 */
function whereItWentOn(home, known, prompt) {
	const isMine = ({ type, uuid, isSidechain, message }) => type === "user" && !isSidechain && !known.has(uuid) && message && blocksOf(message)[0]?.text === prompt;
	for (const file of home.transcripts()) {
		const lines = linesOf(fs.readFileSync(file));
		const mine = lines.find(isMine);
		if (!mine)
			continue;
		const byId = new Map(lines.map((line) => [line.uuid, line]));
		const leaf = climb(byId, mine.parentUuid, ({ uuid }) => known.has(uuid));
		const sent = climb(byId, leaf?.uuid, (line) => isSaid(line) || isCommand(line) || line.subtype === "compact_boundary");
		const repair = lines.slice(0, lines.indexOf(mine)).filter(({ uuid }) => uuid && !known.has(uuid));
		const added = lines.slice(lines.indexOf(mine));
		const beside = repair.length === 0 ? [] : lines.filter(({ uuid }) => known.has(uuid) && climb(byId, uuid, isSaid) === leaf).map(({ uuid }) => uuid);
		return { leaf: leaf?.uuid ?? null, sent: sent?.uuid ?? null, beside, repair, added };
	}
	return { leaf: null, sent: null, beside: [], repair: [], added: [] };
}

/**
 * What the agent puts in itself is no history: an answer, or results of calls that have
 * none. It is at the end, or local commands follow it.
 */
function dropRepair(messages, repair) {
	const made = repair.flatMap(({ message }) => (message ? blocksOf(message) : []));
	const isMade = (block) => made.some(({ text, tool_use_id: id }) => (block.type === "text"
		? MADE_UP.includes(block.text) && block.text === text
		: block.type === "tool_result" && block.tool_use_id === id && NO_RESULT.test(block.content)));
	for (let at = messages.length - 1; at >= 0; at--) {
		messages[at].content = messages[at].content.filter((block) => !isMade(block));
		if (messages[at].content.length === 0)
			messages.splice(at, 1);
		else if (messages[at].role === "assistant")
			break;
	}
	joinTurns(messages);
}

/** The reminders that a line is sent as. Of some the old version writes no text. */
function notesIn({ type, attachment, rendered = [], message }) {
	if (type === "attachment")
		return rendered.map(({ content }) => noteText(content));
	return type === "user" ? blocksOf(message).flatMap(({ text }) => (text ? noteText(text) : [])) : [];
}

/** Nor are the reminders that it has just written, each once. */
function dropOwnNotes(notes, written) {
	const own = written.flatMap(notesIn);
	const listsSkills = written.some(({ attachment, rendered }) => attachment?.type === "skill_listing" && !rendered);
	while (notes.length > 0) {
		// A notification has more words before it.
		const at = own.findIndex((text) => notes.at(-1).endsWith(text));
		if (at >= 0)
			own.splice(at, 1);
		else if (!listsSkills || !notes.at(-1).startsWith("The following skills are available"))
			return;
		notes.pop();
	}
}

/**
 * Give the agent a prompt in a home where transcripts are; `outside` are the lines of
 * one that it resumes from elsewhere, and copies. Returns what it sent as the history,
 * { messages, notes } as normalise() makes them, whereItWentOn(), and how it `ran`; or
 * { error, ran } if it sent nothing. Throws NotCompared if a signal has ended it before that.
 */
export async function ask(home, args, { prompt = PROMPT, outside = [], ...options } = {}) {
	const lines = home.transcripts().flatMap((file) => linesOf(fs.readFileSync(file)));
	const known = new Set([...lines, ...outside].map(({ uuid }) => uuid));
	const ran = await run(home, ["-p", ...args, prompt], options);
	const sent = ran.requests.map(({ body }) => body?.messages && history(body.messages, prompt)).find((messages) => messages);
	if (!sent && typeof ran.status === "string")
		throw new NotCompared(`Claude Code was ended by ${ran.status}`);
	if (!sent)
		return { error: (ran.out + ran.err).trim().slice(0, 500) || `exit status ${ran.status}`, ran };
	const { messages, notes } = normalise(sent);
	const where = whereItWentOn(home, known, prompt);
	dropRepair(messages, where.repair);
	dropOwnNotes(notes, [...where.repair, ...where.added]);
	return { messages, notes, ...where, ran };
}

/** The session of a transcript: the agent finds a file by it. */
function sessionOf(lines) {
	return lines.find(({ sessionId }) => UUID.test(sessionId ?? ""))?.sessionId ?? randomUUID();
}

/** The options with which a user would mostly go on: with the model that answered last. */
export function modelOf(lines) {
	const models = lines.filter(({ type, isSidechain, message }) => type === "assistant" && !isSidechain && message?.model !== "<synthetic>");
	const model = models.map(({ message }) => message?.model).findLast((name) => name);
	return model ? ["--model", model] : [];
}

/**
 * With --bare the agent is faster, but sends hardly any attachments, and knows few tools:
 * of the others it sends no references.
 */
function speedOf(lines) {
	const needsTools = (line) => /"name":"Task"|"tool_reference"/.test(JSON.stringify(line));
	return lines.some((line) => line.type === "attachment" || needsTools(line)) ? [] : ["--bare"];
}

/**
 * What the agent resumes of the bytes of a transcript: as ask() says, and the bytes that it
 * is `after` that. Its model is the one that answered last in `branch`, lines of it, or else in all.
 */
export function resume(bytes, { args, branch = [], ...options } = {}) {
	const lines = linesOf(bytes);
	args ??= speedOf(lines);
	const id = sessionOf(lines);
	const model = [branch, lines].map(modelOf).find(({ length }) => length > 0) ?? [];
	return Home.with(async (home) => {
		fs.writeFileSync(home.transcript(id), bytes);
		const asked = await ask(home, ["--resume", id, ...model, ...args], options);
		return { ...asked, after: fs.readFileSync(home.transcript(id)) };
	});
}
