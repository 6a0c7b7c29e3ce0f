// The command that `sessfs resume` prints, evaluated by a shell in a terminal, with the real
// agent as a user has it.
//
// In another agent (--in AGENT) it opens the session, shows the title and what was said, and
// goes on from there. In the session's own agent that is a copy, and each of three attempts
// from the same entry has one of its own. Without --in the agent goes on in the session,
// where HEAD is moved, or in a fork if it can't be: in a mount that is read-only, or of a
// file where the agent would not find it.
//
// SOURCES="X ..." chooses whose sessions are gone on from.

import fs from "node:fs";
import path from "node:path";
import { Home as ClaudeHome, NAME as CLAUDE, PROGRAM as CLAUDE_PROGRAM } from "../claude/agent.mjs";
import { settle } from "../claude/tui.mjs";
import { Home as CodexHome, PROGRAM, says, VERSION } from "../codex/agent.mjs";
import { same } from "../compare.mjs";
import { Mount, SESSFS, withScratch } from "../mount.mjs";
import { CLI, NAME as OMP } from "../omp/program.mjs";
import { NAME as PI } from "../pi/agent.mjs";
import { COMMAND, Home as PiHome } from "../pi/program.mjs";
import { prompt, start } from "../server.mjs";
import { Terminal, until } from "../terminal.mjs";

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
		name: CLAUDE,
		with: (scratch, run) => withApi((port, requests) => ClaudeHome.with((home) => {
			const env = { ...home.env(port), LC_ALL: "C.UTF-8" };
			settle(home, env);
			return run({ words: [CLAUDE_PROGRAM], cwd: home.cwd, run: home.dir, env, requests, title: ["display-message", "-p", "#{pane_title}"] });
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

const RESUME = 'cd / && command=$("$SESSFS" resume "$@") && eval "$command"';
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** A shell's variables with which `name` is a program, these words. */
function shellWith(dir, name, words) {
	const bin = path.join(dir, "bin");
	fs.mkdirSync(bin);
	fs.writeFileSync(path.join(bin, name), `#!/bin/sh\nexec ${words.map(quoted).join(" ")} "$@"\n`, { mode: 0o755 });
	return { PATH: `${bin}:${process.env.PATH}`, SESSFS };
}

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

/** Resume with these arguments, and say something: the bodies of the requests. */
async function said(place, home, args, words, shows) {
	const from = place.requests.length;
	await Terminal.with(home, ["sh", "-c", RESUME, "sh", ...args], async (terminal) => {
		await shows(terminal);
		await terminal.begin(prompt(words, [ANSWER]));
		await showsAtEnd(terminal, ANSWER);
	}, SIZE);
	return place.requests.slice(from).map(({ body }) => JSON.stringify(body));
}

/** What the best of some requests lacks, and what they should not have. */
function checkAsked(bodies, words, others) {
	const lacking = bodies.map((body) => words.filter((text) => !body.includes(text)));
	same("what the best request lacks", lacking.sort((a, b) => a.length - b.length)[0], []);
	same("what is said elsewhere", others.filter((text) => bodies.some((body) => body.includes(text))), []);
}

async function attempt(target, place, home, mount, own, words, earlier) {
	const bodies = await said(place, home, ["--in", target, "HEAD", mount.dir], words, (terminal) => showsAll(terminal, place, own));
	checkAsked(bodies, [TITLE, ...(own ? [] : ["A kettle."]), "cracked", PICTURE, ...LAST, words], earlier);
}

const sessionsIn = (place) => fs.readdirSync(place.env.HOME, { recursive: true }).filter((name) => /(sessions|projects)\/.*\.jsonl$/.test(name)).map((name) => path.join(place.env.HOME, name));

/** From an earlier answer, in the session itself, or in a fork of it. */
async function inOwn(place, home, file, mnt, { isForked, options }) {
	const before = sessionsIn(place).length;
	const bytes = fs.readFileSync(file);
	const words = `from the middle of ${before}`;
	await Mount.with(file, mnt, async (mount) => {
		const middle = mount.list("by-id").findLast((name) => mount.read(`by-id/${name}/content`).toString().startsWith(LAST[0]));
		const bodies = await said(place, home, [middle, mount.dir], words, (terminal) => until("what was said", () => terminal.screen.includes(LAST[0])));
		checkAsked(bodies, [TITLE, "cracked", LAST[0], words], LAST.slice(1));
		same("sessions that are new", sessionsIn(place).length - before, isForked ? 1 : 0);
		if (isForked)
			same("the session", fs.readFileSync(file).equals(bytes), true);
		else
			await until("HEAD at the answer", () => mount.read("HEAD/content").toString() === `${ANSWER}\n`);
	}, options);
}

async function goesOn(target, source, scratch) {
	await TARGETS[target].with(scratch, async (place) => {
		const dir = fs.mkdtempSync(path.join(scratch, `${source}-`));
		const file = await sessionOf(source, place.cwd, dir);
		const home = { ...place, env: { ...place.env, ...shellWith(dir, target, place.words) } };
		const own = source === target;
		const attempts = own ? ["go on", "a second way", "a third one"] : ["go on"];
		const mnt = path.join(dir, "it's a mount");
		await Mount.with(file, mnt, async (mount) => {
			for (const [i, words] of attempts.entries())
				await attempt(target, place, home, mount, own, words, attempts.slice(0, i));
		});
		// A thread of Codex has no HEAD that can be moved.
		if (!own || target === "codex")
			return;
		const [copy] = sessionsIn(place);
		await inOwn(place, home, copy, mnt, { isForked: false });
		await inOwn(place, home, copy, mnt, { isForked: true, options: ["-o", "ro"] });
		if (target === "claude")
			await inOwn(place, home, file, mnt, { isForked: true });
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
