// Random transcripts of the shapes that Claude Code writes: turns with responses in
// several lines and parallel calls, branches, links, attachments, subagents, pins,
// interruptions, compactions that keep messages; and now and then something broken.

import { Random } from "../random.mjs";
import { answer, attachment, boundary, call, file, line, MODEL, pin, result, results, SESSION, summary, system, thinking, user, uuid } from "./transcript.mjs";

const OTHER_MODEL = "claude-opus-4-6";
const CLEARED = "00000000-0000-0000-0000-000000000000";
const INTERRUPTED = "[Request interrupted by user]";
const MISSING = 99999;
const REFERENCES = [{ type: "tool_reference", tool_name: "CronCreate" }, { type: "tool_reference", tool_name: "CronList" }];

/** What a step of a session may be, by weight. */
const STEPS = {
	turn: 80, branch: 30, compact: 10, aside: 10, pin: 30, explicitPin: 10, clearingPin: 3, title: 10, command: 8, orphan: 8,
	badLine: 3, damage: 5, again: 3, otherCopy: 2, microcompact: 4, snapshot: 4, ownNote: 8,
};

class Maker {
	constructor(seed) {
		this.random = new Random(seed);
		this.count = 0;
		this.calls = 0;
		this.lines = [];
		this.tip = null;
		/** No clock is wrong below an orphan: the agent would hang it on an older line below it. */
		this.isOrphaned = false;
		/** Which of two things there are that do not go together. */
		this.onlyOf = null;
		/** The ends of turns, where a branch may start. */
		this.stops = [];
	}

	id() {
		return ++this.count;
	}

	/**
	 * A line below the tip, which it becomes. Now and then a clock was wrong, but not
	 * that of a local command: the agent orders what hangs on its leaf otherwise then.
	 */
	chain(make, ...rest) {
		const id = this.id();
		const made = make(id, this.tip, ...rest);
		if (!this.isOrphaned && make !== system && this.random.chance(0.02))
			made.timestamp = line(1, null, "user", { t: Math.max(0, id - this.random.int(9)) }).timestamp;
		this.lines.push(made);
		this.tip = id;
		return id;
	}

	/** The text of an answer; now and then none. */
	text() {
		return this.random.chance(0.05) ? this.random.pick(["", "\n\n"]) : `text ${this.count}`;
	}

	/** The lines of calls: the ids and the names of those. Now and then one line has two. */
	callLines(count, mid) {
		return Array.from({ length: count }, (_, i) => {
			const name = `t${++this.calls}`;
			if (i > 0 && this.random.chance(0.1)) {
				this.lines.at(-1).message.content.push(call(name));
				return [this.tip, name];
			}
			return [this.chain(answer, call(name), mid), name];
		});
	}

	/**
	 * A result hangs on the line of its own call, and the last that is written goes on. Now
	 * and then another one hangs elsewhere: the agent finds it by its id. Not on an earlier
	 * answer, with which it would be sent before its call.
	 */
	resultLines(calls) {
		const { random } = this;
		if (random.chance(0.3))
			random.shuffle(calls);
		for (const [parent, name] of calls) {
			this.tip = parent;
			if (calls.length > 1 && parent !== calls[0][0] && random.chance(0.03))
				continue;
			if (random.chance(0.08) && this.only("beside"))
				this.beside();
			if (name !== calls.at(-1)[1] && random.chance(0.06)) {
				const elsewhere = 1 + random.int(this.count);
				const isAnswer = this.lines.some((made) => made.uuid === uuid(elsewhere) && made.type === "assistant");
				if (!isAnswer || elsewhere >= calls[0][0])
					this.tip = elsewhere;
			}
			this.chain(results, this.resultOf(name));
			if (random.chance(0.04) && this.only("beside"))
				this.beside();
			if (random.chance(0.02) && this.only("again"))
				this.chain(results, result(name, "again"));
		}
	}

	/**
	 * May there be such a thing? What is glued to the second result of a call is lost
	 * with it, but if it is from beside the chain, the agent glues it to another one.
	 */
	only(what) {
		this.onlyOf ??= what;
		return this.onlyOf === what;
	}

	meanwhile() {
		const own = this.random.pick([{}, {}, { hostsOwnTurn: true }, { hostsOwnTurn: true, isMeta: true }, { hostsOwnTurn: true, origin: { kind: "human" } }]);
		this.chain(attachment, { type: "queued_command", prompt: `meanwhile ${this.count}`, commandMode: "prompt", ...own }, this.rendered());
	}

