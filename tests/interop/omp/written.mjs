// The real oh-my-pi, whole, with an API of ours: what it posts is the context of the
// entry that its answer hangs on, in sessions that it writes itself in some random turns,
// and in those that it resumes, which have what it writes only with other APIs.

import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { PICTURE } from "../generator.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { prompt, start } from "../server.mjs";
import { Agent, envOf, NAME, PLAYED, session } from "./program.mjs";

const TURNS = 9;
const WORDS = ["alpha", "é😀", "x".repeat(300), "two\nlines", "<b>&amp;", "  lead", "trail  "];

const STEPS = {
	say: (r) => `${r.pick(WORDS)} ${r.hex(4)}`,
	run: (r) => [{ type: "text", text: r.pick(WORDS) }, { type: "tool_use", name: "bash", input: { command: r.pick(["echo x", "exit 3", "seq 1 50"]) } }],
	read: (r) => [{ type: "thinking", thinking: "hm", signature: "c2ln" }, { type: "tool_use", name: "read", input: { path: r.pick(["a.txt", "none"]) } }],
	unknown: () => [{ type: "tool_use", name: "nosuch", input: { q: 1 } }],
	fail: () => ({ error: 400, message: "odd" }),
};

let requested = 0;

// What was posted, and what is shown, a row for each block

const blocksOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content ?? []);
const resultsOf = (content) => blocksOf(content).map((block) => ["user", "result", block.text ?? block.type]);
/** A result that the agent has cut in its file since it was posted. */
const CUT = "cut";

function postedRows(messages) {
	return messages.filter(({ role }) => role !== "system").flatMap(({ role, content }) => blocksOf(content).flatMap((block) => {
		switch (block.type) {
		case "tool_use":
			return [[role, "call", JSON.stringify(block.input)]];
		case "tool_result":
			return resultsOf(block.content);
		default:
			return [[role, block.type, block.text ?? block.thinking ?? ""]];
		}
	}));
}

function shownRows(messages) {
	return messages.flatMap(({ role, content, prunedAt }) => {
		if (role === "toolResult")
			return prunedAt === undefined ? resultsOf(content) : [["user", CUT]];
		const sender = role === "developer" ? "user" : role;
		return blocksOf(content).map((block) => (block.type === "toolCall" ? [sender, "call", JSON.stringify(block.arguments)] : [sender, block.type, block.text ?? block.thinking ?? ""]));
	});
}

/** Without the day that it tells the model, and what its client trims. */
function trimmed(rows) {
	const isDay = ([, kind, text]) => kind === "text" && text.startsWith("<system-reminder>\nToday:");
	const isBlank = ([, kind, text]) => ["text", "thinking"].includes(kind) && text.trim() === "";
	return rows.filter((row) => !isDay(row) && !isBlank(row)).map(([role, kind, text]) => [role, kind, text?.trimEnd()]);
}

function sameRows(what, shown, posted) {
	const cut = (row, i) => (shown[i]?.[1] === CUT && row[1] === "result" ? [row[0], CUT, undefined] : row);
	same(what, shown, posted.map(cut));
}

// The agent

class Life extends Agent {
	static async within(scratch, args, run) {
		const home = fs.mkdtempSync(path.join(scratch, "life-"));
		const cwd = path.join(home, "cwd");
		fs.mkdirSync(cwd);
		fs.writeFileSync(path.join(cwd, "a.txt"), "file a\nline 2\n");
		const requests = [];
		const server = await start((request) => requests.push(request));
		try {
			await Life.with([...PLAYED, ...args(cwd)], { cwd, env: envOf(home, server.port) }, (agent) => run(Object.assign(agent, { requests, dir: home })));
		} finally {
			server.close();
		}
	}

	/** Have something said, until the agent has answered, and hold its requests against the mount. */
	async tell(text, steps) {
		const from = this.requests.length;
		await this.say(prompt(text, steps));
		await this.check(await this.file(), this.requests.slice(from));
	}

	/** The agent may cut earlier results later on. */
	async check(file, requests) {
		const messages = fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter(({ type }) => type === "message");
		await Mount.with(file, path.join(this.dir, "mnt"), (mount) => {
			for (const { body, answer } of requests) {
				const entry = messages.find(({ message }) => answer && message.responseId === answer);
				if (!entry)
					continue;
				const context = JSON.parse(mount.read(entry.parentId === null ? "context.json" : `by-id/${entry.parentId}/context.json`));
				sameRows(`what ${entry.id} answers`, trimmed(shownRows(context)), trimmed(postedRows(body.messages)));
				requested++;
			}
		}, ["-o", "ro"]);
	}
}

