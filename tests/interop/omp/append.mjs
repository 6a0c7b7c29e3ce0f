// What oh-my-pi itself appends to a session.

/** What, and how often. */
const APPENDED = {
	user: 4, assistant: 4, developer: 1, custom: 2, compaction: 2, summary: 2, label: 2, title: 2, model: 1, thinking: 1, reset: 1, notes: 1,
};

/**
 * Let a SessionManager append something random: [id, text], the text being one
 * that the context has then. `ids` are those that entries may refer to, `labels`
 * what may be set.
 */
export async function append(manager, random, ids, labels, n) {
	const text = `appended ${n} 😀`;
	const entry = () => random.pick(ids);
	switch (random.weighted(APPENDED)) {
	case "assistant": {
		const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
		const content = [{ type: "text", text }];
		return [manager.appendMessage({ role: "assistant", content, provider: "p", model: "m", usage, stopReason: "stop", timestamp: 5 }), text];
	}
	case "developer":
		return [manager.appendMessage({ role: "developer", content: [{ type: "text", text }], timestamp: 5 }), text];
	case "custom":
		return [manager.appendCustomMessageEntry("note", text, true), text];
	case "compaction":
		return [manager.appendCompaction(text, undefined, entry(), 9, { method: random.pick(["soft", "handoff"]) }), text];
	case "summary":
		return [manager.branchWithSummary(entry(), text), text];
	case "label":
		return [manager.appendLabelChange(entry(), random.pick(labels)), ""];
	case "title":
		await manager.setSessionName(text, "user");
		return [manager.getLeafId(), ""];
	case "model":
		return [manager.appendModelChange("p/m"), ""];
	case "thinking":
		return [manager.appendThinkingLevelChange("high"), ""];
	case "reset":
		return [manager.appendResetBoundary(), ""];
	case "notes":
		return [manager.appendCustomEntry("experimental_context_notes", { version: 1, text }), text];
	default:
		return [manager.appendMessage({ role: "user", content: text, timestamp: 5 }), text];
	}
}
