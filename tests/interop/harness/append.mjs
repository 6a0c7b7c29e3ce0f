// What Pi's harness library itself appends to a session.

/** What, and how often. */
const APPENDED = {
	user: 4, assistant: 4, custom: 2, compaction: 2, move: 3, summary: 2, label: 2, tools: 1, name: 1, model: 1, thinking: 1,
};

function user(text) {
	return { role: "user", content: text, timestamp: 5 };
}

/**
 * Let a session append something, at random unless `how` says what; returns a
 * text that the context has then. `ids` are those that entries may refer to,
 * `labels` what may be set.
 */
export async function append(session, random, ids, labels, n, how = random.weighted(APPENDED)) {
	const text = `appended ${n} 😀`;
	const branch = (await session.getBranch()).map((entry) => entry.id);
	switch (how) {
	case "assistant":
		await session.appendMessage({ role: "assistant", content: [{ type: "text", text }], provider: "p", model: "m", timestamp: 5 });
		return text;
	case "custom":
		await session.appendCustomMessageEntry("note", text, true);
		return text;
	case "compaction": {
		const tail = random.pick([undefined, [], [user("kept"), user("kept, too")]]);
		await session.appendCompaction(text, random.pick([...branch, undefined]), 9, undefined, false, undefined, tail);
		return text;
	}
	case "move":
		await session.moveTo(random.pick([...ids, null]));
		return "";
	case "summary":
		await session.moveTo(random.pick([...ids, null]), { summary: text });
		return text;
	case "label":
		await session.appendLabel(random.pick(ids), random.pick([...labels, undefined]));
		return "";
	case "tools":
		await session.appendActiveToolsChange(["read"]);
		return "";
	case "name":
		await session.appendSessionName(text);
		return "";
	case "model":
		await session.appendModelChange("p", "m");
		return "";
	case "thinking":
		await session.appendThinkingLevelChange("high");
		return "";
	default:
		await session.appendMessage(user(text));
		return text;
	}
}
