// What an agent itself appends to a session.

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
/** Of what is appended the context has the text of these. */
const IN_CONTEXT = ["user", "assistant", "developer", "custom", "compaction", "summary", "notes"];

export function user(content) {
	return { role: "user", content, timestamp: 5 };
}

export function assistant(text) {
	return { role: "assistant", content: [{ type: "text", text }], provider: "p", model: "m", usage: USAGE, stopReason: "stop", timestamp: 5 };
}

/**
 * Let an agent append something at random; `appends` has by name how often, and the
 * function that does it. `labels` are what may be set. Gives { leaf, text }: where the agent
 * is then, and a text that the context has then.
 */
export async function append({ appends, flush }, manager, { random, labels, n }) {
	const how = random.weighted(Object.fromEntries(Object.entries(appends).map(([name, [weight]]) => [name, weight])));
	const [, act] = appends[how];
	const ids = (await manager.getEntries()).map(({ id }) => id).filter((id) => typeof id === "string");
	const text = `appended ${n} 😀`;
	await act(manager, { text, random, ids, labels });
	await flush?.(manager);
	return { leaf: await manager.getLeafId(), text: IN_CONTEXT.includes(how) ? text : "" };
}
