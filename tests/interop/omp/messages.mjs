// Random messages as oh-my-pi's roles have them. Where omp throws on a message
// of some shape, that shape is left out (see gen.mjs).

import { Raw } from "../json.mjs";
import { OmpValues } from "./values.mjs";

const ROLES = {
	user: 20, developer: 6, assistant: 26, toolResult: 18, bashExecution: 9, pythonExecution: 6, custom: 7, hookMessage: 3,
	fileMention: 4, branchSummary: 0.7, compactionSummary: 0.7, system: 1, unknown: 2.5,
};
const CUSTOM_TYPES = {
	note: 6, "skill-prompt": 4, "prewalk-plan": 1, "vibe-mode-context": 1, "interrupted-thinking": 1,
	"checkpoint-active-reminder": 1, "": 0.7,
};
const CALLS_REMEMBERED = 6;
const STOP_REASONS = { stop: 40, toolUse: 30, length: 5, error: 12, aborted: 13 };

export class OmpMessages extends OmpValues {
	constructor(...args) {
		super(...args);
		/** Ids of the latest tool calls, for results to answer. */
		this.calls = [];
		/** Was the latest message one that interrupted-thinking may follow? */
		this.interrupted = false;
	}

	// Blocks

	textBlock() {
		return { type: "text", text: this.text(), textSignature: this.random.chance(0.1) ? "sig" : undefined };
	}

	block() {
		const r = this.random;
		switch (r.weighted({ text: 10, image: 4, odd: 0.5 })) {
		case "image":
			return this.image();
		case "odd":
			return r.pick([{}, { type: "future", text: "no text" }, { type: null }]);
		default:
			return this.textBlock();
		}
	}

	blocks() {
		const r = this.random;
		return r.chance(0.04) ? this.splitBlocks() : r.some(3, () => this.block());
	}

	toolCall() {
		const r = this.random;
		const id = `call_${r.hex(4)}`;
		this.calls = [...this.calls, id].slice(-CALLS_REMEMBERED);
		const odd = [r.some(3, () => this.value()), this.attachments()];
		return {
			type: "toolCall", id, name: this.word(), arguments: r.chance(0.15) ? r.pick(odd) : this.members(5),
			thoughtSignature: r.chance(0.1) ? "sig" : undefined,
		};
	}

	thinking() {
		const r = this.random;
		return {
			type: "thinking", thinking: r.chance(0.8) ? this.text() : r.pick(["", "  ", "hm"]),
			thinkingSignature: r.pick([undefined, undefined, "", "sig", " "]),
		};
	}

	assistantBlock() {
		const r = this.random;
		switch (r.weighted({ text: 9, thinking: 6, redacted: 1.5, call: 7, image: 1, fallback: 0.7, odd: 0.7 })) {
		case "thinking":
			return this.thinking();
		case "redacted":
			return { type: "redactedThinking", data: r.pick(["opaque", "", " "]) };
		case "call":
			return this.toolCall();
		case "image":
			return this.image();
		case "fallback":
			return { type: "fallback", from: "a", to: "b" };
		case "odd":
			return r.pick([{}, { type: "future" }, { type: "anthropicServerTool", block: { type: "x", content: this.ref() } }]);
		default:
			return r.chance(0.2) ? { type: "text", text: r.pick(["", " ", "\n"]) } : this.textBlock();
		}
	}

	// Roles

	attribution() {
		return this.random.pick([undefined, undefined, "user", "agent", "other"]);
	}

	/** What a provider would like to be given back. */
	payload() {
		const r = this.random;
		if (r.chance(0.85))
			return undefined;
		return { type: r.pick(["openaiResponsesHistory", "openaiResponsesHistory", "other"]), provider: "p", items: this.historyItems() };
	}

	userMessage(role, timestamp) {
		const r = this.random;
		const content = r.chance(0.5) ? this.text() : this.blocks();
		const steering = role === "user" && r.chance(0.2);
		return {
			role, content: r.chance(0.04) && !steering ? this.nothing() : content,
			steering: steering ? true : r.pick([undefined, undefined, false, 1]),
			synthetic: r.chance(0.1) ? true : undefined, attribution: this.attribution(), providerPayload: this.payload(), timestamp,
		};
	}

