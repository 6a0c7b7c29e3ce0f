// Which rollouts the agent opens, and whether `sessfs check` says the same of them.

import { spawnSync } from "node:child_process";
import { JOBS, VERSION, withHomes } from "./agent.mjs";
import { Refused } from "./app-server.mjs";

const THREAD = "019ca8f0-0000-7000-8000-0000000000a1";
const OTHER = "019ca8f0-0000-7000-8000-0000000000a2";
const TIME = "2026-03-01T10:00:00.000Z";
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function meta(legacy) {
	return { id: THREAD, session_id: THREAD, timestamp: TIME, cwd: "/tmp", originator: "x", cli_version: "0.171.0", source: "cli", model_provider: "fake", ...(legacy ? {} : { history_mode: "paginated" }) };
}

function said(role, text) {
	return { type: "response_item", payload: { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] } };
}

function event(payload) {
	return { timestamp: TIME, type: "event_msg", payload };
}

/** A rollout whose lines, objects or texts of Latin-1, were changed. */
function rollout(legacy, change = () => {}) {
	const lines = [{ type: "session_meta", payload: meta(legacy) }, { type: "event_msg", payload: { type: "user_message", message: "q", images: [] } }, said("user", "q"), said("assistant", "a")]
		.map((line, ordinal) => ({ timestamp: TIME, ...(legacy ? {} : { ordinal }), ...line }));
	change(lines, lines[0].payload);
	return Buffer.from(`${lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n")}\n`, "latin1");
}

/** Changes of both kinds of rollouts, by name. */
const CHANGES = {
	plain: () => {},
	"a blank first line": (lines) => { lines.unshift(" "); },
	"null first": (lines) => { lines.unshift("null"); },
	"a torn first line": (lines) => { lines[0] = JSON.stringify(lines[0]).slice(0, 90); },
	"an odd byte in the first line": (lines) => { lines[0] = JSON.stringify(lines[0]).replace("/tmp", "/\xff"); },
	"an odd byte in a message": (lines) => { lines[2] = JSON.stringify(lines[2]).replace('"q"', '"\xff"'); },
	"an odd byte in no line": (lines) => { lines.splice(2, 0, "x\xff"); },
	"NULs at the end": (lines) => { lines.push("\0".repeat(50)); },
	"the last line has no ordinal": (lines) => { delete lines.at(-1).ordinal; },
	"and blank ones follow": (lines) => { delete lines.at(-1).ordinal; lines.push("", " "); },
	"and others that are skipped": (lines) => { delete lines.at(-1).ordinal; lines.push("x", "{}", "null", JSON.stringify({ ...event({}), ordinal: 9, type: "new" })); },
	"a text as the last ordinal": (lines) => { lines.push({ ...event({ type: "error", message: "x" }), ordinal: "9" }); },
	"tokens without an ordinal": (lines) => { lines.push(event({ type: "token_count", info: null, rate_limits: null })); },
	"a new event without an ordinal": (lines) => { lines.push(event({ type: "new" })); },
	"a new type without an ordinal": (lines) => { lines.push({ ...event({}), type: "new" }); },
	"the thread of another file": (_, payload) => { payload.id = OTHER; },
	"an id that is no UUID": (_, payload) => { payload.id = "x"; },
	"an unknown history_mode": (_, payload) => { payload.history_mode = "future"; },
	"a new source": (_, payload) => { payload.source = "tv"; },
	"an empty source": (_, payload) => { payload.source = {}; },
};
for (const key of ["session_id", "timestamp", "cwd", "originator", "cli_version", "source", "model_provider", "history_mode"]) {
	CHANGES[`no ${key}`] = (_, payload) => { delete payload[key]; };
	CHANGES[`${key} is null`] = (_, payload) => { payload[key] = null; };
}

function* rollouts() {
	for (const legacy of [true, false]) {
		const kind = legacy ? "legacy" : "paginated";
		for (const [name, change] of Object.entries(CHANGES))
			yield [`${kind}, ${name}`, rollout(legacy, change)];
		yield [`${kind}, a byte order mark`, Buffer.concat([BOM, rollout(legacy)])];
		yield [`${kind}, cut in a character`, Buffer.concat([rollout(legacy), Buffer.from([0x7b, 0xe2, 0x82])])];
		yield [`${kind}, cut`, Buffer.concat([rollout(legacy), Buffer.from('{"time')])];
	}
}

/** Why the agent refuses to resume a rollout; undefined if it opens it. */
async function refusal(home, bytes) {
	home.clear();
	const { file } = home.put(THREAD, bytes);
	try {
		const server = await home.agent();
		await server.call("thread/resume", { threadId: THREAD, excludeTurns: true });
		return { file };
	} catch (error) {
		if (!(error instanceof Refused))
			throw error;
		return { file, why: error.message };
	} finally {
		// It keeps what it has resumed.
		await home.stopAgent();
	}
}

function check(file) {
	const { stdout } = spawnSync(process.env.SESSFS, ["check", file], { encoding: "utf8" });
	return stdout.split("\n").find((line) => line.endsWith(": the agent will not open it"));
}

let different = 0;
let count = 0;

async function compare(home, name, bytes) {
	const { file, why } = await refusal(home, bytes);
	const ours = check(file);
	count++;
	if (!why === !ours)
		return;
	different++;
	console.error(`${name}: the agent: ${why ?? "opens it"}; check: ${ours ?? "opens it"}`);
}

const left = rollouts();
await withHomes((lend) => Promise.all(Array.from({ length: JOBS }, () => lend(async (home) => {
	for (const [name, bytes] of left)
		await compare(home, name, bytes);
}))));
console.log(`${count} rollouts that Codex ${VERSION} opens or refuses: ${different} differences`);
process.exitCode = different > 0 ? 1 : 0;
