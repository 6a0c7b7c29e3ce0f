// What whoever has no mount does: let Pi open a session, and print its context.
//
// usage: node pi.mjs SESSION >CONTEXT
//
// It is the Pi that tests/interop/setup installs.

import fs from "node:fs";

const core = new URL("../../tests/interop/pi/node_modules/@earendil-works/pi-coding-agent/dist/core/", import.meta.url);
const { SessionManager } = await import(new URL("session-manager.js", core));
const { convertToLlm } = await import(new URL("messages.js", core));
const { serializeConversation } = await import(new URL("compaction/utils.js", core));

const manager = SessionManager.open(process.argv[2]);
const { messages } = manager.buildSessionContext();
if (messages.length === 0)
	throw new Error("Pi finds no context there");
fs.writeSync(1, serializeConversation(convertToLlm(messages)));