	assistant(timestamp) {
		const r = this.random;
		const stopReason = r.weighted(STOP_REASONS);
		const content = r.some(4, () => this.assistantBlock());
		this.interrupted = stopReason === "aborted" || content.some((block) => block.type === "thinking");
		const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3 };
		return {
			role: "assistant", content, api: r.pick(["x-api", "openai-responses"]), provider: r.pick(["prov", "github-copilot", "openai"]),
			model: this.word(), usage: { ...usage, cost: { total: new Raw("0.25") } }, stopReason,
			errorMessage: r.chance(0.2) ? r.pick(["Interrupted by user", "boom", "__omp.silent_abort__"]) : undefined,
			errorId: r.chance(0.1) ? r.pick([0, 1, 2, 4, 8]) : undefined,
			retryRecovery: r.chance(0.05) ? r.pick([true, { attempt: 1 }, false, null]) : undefined,
			requestControls: r.chance(0.1) ? [{ type: "tool_removal" }] : undefined,
			providerPayload: this.payload(), timestamp,
		};
	}

	toolResult(timestamp) {
		const r = this.random;
		const answered = this.calls.length > 0 && r.chance(0.85);
		const prunedAt = r.chance(0.2) ? r.pick([timestamp, 0, null]) : undefined;
		return {
			role: "toolResult", toolCallId: answered ? r.pick(this.calls) : `call_${r.hex(4)}`, toolName: this.word(),
			content: r.chance(0.04) && prunedAt === undefined ? this.nothing() : this.blocks(), prunedAt,
			details: r.chance(0.3) ? r.pick([this.value(), this.attachments(), { meta: this.meta() }]) : undefined,
			isError: r.chance(0.2), attribution: this.attribution(), timestamp,
		};
	}

	execution(timestamp) {
		return { ...super.execution(timestamp), meta: this.meta() };
	}

	fileMention(timestamp) {
		const r = this.random;
		const file = () => ({
			path: r.pick(["notes.md", "a b.txt", "q\"uote", "shot.png"]), content: r.chance(0.8) ? this.text() : r.pick(["", undefined, null]),
			lineCount: r.pick([undefined, 3]), image: r.chance(0.3) ? this.image() : r.pick([undefined, null]),
		});
		return { role: "fileMention", files: r.some(3, file), timestamp };
	}

	/** Content that omp can send, and some that it can't. */
	customContent() {
		const r = this.random;
		if (r.chance(0.05))
			return r.pick([undefined, null, 5, {}]);
		return r.chance(0.5) ? r.pick([this.text(), ""]) : this.blocks();
	}

	custom() {
		const r = this.random;
		const attribution = this.attribution();
		return {
			customType: r.weighted(CUSTOM_TYPES), content: this.customContent(), display: r.pick([true, false, undefined]),
			details: r.chance(0.3) ? r.pick([this.value(), this.attachments()]) : undefined,
			attribution: r.chance(0.3) ? "user" : attribution,
		};
	}

	oddMessage() {
		return this.random.pick([{ role: "future", content: "?" }, { content: "no role" }, { role: 5 }, []]);
	}

	message() {
		const r = this.random;
		const role = r.weighted(ROLES);
		const timestamp = r.chance(0.95) ? this.time : this.nothing();
		this.interrupted = false;
		switch (role) {
		case "assistant":
			return this.assistant(timestamp);
		case "toolResult":
			return this.toolResult(timestamp);
		case "bashExecution":
			return { role, command: this.text(), images: r.chance(0.3) ? [this.image(), this.image()] : this.nothing(), ...this.execution(timestamp) };
		case "pythonExecution":
			return { role, code: this.text(), ...this.execution(timestamp) };
		case "custom":
		case "hookMessage":
			return { role, ...this.custom(), timestamp };
		case "fileMention":
			return this.fileMention(timestamp);
		case "branchSummary":
			return { role, summary: this.markdown(), fromId: "x", timestamp };
		case "compactionSummary":
			return { role, summary: this.markdown(), method: r.pick([undefined, "handoff"]), tokensBefore: 5, historyRewriteAt: r.pick([undefined, null, 7]), timestamp };
		case "unknown":
			return this.oddMessage();
		default:
			return this.userMessage(role, timestamp);
		}
	}
}
