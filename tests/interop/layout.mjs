// The text of a context, as core/session/message.h lays it out, made of its
// messages as they are after a JSON round trip. For agents whose own code has
// none that can be compared.

const LABELS = { user: "[User]: ", developer: "[Developer]: ", toolResult: "[Tool result]: " };

function texts(content) {
	if (typeof content === "string")
		return [content];
	const blocks = Array.isArray(content) ? content : [];
	return blocks.filter((block) => block?.type === "text").map((block) => block.text);
}

function callText({ name, arguments: args }) {
	return `${name}(${Object.entries(args).map(([k, v]) => `${k}=${JSON.stringify(v)}`).join(", ")})`;
}

/** Text before calls; thinking and pictures are left out. */
function assistantParts({ content }) {
	const said = texts(content);
	const calls = content.filter((block) => block.type === "toolCall");
	return [
		...(said.length > 0 ? [`[Assistant]: ${said.join("\n")}`] : []),
		...(calls.length > 0 ? [`[Assistant tool calls]: ${calls.map(callText).join("; ")}`] : []),
	];
}

function messageParts(message) {
	if (message.role === "assistant")
		return assistantParts(message);
	const text = texts(message.content).join("");
	return text && message.role in LABELS ? [LABELS[message.role] + text] : [];
}

export function contextText(messages) {
	const parts = messages.flatMap(messageParts);
	return parts.length > 0 ? `${parts.join("\n\n")}\n` : "";
}
