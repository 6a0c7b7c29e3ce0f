// The command that `sessfs resume --in AGENT` prints, evaluated by a shell in a terminal,
// with the real agent as a user has it: it opens the session, shows the title and what
// was said, and goes on from there. In the session's own agent that is a copy, and each of
// three attempts from the same entry has one of its own.
//
// SOURCES="X ..." chooses whose sessions are gone on from.

import fs from "node:fs";
import path from "node:path";
import { Home as ClaudeHome, NEWEST, program } from "../claude/agent.mjs";
import { settle } from "../claude/tui.mjs";
import { Home as CodexHome, PROGRAM, says, VERSION } from "../codex/agent.mjs";
import { same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { CLI, NAME as OMP } from "../omp/program.mjs";
import { NAME as PI } from "../pi/agent.mjs";
import { COMMAND, Home as PiHome, Terminal, until } from "../pi/program.mjs";
import { shellWith } from "../resumed.mjs";
import { prompt, start } from "../server.mjs";

const TIME = "2026-03-01T10:00:00.000Z";
const TITLE = "Why does the kettle leak?";
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LAST = ["There is a crack in the spout.", "Here is a picture.", "And another one.", "It is a green kettle", "without a lid."];
const ANSWER = "It goes on.";
const SIZE = { columns: 120, rows: 60 };

const text = (words) => ({ type: "text", text: words });

/** A session of Pi about a kettle. */
function kettle(cwd) {
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
	const answer = (stopReason, ...content) => ({ role: "assistant", content, api: "x", provider: "p", model: "m", usage, stopReason });
	const messages = [
		{ role: "user", content: TITLE },
		answer("toolUse", { type: "thinking", thinking: "A kettle." }, text("I look."), { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "cat kettle.txt" } }),
		{ role: "toolResult", toolCallId: "call_1", toolName: "bash", content: [text("cracked")], isError: false },
		answer("stop", text("There is a crack in the spout.")),
		{ role: "user", content: [text("Here is a picture."), text("And another one."), { type: "image", data: PICTURE, mimeType: "image/png" }] },
		answer("stop", text("It is a green kettle"), text("without a lid.")),
	];
	const entry = (message, i) => ({ type: "message", id: `aa00000${i}`, parentId: i > 0 ? `aa00000${i - 1}` : null, timestamp: TIME, message: { ...message, timestamp: 5 } });
	return [{ type: "session", version: 3, id: "0198f000-0000-7000-8000-000000000001", timestamp: TIME, cwd }, ...messages.map(entry)].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The same of any agent, as a file. */
async function sessionOf(source, cwd, dir) {
	const pi = path.join(dir, "kettle.jsonl");
	fs.writeFileSync(pi, kettle(cwd));
	if (source === "pi")
		return pi;
	const file = path.join(dir, `${source}.jsonl`);
	await Mount.with(pi, path.join(dir, "kettle"), (mount) => fs.writeFileSync(file, mount.read(`as/${source}.jsonl`)));
	return file;
}

/** With Anthropic's API: run(port, requests). */
async function withApi(run) {
	const requests = [];
	const server = await start((request) => requests.push(request));
	try {
		await run(server.port, requests);
	} finally {
		server.close();
	}
}

function makeHome(scratch) {
	const dir = fs.mkdtempSync(path.join(scratch, "h-"));
	const cwd = path.join(dir, "w");
	fs.mkdirSync(cwd);
	return { dir, cwd };
}

const envOf = (dir, more) => ({ PATH: process.env.PATH, HOME: dir, TMPDIR: dir, SHELL: "/bin/sh", LC_ALL: "C.UTF-8", COLORTERM: "truecolor", ...more });

/**
 * Agents in homes of their own. Each gives run() the command that starts it, the
 * directory, one for a socket, the environment, the requests that it will make, and
 * how it shows the title, if that is not on the screen.
 */
const TARGETS = {
	pi: { name: PI, with: (scratch, run) => PiHome.with(scratch, (home) => run({ words: COMMAND, cwd: home.cwd, run: home.run, env: home.env, requests: home.requests }), undefined, { input: ["text", "image"] }) },
	omp: {
		name: OMP,
		with: (scratch, run) => withApi((port, requests) => {
			const { dir, cwd } = makeHome(scratch);
			const env = envOf(dir, { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "none" });
			return run({ words: [process.execPath, CLI], cwd, run: dir, env, requests });
		}),
	},
	claude: {
		name: `Claude Code ${NEWEST}`,
		with: (scratch, run) => withApi((port, requests) => ClaudeHome.with((home) => {
			const env = { ...home.env(port), LC_ALL: "C.UTF-8" };
			settle(home, NEWEST, env);
			return run({ words: program(NEWEST), cwd: home.cwd, run: home.dir, env, requests, title: ["display-message", "-p", "#{pane_title}"] });
		})),
	},
	codex: {
		name: `Codex ${VERSION}`,
		with: (scratch, run) => CodexHome.with((home) => {
			const requests = [];
			home.answer = (body) => {
				requests.push({ body });
				return [says(ANSWER)];
			};
			home.configureTerminal();
			return run({ words: [PROGRAM], cwd: home.cwd, run: home.dir, env: envOf(home.dir, { CODEX_HOME: home.codex }), requests });
		}),
	},
};

const RESUME = 'cd / && command=$("$SESSFS" resume --in "$1" HEAD "$2") && eval "$command"';

/** On the screen, at the end of a line. */
async function showsAtEnd(terminal, words) {
	await until(`"${words}" at the end of a line`, () => terminal.screen.split("\n").some((line) => line.trimEnd().endsWith(words)));
}

/** It shows what was said: as sessfs has written it, or as the agent shows its own. */
async function showsAll(terminal, place, own) {
	if (own) {
		await until("the last words", () => terminal.screen.includes("without a lid."));
		return;
	}
	for (const said of LAST)
		await showsAtEnd(terminal, said);
	await until("the title", () => terminal.tmux(...(place.title ?? ["capture-pane", "-p"])).includes(`${TITLE} (`));
}

async function attempt(target, place, home, mount, own, words, earlier) {
	const from = place.requests.length;
	await Terminal.with(home, ["sh", "-c", RESUME, "sh", target, mount.dir], async (terminal) => {
		await showsAll(terminal, place, own);
		await terminal.begin(prompt(words, [ANSWER]));
		await showsAtEnd(terminal, ANSWER);
		const bodies = place.requests.slice(from).map(({ body }) => JSON.stringify(body));
		const lacking = bodies.map((body) => [TITLE, ...(own ? [] : ["A kettle."]), "cracked", PICTURE, ...LAST, words].filter((text) => !body.includes(text)));
		same("what the best request lacks", lacking.sort((a, b) => a.length - b.length)[0], []);
		same("what was said in other attempts", earlier.filter((text) => bodies.some((body) => body.includes(text))), []);
	}, SIZE);
}

async function goesOn(target, source, scratch) {
	await TARGETS[target].with(scratch, async (place) => {
		const dir = fs.mkdtempSync(path.join(scratch, `${source}-`));
		const file = await sessionOf(source, place.cwd, dir);
		const home = { ...place, env: { ...place.env, ...shellWith(dir, target, place.words) } };
		const own = source === target;
		const attempts = own ? ["go on", "a second way", "a third one"] : ["go on"];
		await Mount.with(file, path.join(dir, "it's a mount"), async (mount) => {
			for (const [i, words] of attempts.entries())
				await attempt(target, place, home, mount, own, words, attempts.slice(0, i));
		});
	});
}

await withScratch(async (scratch) => {
	const agents = Object.keys(TARGETS);
	for (const target of agents) {
		const sources = process.env.SOURCES?.split(" ") ?? agents;
		const gone = await Promise.allSettled(sources.map((source) => goesOn(target, source, scratch)));
		for (const [i, { reason }] of gone.entries()) {
			if (reason)
				console.error(`interop: ${sources[i]} in ${target}: ${reason.message}`);
		}
		const failed = gone.some(({ reason }) => reason);
		process.exitCode ||= failed ? 1 : 0;
		if (!failed)
			console.log(`interop: ${TARGETS[target].name} shows sessions of ${sources.join(", ")}, and goes on with them`);
	}
});
