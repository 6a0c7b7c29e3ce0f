// Random threads: paginated and legacy ones with turns, parallel calls, compactions with a
// list and without one, rollbacks, and lines that the agent skips. A paginated thread may be
// based on others: a fork, one of a fork, or what a revert has left.
//
// Known differences, which are not made: a rollback across a compaction. The agent makes
// compactions void by tasks, so one in a task that is rolled back counts too, even before
// its turn; and it cuts into what one without a list has left. Here a rollback takes turns
// of the path (core/dialects/codex/rollback.c). So a legacy thread has compactions or
// rollbacks. Nor is a message that a compaction has cut taken for a note of the agent's.

import fs from "node:fs";
import { casesOf } from "../corpus.mjs";
import { Random } from "../random.mjs";
import { JUNK, NO_UTF8 } from "./junk.mjs";
import { PICTURES, SOUNDS } from "./media.mjs";
import { WORDS } from "./words.mjs";

const TIME = "2026-11-25T10:00:00.000Z";
const AGENTS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nSay yes.\n</INSTRUCTIONS>";
/** What the agent takes for notes of its own, which it leaves out of compactions, and what it keeps: as in a case of the corpus. */
const { file, golden } = casesOf("codex").find(({ rule }) => rule === "fragments-of-the-user");
const textsOf = (items) => items.flatMap(({ content }) => content ?? []).map((part) => part.text);
const NO_NOTES = textsOf(JSON.parse(fs.readFileSync(golden, "utf8")));
const NOTES = textsOf(fs.readFileSync(file, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line).payload)).filter((text) => !NO_NOTES.includes(text));
const DEVELOPER = [
	"<permissions instructions>p", "<collaboration_mode>x", "<model_switch>x", "plain", "<image_resize_notice>", "<tools>x",
	"<managed_developer_instructions>x", "<catalog_apps_instructions>x", "Approved command prefix saved:x", "<recommended_plugins>x</recommended_plugins>",
];
const MODE = { mode: "plan", settings: { model: "gpt-5", reasoning_effort: null, developer_instructions: "Plan it." } };
const SETTINGS = [
	{ type: "world_state", payload: { full: true, state: { agents_md: { directory: "/w", text: "Say yes." }, collaboration_mode: { mode: "plan", model: "gpt-5", instructions: "x" } } } },
	{
		type: "turn_context",
		payload: {
			turn_id: "01a20000-0000-7000-8000-00000000ffff", cwd: "/tmp", approval_policy: "never", permission_profile: { type: "disabled" }, model: "gpt-5",
			collaboration_mode: MODE, summary: "none", sandbox_policy: { type: "danger-full-access" },
		},
	},
];

