// The real Pi, in two versions: what it makes of a session file.

import { Session } from "../session.mjs";

const PLACES = {
	"0.87.1": "@earendil-works/pi-coding-agent",
	"1.5.2": "pi-1.5.2", // see setup
};

/** A message without thinking, which 0.87.1 prints and 1.5.2 does not. */
function withoutThinking(message) {
	if (message.role !== "assistant" || !Array.isArray(message.content))
		return message;
	return { ...message, content: message.content.filter((block) => block.type !== "thinking") };
}

/** A message as text. Tool results are cut by Pi, users' messages are not. */
function messageText(pi, message) {
	if (message.role !== "toolResult")
		return pi.serializeConversation([withoutThinking(message)]);
	return pi.serializeConversation([{ ...message, role: "user" }]).replace("[User]: ", "[Tool result]: ");
}

class PiSession extends Session {
	constructor(pi, manager) {
		super(manager.byId, manager.getEntries());
		this.pi = pi;
		this.manager = manager;
	}

	leaf() {
		return this.manager.getLeafId();
	}

	path(id) {
		return id === null ? [] : this.manager.getBranch(id).map((entry) => entry.id);
	}

	projection(id) {
		return this.pi.buildSessionProjection(this.entries, id, this.byId);
	}

	context(id) {
		const messages = this.pi.convertToLlm(this.projection(id).messages);
		const text = messages.map((m) => messageText(this.pi, m)).filter((s) => s).join("\n\n");
		return { json: JSON.parse(JSON.stringify(messages)), text: text ? `${text}\n` : "" };
	}

	label(id) {
		return this.manager.getLabel(id);
	}

	info() {
		const { model, thinkingLevel } = this.projection(this.leaf());
		return {
			name: this.manager.getSessionName(),
			model: model ? `${model.provider}/${model.modelId}` : undefined,
			thinking: thinkingLevel,
		};
	}
}

async function load(version) {
	const core = new URL(`node_modules/${PLACES[version]}/dist/core/`, import.meta.url);
	const { SessionManager, buildSessionProjection } = await import(new URL("session-manager.js", core));
	const { convertToLlm } = await import(new URL("messages.js", core));
	const { serializeConversation } = await import(new URL("compaction/utils.js", core));
	return {
		name: `Pi ${version}`, SessionManager, buildSessionProjection, convertToLlm, serializeConversation,
		open(file) {
			return new PiSession(this, SessionManager.open(file));
		},
	};
}

export const versions = await Promise.all(Object.keys(PLACES).map(load));
