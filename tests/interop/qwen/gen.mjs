// Random chats, with the records and members that Qwen Code 0.24.4 writes.

import { Random } from "../random.mjs";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const SESSION = "5e55f500-0000-4000-8000-000000000001";
const TEXTS = ["one", "two\nlines", " ", "", "“quoted”", "😀", "/about", "a\tb", "(request timeout)", "x".repeat(200), "\u2028", "</done>"];
/** What is planned, and what becomes of it. */
export const PLANS = ["1. one\n2. two", "“a plan”\n"];
const DECISIONS = ["User approved. You can now start coding.", "Leader approved. You can now start coding.", "User chose to continue planning."];
const TOOLS = ["read_file", "write_file", "edit", "glob", "run_shell_command", "agent", "exit_plan_mode"];
const PROVENANCE = { user: "real_user", assistant: "assistant_output", tool_result: "tool_result", system: "system" };

class Chat {
	constructor(seed, options) {
		this.options = options;
		this.random = new Random(seed);
		this.records = [];
		this.last = null;
		this.calls = [];
	}

	text() {
		return this.random.pick(TEXTS);
	}

	add(type, more, parent = this.last) {
		const n = this.records.length + 1;
		const uuid = `c1a0de00-0000-4000-8000-${String(n).padStart(12, "0")}`;
		const time = new Date(Date.UTC(2026, 2, 1, 10, 0, n)).toISOString();
		this.records.push({ uuid, parentUuid: parent, sessionId: SESSION, timestamp: time, type, provenance: PROVENANCE[type], cwd: "/w/proj", version: "0.24.4", ...more });
		this.last = uuid;
	}

	system(subtype, systemPayload, parent) {
		this.add("system", { subtype, systemPayload }, parent);
	}

	/** One of a few, whose bytes nobody looks at. */
	medium() {
		if (this.options.plainResults)
			return { inlineData: { mimeType: "image/png", data: PIXEL } };
		const data = this.random.pick([PIXEL, "QQ==", "QUI=", "QUJD", "QUJDRA=="]);
		const mimeType = this.random.pick(["image/png", "image/png", "image/png", "image/jpeg", "image/SVG+xml", "application/pdf", "video/mp4", "audio/mpeg"]);
		if (this.random.chance(0.1))
			return { fileData: { mimeType, fileUri: "https://example.com/a" } };
		return { inlineData: { mimeType, data, ...(this.random.chance(0.2) ? { displayName: "a b.png" } : {}) } };
	}

	/** So many that some are named, and not sent. */
	pictures() {
		const parts = [{ text: this.text() }];
		for (let n = this.random.pick([3, 9, 17, 21]); n > 0; n--)
			parts.push(this.medium());
		this.add("user", { message: { role: "user", parts } });
	}

	user() {
		const parts = [{ text: this.text() }];
		while (this.random.chance(0.3))
			parts.push(this.random.chance(0.3) ? this.medium() : { text: this.text() });
		const subtype = this.random.weighted({ none: 12, mid_turn_user_message: 2, cron: 1, notification: 1, realtime_message: 1 });
		this.add("user", { ...(subtype === "none" ? {} : { subtype }), message: { role: "user", parts } });
	}