// Sessions that it writes

const ACTIONS = {
	say: [10, (agent, r) => agent.tell(r.pick(WORDS), r.some(3, () => STEPS[r.pick(Object.keys(STEPS))](r)))],
	bash: [2, (agent, r) => agent.ask("bash", { command: r.pick(["echo out", "exit 2"]) })],
	name: [1, (agent, r) => agent.ask("set_session_name", { name: `n${r.hex(3)}` })],
	// It refuses what is too short.
	compact: [3, (agent) => agent.ask("compact").catch(() => {})],
	branch: [3, async (agent, r) => {
		const { messages } = await agent.ask("get_branch_messages");
		if (messages.length > 0)
			await agent.ask("branch", { entryId: r.pick(messages).entryId });
	}],
	thinking: [1, (agent, r) => agent.ask("set_thinking_level", { level: r.pick(["off", "low"]) })],
};

function live(seed, scratch) {
	const r = new Random(seed);
	return Life.within(scratch, () => [], async (agent) => {
		await agent.tell("first", []);
		for (let n = 0; n < TURNS; n++)
			await r.row(ACTIONS)(agent, r);
		await agent.tell("last", []);
	});
}

// Sessions that it resumes

/** A picture still, of which a request has room for one. */
const LARGE = Buffer.concat([Buffer.from(PICTURE, "base64"), Buffer.alloc(1_500_000)]).toString("base64");
const MISSING = `blob:sha256:${"0".repeat(64)}`;
const frame = (data) => ({ data, mimeType: "image/png", cols: 10, rows: 10, chars: 100, font: "8x8" });
const archived = (...frames) => ({ snapcompact: { frames: frames.map(frame), totalChars: 5000, textHead: "HEAD", textTail: "TAIL" } });
const NATIVE = { anthropicCompaction: { provider: "anthropic", content: "native", encryptedContent: "x", model: "claude-opus-5-5" } };

const COMPACTIONS = {
	plain: { firstKeptEntryId: "aa000003" },
	"native, kept": { firstKeptEntryId: "aa000003", preserveData: NATIVE },
	"native, replayed": { firstKeptEntryId: "", providerReplayThroughEntryId: "aa000002", preserveData: NATIVE },
	"native, of nothing known": { firstKeptEntryId: "", providerReplayThroughEntryId: "nosuch00", preserveData: NATIVE },
	frames: { firstKeptEntryId: "aa000003", preserveData: archived(PICTURE, PICTURE) },
	"missing frames": { firstKeptEntryId: "aa000003", preserveData: archived(PICTURE, MISSING, MISSING, PICTURE, MISSING) },
	"no frame": { firstKeptEntryId: "aa000003", preserveData: archived(MISSING) },
	"too large": { firstKeptEntryId: "aa000003", preserveData: archived(LARGE, MISSING, LARGE, PICTURE) },
};

function resume(name, scratch) {
	const compaction = { type: "compaction", id: "aa000004", parentId: "aa000003", timestamp: "2026-03-01T10:00:01.000Z", summary: "SUMMARY", tokensBefore: 100, method: "remote", ...COMPACTIONS[name] };
	const args = (cwd) => {
		const file = path.join(cwd, "../session.jsonl");
		fs.writeFileSync(file, `${session(cwd)}${JSON.stringify(compaction)}\n`);
		return ["--resume", file];
	};
	return Life.within(scratch, args, async (agent) => {
		const before = requested;
		await agent.tell("go on", []);
		same(`requests after ${name}`, requested - before, 1);
	});
}

await withScratch(async (scratch) => {
	for (const name of Object.keys(COMPACTIONS)) {
		try {
			await resume(name, scratch);
		} catch (e) {
			console.error(`interop: ${name}: ${e.message}`);
			process.exitCode = 1;
		}
	}
	await forEachSeed((seed) => live(seed, scratch), (n) => `${n} sessions written by ${NAME}, and ${Object.keys(COMPACTIONS).length} resumed: ${requested} requests compared`, { count: 6 });
});
