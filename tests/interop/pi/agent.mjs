// The real Pi: what it makes of a session file.

import fs from "node:fs";
import { Session } from "../session.mjs";

const PACKAGE = new URL("node_modules/@earendil-works/pi-coding-agent/", import.meta.url);

/** A message as text. Tool results are cut by Pi, users' messages are not. */
function messageText(pi, message) {
	if (message.role !== "toolResult")
		return pi.serializeConversation([message]);
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

async function load() {
	const { version } = JSON.parse(fs.readFileSync(new URL("package.json", PACKAGE), "utf8"));
	const core = new URL("dist/core/", PACKAGE);
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

export const versions = [await load()];
/** With its version. */
export const [{ name: NAME }] = versions;