	assistant() {
		const parts = [];
		if (this.random.chance(0.3))
			parts.push({ text: this.text(), thought: true });
		if (this.random.chance(0.8))
			parts.push({ text: this.text() });
		this.calls = [];
		while (this.random.chance(0.4)) {
			const id = this.random.chance(0.05) ? undefined : `call_${this.random.chance(0.05) ? 1 : this.records.length * 10 + parts.length}`;
			const name = this.random.pick(TOOLS);
			const plan = { plan: this.random.pick(PLANS), a: 1 };
			parts.push({ functionCall: { ...(id ? { id } : {}), name, args: name === "exit_plan_mode" ? plan : this.random.pick([{}, { file_path: "/w/proj/a b.c" }, { b: 1, a: [1.50, "é"], 2: null }]) } });
			this.calls.push({ id, name });
		}
		this.system("ui_telemetry", { uiEvent: { "event.name": "qwen-code.api_response", model: "qwen3-vl-plus", status_code: 200, total_token_count: 1020 } });
		const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 20, thoughtsTokenCount: 6, totalTokenCount: 1020, cachedContentTokenCount: 0 };
		this.add("assistant", { model: "qwen3-vl-plus", message: { role: "model", parts }, usageMetadata, contextWindowSize: 262144 });
	}

	result({ id, name }) {
		const failed = !this.options.plainResults && this.random.chance(0.2);
		const response = this.random.chance(0.1) ? { other: [this.text()] } : { [failed ? "error" : "output"]: name === "exit_plan_mode" ? this.random.pick(DECISIONS) : this.text() };
		const media = !this.options.plainResults && this.random.chance(0.2) ? { parts: [this.medium()] } : {};
		const parts = [{ functionResponse: { ...(id ? { id } : {}), name, response, ...media } }];
		if (this.random.chance(0.1))
			parts.push(this.random.chance(0.5) ? this.medium() : { text: this.text() });
		const status = failed ? "error" : "success";
		this.add("tool_result", { message: { role: "user", parts }, toolCallResult: { callId: id, status, executionStatus: status, resultDisplay: "" } });
	}

	results() {
		for (const call of this.random.shuffle([...this.calls])) {
			if (this.random.chance(0.9))
				this.result(call);
			if (this.random.chance(0.1))
				this.result(call);
		}
		if (this.random.chance(0.05))
			this.result({ id: "call_of_nobody", name: "glob" });
	}

	command() {
		const text = this.random.pick(["/about", "/stats"]);
		if (this.random.chance(0.7))
			this.add("user", { message: { role: "user", parts: [{ text }] } });
		const type = this.random.pick(["assistant", "assistant", "info"]);
		this.system("slash_command", { phase: this.random.pick(["result", "result", "invocation"]), rawCommand: text, outputHistoryItems: [{ type, text: "printed" }] });
	}

	compress() {
		const compressedHistory = [{ role: "user", parts: [{ text: "SUMMARY" }] }, { role: "model", parts: [{ text: "Got it." }] }];
		this.system("chat_compression", { info: { originalTokenCount: 900, newTokenCount: 90, compressionStatus: 1 }, compressedHistory: this.random.chance(0.1) ? [] : compressedHistory });
	}

	/** Go on somewhere else, by the agent's own line or without one. */
	branch() {
		const target = this.random.chance(0.1) ? null : this.random.pick(this.records).uuid;
		if (this.random.chance(0.7))
			this.system("rewind", { truncatedCount: 2 }, target);
		else
			this.last = target;
	}

	/** A further part of a record. */
	more() {
		const said = this.records.filter(({ message, type }) => message && type !== "tool_result");
		if (said.length === 0)
			return;
		const of = this.random.pick(said);
		this.records.push({ ...of, message: { role: of.message.role, parts: [{ text: this.text() }] } });
		this.last = of.uuid;
	}

	step() {
		switch (this.random.weighted({ turn: 10, pictures: this.options.plainResults ? 0 : 0.6, answer: 3, command: 1, compress: 0.4, branch: 2, more: 0.4, note: 2, title: 0.5 })) {
		case "pictures":
			this.pictures();
			break;
		case "turn":
			this.user();
			// falls through
		case "answer":
			this.assistant();
			this.results();
			break;
		case "command": return this.command();
		case "compress": return this.compress();
		case "branch": return this.branch();
		case "more": return this.more();
		case "note": return this.system(this.random.pick(["file_history_snapshot", "attribution_snapshot", "branch_checkpoint", "at_command", "someday"]), { v: 1 });
		default: return this.system("custom_title", { customTitle: this.text(), titleSource: "auto" });
		}
		return undefined;
	}
}

/**
 * The bytes of a random chat, which may have lines that are no records. plainResults: no
 * result has failed, or has pictures.
 */
export function generate(seed, options = {}) {
	const chat = new Chat(seed, options);
	chat.user();
	const steps = 2 + chat.random.int(14);
	for (let i = 0; i < steps; i++)
		chat.step();
	const lines = chat.records.map((record) => JSON.stringify(record));
	for (const junk of ["null", "[1]", "{\"torn\":", "", "{\"type\":\"note\"}"]) {
		if (chat.random.chance(0.05))
			lines.splice(1 + chat.random.int(lines.length), 0, junk);
	}
	if (chat.random.chance(0.1) && lines.length > 3)
		lines.splice(2, 2, lines[2] + lines[3]);
	return Buffer.from(lines.join("\n") + (chat.random.chance(0.9) ? "\n" : ""));
}
