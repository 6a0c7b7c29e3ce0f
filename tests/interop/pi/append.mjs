// What Pi itself appends to a session.

/** What, and how often. */
const APPENDED = {
	user: 4, assistant: 4, custom: 2, compaction: 2, summary: 2, label: 2, name: 1, model: 1, thinking: 1,
};

/**
 * Let a SessionManager append something random: { id, text }, the text being
 * one that the context has then. `ids` are those that entries may refer to,
 * `labels` what may be set.
 */
export function append(manager, random, ids, labels, n) {
	const text = `appended ${n} 😀`;
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
	switch (random.weighted(APPENDED)) {
	case "assistant": {
		const content = [{ type: "text", text }];
		return { id: manager.appendMessage({ role: "assistant", content, provider: "p", model: "m", usage, timestamp: 5 }), text };
	}
	case "custom":
		return { id: manager.appendCustomMessageEntry("note", text, true), text };
	case "compaction": {
		const branch = manager.getBranch().map((entry) => entry.id);
		return { id: manager.appendCompaction(text, random.pick([...branch, undefined]), 9), text };
	}
	case "summary":
		return { id: manager.branchWithSummary(random.pick(ids), text), text };
	case "label":
		return { id: manager.appendLabelChange(random.pick(ids), random.pick(labels)), text: "" };
	case "name":
		return { id: manager.appendSessionInfo(text), text: "" };
	case "model":
		return { id: manager.appendModelChange("p", "m"), text: "" };
	case "thinking":
		return { id: manager.appendThinkingLevelChange("high"), text: "" };
	default:
		return { id: manager.appendMessage({ role: "user", content: text, timestamp: 5 }), text };
	}
}