	/** What a hook says of a call: its result hangs beside it. */
	beside() {
		const { tip } = this;
		this.chain(attachment, { type: "hook_additional_context", content: [`beside ${this.count}`], hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", toolUseID: "y" });
		this.tip = tip;
	}

	/** A result, of which some load tools. */
	resultOf(name) {
		const { random } = this;
		const kind = random.weighted({ plain: 85, error: 10, references: 8 });
		if (kind === "plain")
			return name;
		return kind === "error" ? result(name, "E", { is_error: true }) : result(name, REFERENCES);
	}

	/** The agent's own note to the model. */
	ownNote() {
		const { random } = this;
		const told = `note ${this.count}`;
		const content = random.pick([told, told, "  ", [{ type: "text", text: told }], [{ type: "text", text: told }, { type: "text", text: "more" }]]);
		const mark = random.pick([
			{ ownNote: random.chance(0.9) || "yes" },
			{ hookText: random.chance(0.9) || "yes", hookTextLead: random.pick(["The text below is the output of a hook. Heed it.", "odd", 7]) },
		]);
		const origin = random.pick([{}, {}, { origin: { kind: "task-notification" } }, { origin: { kind: "human" } }]);
		this.chain(user, content, { isMeta: true, ...mark, ...origin });
		this.respond();
	}

	/** What the agent recorded as sent, if it did. */
	rendered() {
		const { random } = this;
		const content = () => `<system-reminder>\nsent ${random.int(1000)}\n</system-reminder>`;
		const block = () => random.pick([content(), [{ type: "text", text: content() }]]);
		return random.pick([
			{}, {}, { rendered: [{ content: block() }] }, { rendered: [{ content: block() }, { content: block() }] },
			{ rendered: [{ content: block() }], renderedRole: "user" }, { rendered: [{ content: block() }], renderedRole: "system" },
		]);
	}

	/** What is sent with a prompt. */
	along() {
		const n = this.count;
		const hook = { hookName: "UserPromptSubmit", hookEvent: "UserPromptSubmit", toolUseID: "y" };
		const file = { filePath: "/w/a.txt", content: `alpha ${n}\nbeta`, numLines: 2, startLine: 1, totalLines: 2 };
		this.chain(attachment, this.random.pick([
			{ type: "hook_success", hookName: "x", hookEvent: "Stop", toolUseID: "y", content: "" },
			{ type: "hook_success", content: `said ${n}`, ...hook },
			{ type: "hook_additional_context", content: [`context ${n}`, "and more"], ...hook },
			{ type: "file", filename: "/w/a.txt", displayPath: "a.txt", content: { type: "text", file } },
			{ type: "edited_text_file", filename: "/w/a.txt", snippet: `1\tnew ${n}` },
		]), this.rendered());
	}

	/** One response, and what follows from its calls. */
	respond() {
		const { random } = this;
		const mid = { mid: `msg_${this.count}`, model: random.chance(0.05) ? OTHER_MODEL : MODEL };
		if (random.chance(0.3))
			this.chain(answer, thinking(`think ${this.count}`), mid);
		const count = random.pick([0, 0, 1, 1, 2, 3]);
		if (count === 0 || random.chance(0.5))
			this.chain(answer, this.text(), mid);
		if (count === 0)
			return;
		const early = count > 1 && random.chance(0.2) ? 1 + random.int(count - 1) : 0;
		if (early > 0)
			this.earlyResults(early, mid);
		const calls = this.callLines(count - early, mid);
		if (random.chance(0.05)) {
			this.interruptTools(calls);
			return;
		}
		this.resultLines(calls);
		if (random.chance(0.1))
			this.meanwhile();
		this.respond();
	}

	/** Tools run while the model goes on: results may be written before its next call. */
	earlyResults(count, mid) {
		const calls = this.callLines(count, mid);
		const { tip } = this;
		this.resultLines(calls);
		this.tip = tip;
	}

	interruptTools(calls) {
		this.chain(results, result(calls.at(-1)[1], "The user doesn't want to proceed with this tool use.", { is_error: true }));
		this.chain(user, [{ type: "text", text: `${INTERRUPTED.slice(0, -1)} for tool use]` }]);
	}

	apiError() {
		this.chain(answer, "API Error: 400", { model: "<synthetic>", isApiErrorMessage: true });
	}

	turn() {
		const { random } = this;
		this.chain(user, random.chance(0.2) ? [{ type: "text", text: `user ${this.count}` }] : `user ${this.count}`);
		while (random.chance(0.2))
			this.along();
		const end = random.weighted({ respond: 90, apiError: 4, interrupted: 4, nothing: 2 });
		if (end === "respond")
			this.respond();
		else if (end === "apiError")
			this.apiError();
		else if (end === "interrupted")
			this.chain(user, [{ type: "text", text: INTERRUPTED }]);
		if (random.chance(0.2))
			this.chain(system, "turn_duration", { durationMs: 5 });
		this.stops.push(this.tip);
	}

	branch() {
		this.tip = this.random.pick(this.stops);
		this.turn();
	}

	/** The newest lines of the chain, from a prompt on: those may be kept. */
	keptLines() {
		const byId = new Map(this.lines.filter(({ uuid: id }) => id).map((made) => [made.uuid, made]));
		const kept = [];
		for (let at = byId.get(uuid(this.tip)); at && kept.length < 4 && at.type !== "system"; at = byId.get(at.parentUuid))
			kept.unshift(at);
		while (kept.length > 0 && (kept[0].type !== "user" || Array.isArray(kept[0].message.content)))
			kept.shift();
		return kept.map(({ uuid: id }) => id);
	}

	compact() {
		const old = this.tip, at = this.id(), sum = this.id();
		const kept = this.random.chance(0.5) ? this.keptLines() : [];
		const anchorUuid = uuid(sum);
		const keep = kept.length === 0 ? {} : {
			preservedSegment: { headUuid: kept[0], anchorUuid, tailUuid: kept.at(-1) },
			preservedMessages: { anchorUuid, uuids: kept, allUuids: kept },
		};
		this.lines.push(boundary(at, old, keep), summary(sum, at, `SUM ${sum}`));
		this.tip = sum;
		this.turn();
	}

	/** An old subagent, whose lines are in the same file. */
	aside() {
		const side = { isSidechain: true, agentId: "a1b2c3d" };
		const first = this.id(), second = this.id();
		this.lines.push(user(first, null, `sub ${first}`, side), answer(second, first, `sub ${second}`, side));
	}

	pin() {
		const { random } = this;
		this.lines.push(pin(random.chance(0.67) ? this.tip : random.pick(this.stops)));
	}

	explicitPin() {
		this.lines.push(pin(this.random.pick(this.stops), { explicit: true }));
	}

	clearingPin() {
		this.lines.push(pin(CLEARED, { explicit: true }));
	}

	title() {
		this.lines.push({ type: "ai-title", aiTitle: `T${this.count}`, sessionId: SESSION });
	}

	snapshot() {
		this.lines.push({ type: "file-history-snapshot", messageId: uuid(this.tip), snapshot: {}, isSnapshotUpdate: false });
	}

	command() {
		const say = (content) => this.chain(system, "local_command", { content, level: "info", isMeta: false, ...(this.random.chance(0.2) ? { isDisplayOnly: true } : {}) });
		if (this.random.chance(0.5))
			this.chain(user, "<local-command-caveat>Caveat: x</local-command-caveat>", { isMeta: true });
		say(`<command-name>/cost ${this.count}</command-name>`);
		say(`<local-command-stdout>out ${this.count}</local-command-stdout>`);
		this.stops.push(this.tip);
	}

	/** A turn whose parent was never written, now and then after a while. */
	orphan() {
		this.tip = MISSING;
		if (this.random.chance(0.3))
			this.count += 9;
		this.isOrphaned = true;
		this.turn();
	}

	badLine() {
		this.lines.push(this.random.pick(["{bad", "5", "[1]", "{}", ""]));
	}

	/** The last line as it may be after a crash, or printed over several lines. */
	damage() {
		const last = this.lines.pop();
		const text = typeof last === "string" ? last : JSON.stringify(last);
		const drawn = typeof last === "string" ? last : JSON.stringify(last, null, 1);
		this.lines.push(this.random.pick([`${text}${"\0".repeat(7)}`, `${text}{"uuid":"x`, `${text},`, drawn, `${drawn} x`]));
	}

	/** A line written twice. */
	again() {
		this.lines.push(this.random.pick(this.lines.slice(-4)));
	}

	/** Not behind an explicit pin: the agent's next line hangs on what is below the copy. */
	otherCopy() {
		const at = !this.lines.some(({ explicit }) => explicit) && this.lines.findLast((made) => made.type === "user" && typeof made.message.content === "string");
		if (at)
			this.lines.push({ ...at, message: { role: "user", content: `${at.message.content}, other copy` } });
	}

	microcompact() {
		const microcompactMetadata = { trigger: "auto", preTokens: 9, tokensSaved: 1, compactedToolIds: [], clearedAttachmentUUIDs: [] };
		this.chain(system, "microcompact_boundary", { content: "x", microcompactMetadata });
	}

	/** At the end, what a crash or a power cut has left of one more line: zeros where no sector came. */
	cut() {
		const { random } = this;
		if (random.chance(0.85))
			return Buffer.from("");
		const text = JSON.stringify(user(this.id(), this.tip, "cut"));
		return Buffer.from(text.slice(0, random.int(text.length - 1)) + "\0".repeat(random.pick([0, 100, 600])));
	}

	make() {
		this.turn();
		for (let steps = 1 + this.random.int(8); steps > 0; steps--)
			this[this.random.weighted(STEPS)]();
		return this.lines;
	}
}

/** The bytes of a transcript that a seed repeats. */
export function generate(seed) {
	const maker = new Maker(seed);
	return Buffer.concat([file(maker.make()), maker.cut()]);
}
