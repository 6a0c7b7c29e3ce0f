// Pi's harness library: what it makes of a session file.

import {
	buildSessionContext, convertToLlm, JsonlSessionStorage, NodeExecutionEnv, serializeConversation, toSession,
} from "@earendil-works/pi-agent-core/node";
import { Session } from "../session.mjs";

const env = new NodeExecutionEnv({ cwd: "/" });

/** A message as text: without thinking, and no result cut. */
function messageText(message) {
	// The library can't print a message that has no content.
	const content = message.content ?? [];
	switch (message.role) {
	case "assistant":
		return serializeConversation([{ ...message, content: content.filter((block) => block.type !== "thinking") }]);
	case "toolResult":
		return serializeConversation([{ ...message, content, role: "user" }]).replace("[User]: ", "[Tool result]: ");
	default:
		return serializeConversation([{ ...message, content }]);
	}
}

/**
 * The library answers by and by, and the tests ask at once: what it says of each
 * entry is fetched when the session is opened.
 */
export class HarnessSession extends Session {
	static async open(storage) {
		const entries = await storage.getEntries();
		const session = new HarnessSession(new Map(entries.map((entry) => [entry.id, entry])), entries);
		session.leafId = await storage.getLeafId();
		session.name = await storage.getSessionName();
		session.metadata = await storage.getMetadata();
		session.labelsById = new Map();
		session.branches = new Map();
		for (const id of [...session.ids, null]) {
			session.labelsById.set(id, await storage.getLabel(id));
			session.branches.set(id, await storage.getPathToRootOrCompaction(id));
		}
		return session;
	}

	leaf() {
		return this.leafId;
	}

	/** By the parents: the library's own path ends at a compaction. */
	path(id) {
		const path = [];
		for (let at = id; at !== null; at = this.parent(at))
			path.push(at);
		return path.reverse();
	}

	/** The library's markers of the leaf keep books, too. */
	isBook(id) {
		return this.byId.get(id).type === "leaf" || super.isBook(id);
	}

	isForked(id) {
		return !this.isBook(id);
	}

	/** { messages, model, thinkingLevel, activeToolNames } with this entry as the leaf. */
	state(id) {
		return buildSessionContext(this.branches.get(id));
	}

	context(id) {
		const messages = convertToLlm(this.state(id).messages);
		const text = messages.map(messageText).filter((s) => s).join("\n\n");
		return { json: JSON.parse(JSON.stringify(messages)), text: text ? `${text}\n` : "" };
	}

	label(id) {
		return this.labelsById.get(id);
	}

	info() {
		const { model, thinkingLevel } = this.state(this.leafId);
		return {
			name: this.name,
			model: model ? `${model.provider}/${model.modelId}` : undefined,
			thinking: thinkingLevel,
		};
	}
}

export const harness = {
	name: "pi-agent-core 0.82.0",
	storage: (file) => JsonlSessionStorage.open(env, file),
	/** For appending. */
	session: async (file) => toSession(await harness.storage(file)),
	open: async (file) => HarnessSession.open(await harness.storage(file)),
};
