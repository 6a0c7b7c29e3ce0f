// The real Pi, resumed by what sessfs resume prints for entries of a session that it has
// written itself: it goes on from there, in the session or in a fork.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { printed, RESUME, shellWith } from "../resumed.mjs";
import { prompt } from "../server.mjs";
import { NAME } from "./agent.mjs";
import { COMMAND, Home, Rpc } from "./program.mjs";

/** A session with two turns, in a mount whose path needs quotes. */
async function mounted(home, run, options) {
	const file = await Rpc.with(home, [], async (pi) => {
		await pi.say(prompt("one", ["first"]));
		await pi.say(prompt("two", ["second"]));
		return pi.file();
	});
	const env = { ...home.env, ...shellWith(home.home, "pi", COMMAND) };
	const dir = path.join(home.home, "it's a mount");
	const quoted = `'${dir.replace("'", "'\\''")}`;
	await Mount.with(file, dir, (mount) => run({ home, file, mount, env, quoted }), options);
}

/** The entry with these words. */
function entry({ mount }, words) {
	return mount.list("by-id").findLast((name) => mount.read(`by-id/${name}/content`).toString().startsWith(words));
}

/** Evaluate what is printed for an entry, with one more prompt: the texts that were asked. */
async function resume({ home, mount, env }, at, text) {
	const child = spawn("sh", ["-c", RESUME, "sh", at, mount.dir], { env: { ...env, PRINT: "-p", PROMPT: text }, stdio: ["ignore", "ignore", "inherit"] });
	const [status] = await once(child, "exit");
	same(`the status of ${text}`, status, 0);
	return home.lastAsked().filter((said) => !said.startsWith("system")).map((said) => said.split(" @@")[0]);
}

const TURNS = ["user: one", "assistant: first", "user: two", "assistant: second"];

async function inSession(home) {
	await mounted(home, async (session) => {
		const { file, mount, env, quoted } = session;
		const command = `(cd ${home.cwd} && pi --session ${file})`;
		same("the command for HEAD", printed(mount, "HEAD", env), command);
		same("what was asked", await resume(session, "HEAD", "three"), [...TURNS, "user: three"]);
		const first = entry(session, "first");
		same("the command for an answer", printed(mount, first, env), `ln -sfn by-id/${first} ${quoted}/HEAD' && ${command}`);
		same("what was asked", await resume(session, first, "four"), [...TURNS.slice(0, 2), "user: four"]);
		same("what was asked", await resume(session, "tree", "five"), ["user: five"]);
		same("what was asked", await resume(session, entry(session, "second"), "six"), [...TURNS, "user: six"]);
		same("sessions", fs.readdirSync(path.dirname(file)).length, 1);
	});
}

async function inFork(home) {
	await mounted(home, async (session) => {
		const { file, mount, env, quoted } = session;
		const before = fs.readFileSync(file, "utf8");
		const first = entry(session, "first");
		same("the command for an answer", printed(mount, first, env), `(cd ${home.cwd} && pi --fork ${quoted}/by-id/${first}/branch.jsonl')`);
		same("what was asked", await resume(session, first, "three"), [...TURNS.slice(0, 2), "user: three"]);
		same("sessions", fs.readdirSync(path.dirname(file)).length, 2);
		same("the session", fs.readFileSync(file, "utf8"), before);
	}, ["-o", "ro"]);
}

await withScratch(async (scratch) => {
	await Promise.all([inSession, inFork].map((check) => Home.with(scratch, check)));
	console.log(`interop: ${NAME} resumed by what sessfs resume prints`);
});