function idOf(n) {
	return `01a20000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

function item(payload, rest = {}) {
	return { type: "response_item", payload, ...rest };
}

function event(payload) {
	return { type: "event_msg", payload };
}

function text(value) {
	return [{ type: "input_text", text: value }];
}

class Rollout {
	/** Of a paginated thread, maybe one that goes on from another rollout. */
	constructor(random, legacy, sealed, base) {
		this.r = random;
		this.legacy = legacy;
		this.sealed = sealed;
		this.base = base;
		this.count = base?.count ?? 0;
		this.calls = [...base?.calls ?? ["none"]];
		this.lines = [];
		this.rollsBack = legacy && random.chance(0.5);
	}

	words() {
		return Array.from({ length: 1 + this.r.int(3) }, () => this.r.pick(WORDS)).join(" ");
	}

	/** With an id, of which some are not sent, and members that are dropped. */
	dressed(payload, prefix) {
		const { r } = this;
		this.count++;
		if (r.chance(0.75))
			payload.id = r.pick([`${prefix}_${this.count}`, `${prefix}_${this.count}`, null, `bad${this.count}`, "", "dup_1", "_1", "a_b_c"]);
		if (r.chance(0.3))
			payload.internal_chat_message_metadata_passthrough = { turn_id: "t" };
		if (r.chance(0.1))
			payload.junk = r.pick([1, null, { a: [1] }]);
		return item(payload, r.chance(0.1) ? { metadata: { history_sequence: 1 } } : {});
	}

	user() {
		const { r } = this;
		let content = text(`u${this.count} ${this.words()}`);
		if (r.chance(0.25))
			content.push(r.pick(PICTURES));
		if (r.chance(0.15))
			content.push(r.pick(SOUNDS));
		if (r.chance(0.1))
			content = text(r.pick(r.chance(0.7) ? NOTES : NO_NOTES));
		if (r.chance(0.03))
			content = text(this.words().repeat(2000));
		return this.dressed({ type: "message", role: "user", content }, "msg");
	}

	call(id) {
		const { r } = this;
		const output = r.pick([this.words(), [...text(this.words()), ...text(""), ...r.some(1, () => r.pick(PICTURES)), ...r.some(1, () => r.pick(SOUNDS))]]);
		return r.pick([
			() => [{ type: "custom_tool_call", name: "apply_patch", input: this.words(), call_id: id }, { type: "custom_tool_call_output", call_id: id, output }],
			() => [{ type: "local_shell_call", status: "completed", call_id: id, action: { type: "exec", command: ["ls"], timeout_ms: r.pick([null, 5]) } }, { type: "function_call_output", call_id: id, output }],
			() => [{ type: "tool_search_call", execution: r.pick(["client", "server"]), call_id: id, arguments: { q: 1 } }, { type: "tool_search_output", call_id: id, execution: "client", status: "completed", tools: [] }],
			() => [{ type: "function_call", name: "shell", namespace: r.pick([undefined, "n", null]), arguments: JSON.stringify({ cmd: this.words() }), call_id: id }, { type: "function_call_output", call_id: id, output }],
		])();
	}

	addCalls() {
		const { r } = this;
		const outputs = [];
		for (let n = 1 + r.int(3); n > 0; n--) {
			const id = `call_${++this.count}`;
			this.calls.push(id);
			const [call, output] = this.call(id);
			this.lines.push(this.dressed(call, "fc"));
			if (r.chance(0.85))
				outputs.push(this.dressed(output, "fco"));
		}
		this.lines.push(...(r.chance(0.3) ? r.shuffle(outputs) : outputs));
	}

	reasoning() {
		const { r } = this;
		return this.dressed({
			type: "reasoning", summary: r.pick([[], [{ type: "summary_text", text: this.words() }]]),
			...r.pick([{}, { content: null }, { content: [{ type: "reasoning_text", text: this.words() }] }, { content: [{ type: "text", text: "t" }] }]),
			...r.pick([{}, { encrypted_content: "E" }, { encrypted_content: null }]),
		}, "rs");
	}

	/** Items that are sent in odd ways, or not at all, and lines that are none. */
	odd() {
		const { r } = this;
		return r.pick([
			() => this.dressed({ type: "function_call_output", call_id: r.pick(this.calls) + r.pick(["", "q"]), output: "odd" }, "fco"),
			() => item({ type: "function_call_output", output: "without a call" }),
			() => this.dressed({ type: "web_search_call", status: "completed", action: r.pick([{ type: "search", query: "q" }, { type: "open_page", url: "u" }, { type: "zzz" }, null]) }, "ws"),
			() => item({ type: "message", role: "developer", content: text(r.pick(DEVELOPER)) }),
			() => item({ type: "message", role: "system", content: text("s") }),
			() => item({ type: "newtype" }),
			() => item({ type: "message", role: "user", content: "bad" }),
			() => item({ type: "message", role: "user", content: [{ type: "strange" }] }),
			() => item({ type: "function_call", name: "f", arguments: {}, call_id: "x" }),
			() => ({ type: "turn_context", payload: { model: "m" } }),
			() => event({ type: "token_count", info: null }),
			() => event({ type: "agent_message", message: "repeated" }),
			() => ({ type: "inter_agent_communication", payload: { author: "/root", recipient: "/root/x", content: this.words(), trigger_turn: r.chance(0.5), ...r.pick([{}, { encrypted_content: "E" }]) } }),
			() => this.dressed({ type: r.pick(["compaction", "compaction_summary"]), encrypted_content: "E" }, "cmp"),
			() => this.dressed({ type: "agent_message", author: "/root", recipient: "/root/a", content: text(this.words()) }, "am"),
			() => r.pick(this.legacy ? JUNK : [...JUNK, ...NO_UTF8]),
		])();
	}

	compacted() {
		const { r } = this;
		const list = [...r.some(2, () => this.user().payload), { type: "message", role: "user", content: text("sum") }, ...r.some(1, () => ({ type: "newtype" })), ...r.some(this.sealed ? 1 : 0, () => ({ type: r.pick(["compaction", "compaction_summary"]), encrypted_content: "E" }))];
		const payload = { message: r.pick([`SUM${this.count}`, ""]) };
		if (r.chance(0.7))
			Object.assign(payload, { replacement_history: list, ...(r.chance(0.8) ? { window_number: this.count } : {}) });
		return { type: "compacted", payload };
	}

	/**
	 * What the agent says of its surroundings before a turn, and notes of them: where they
	 * are others when the thread is resumed, it says that.
	 */
	addSurroundings() {
		const { r } = this;
		if (r.chance(0.2))
			this.lines.push(...SETTINGS);
		if (r.chance(0.2))
			this.lines.push(item({ type: "message", role: "developer", content: text(r.pick(DEVELOPER)) }));
		if (r.chance(0.15))
			this.lines.push(item({ type: "message", role: "user", content: text(r.pick(NOTES)) }));
		if (r.chance(0.1))
			this.lines.push(item({ type: "message", role: "developer", content: text("<collaboration_mode># Collaboration Mode: Default</collaboration_mode>") }));
		if (r.chance(0.1))
			this.lines.push(item({ type: "message", role: "user", content: text(AGENTS) }));
	}

	addTurn(started) {
		const { r } = this;
		const turn_id = idOf(5000 + ++this.count);
		if (started)
			this.lines.push(event({ type: "task_started", turn_id, model_context_window: 1 }));
		if (r.chance(0.03))
			this.lines.push({ type: "session_meta", payload: { id: idOf(9), session_id: idOf(9), timestamp: TIME, cwd: "/x", originator: "x", cli_version: "0.171.0", source: "cli", model_provider: "fake", ...(this.legacy ? {} : { history_mode: "paginated" }) } });
		if (!this.rollsBack && r.chance(0.15))
			this.lines.push(this.compacted());
		this.addSurroundings();
		if (r.chance(0.95))
			this.lines.push(this.user());
		for (let n = r.int(5); n > 0; n--) {
			r.weighted({ answer: 1, other: 3 }) === "answer"
				? this.lines.push(this.dressed({ type: "message", role: "assistant", content: [{ type: "output_text", text: this.words() }], ...r.pick([{}, { phase: "commentary" }, { status: "completed" }]) }, "msg"))
				: r.pick([() => this.addCalls(), () => this.addCalls(), () => this.lines.push(this.reasoning()), () => this.lines.push(this.odd())])();
			if (!this.rollsBack && r.chance(0.08))
				this.lines.push(this.compacted());
			if (r.chance(0.1))
				this.lines.push(this.user());
		}
		if (started && r.chance(0.8))
			this.lines.push(event({ type: "task_complete", turn_id }));
		if (this.rollsBack && r.chance(0.3))
			this.lines.push(event({ type: "thread_rolled_back", num_turns: r.pick([1, 1, 1, 2, 2, 3, 9, 0]) }));
	}

	addTurns(most) {
		const started = this.r.chance(0.85);
		for (let turns = 1 + this.r.int(most); turns > 0; turns--)
			this.addTurn(started);
		// One that has no ordinal may not be the last.
		if (typeof this.lines.at(-1) === "string")
			this.lines.push(event({ type: "token_count", info: null }));
		return this;
	}

	meta() {
		return {
			id: this.thread, session_id: this.thread, timestamp: TIME, cwd: "/w", originator: "x", cli_version: "0.171.0", source: "cli", model_provider: "fake",
			...(this.legacy ? {} : { history_mode: "paginated" }), ...(this.base ? { history_base: this.base.cut() } : {}),
		};
	}

	/** Lines of a paginated thread that are JSON are counted. The first is this.first's. */
	numbered() {
		let ordinal = this.first;
		return [{ type: "session_meta", payload: this.meta() }, ...this.lines].map((line) => (typeof line === "string"
			? { bytes: Buffer.from(`${line}\n`, "latin1"), ordinal }
			: { bytes: Buffer.from(`${JSON.stringify({ timestamp: TIME, ...(this.legacy ? {} : { ordinal }), ...line })}\n`), ordinal: ++ordinal }));
	}

	/** Give it its ids, and make its bytes. `keeps` so many of the first lines for others. */
	finish(thread, rollout) {
		Object.assign(this, { thread, rollout, first: this.base?.end ?? 0 });
		const lines = this.numbered();
		this.keeps = this.r.chance(0.2) ? lines.length : 1 + this.r.int(lines.length);
		this.end = lines[this.keeps - 1].ordinal;
		this.endByte = Buffer.concat(lines.slice(0, this.keeps).map(({ bytes }) => bytes)).length;
		const torn = this.r.chance(0.15) ? this.torn() : Buffer.alloc(0);
		this.bytes = Buffer.concat([...lines.map(({ bytes }) => bytes), torn]);
		return this;
	}

	/** The start of a line, or all of it but its end. */
	torn() {
		const line = Buffer.from(JSON.stringify({ timestamp: TIME, ...(this.legacy ? {} : { ordinal: 5000 }), ...this.user() }));
		if (this.r.chance(0.2))
			return line;
		let end = this.r.int(line.length);
		// A legacy thread that ends in the middle of a character is not opened.
		while (this.legacy && (line[end] & 0xc0) === 0x80)
			end--;
		return line.subarray(0, end);
	}

	/** As the history_base of a rollout that goes on from this one. */
	cut() {
		return { thread_id: this.rollout, end_ordinal_exclusive: this.end, end_byte_offset: this.endByte };
	}
}

/**
 * The rollouts of a random thread: each is the base of the next one, and the last is the
 * thread's. Every other seed makes a legacy thread, which has but one. Compactions may be
 * sealed: their lists may have what only the service that made it can read.
 */
export function generate(seed, { sealed = true } = {}) {
	const random = new Random(seed);
	const legacy = seed % 2 === 1;
	let n = 0;
	const nextId = () => idOf(seed * 16 + n++);
	const first = nextId();
	const rollouts = [new Rollout(random, legacy, sealed).addTurns(8).finish(first, first)];
	while (!legacy && rollouts.length < 5 && random.chance(0.5)) {
		const base = rollouts.at(-1);
		const rollout = nextId();
		// A fork is a thread of its own, and a revert another rollout of the same.
		const thread = random.chance(0.6) ? rollout : base.thread;
		rollouts.push(new Rollout(random, legacy, sealed, base).addTurns(3).finish(thread, rollout));
	}
	return rollouts;
}
