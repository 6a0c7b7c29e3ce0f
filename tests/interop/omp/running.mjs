// While the real oh-my-pi runs with a session open, nothing is written to the
// session through the mount, unless -o force says so. The agent is its whole
// command line in RPC mode, 18.2.3, the last that runs from npm; and the leases
// of 18.4.9 and 18.5.0, which are not there, are held by 18.2.3's own locks.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";
import { Difference, same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { FileLock } from "./node_modules/pi-natives-18.2.3/native/index.js";

const CLI = fileURLToPath(new URL("node_modules/omp-18.2.3/node_modules/@oh-my-pi/pi-coding-agent/dist/cli.js", import.meta.url));
/** To start takes a second or two, and a busy machine longer. */
const PATIENCE_MS = 60_000;
/** As oh-my-pi reads it, and so that it asks for no model when it starts. */
const KEY = { ANTHROPIC_API_KEY: "none" };
const ID = "0198f000-0000-7000-8000-000000000001";

const timestamp = "2026-03-01T10:00:00.000Z";

/** A session of a directory: a question, its answer, and another question. */
function session(cwd) {
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
	const answer = { role: "assistant", content: [{ type: "text", text: "a" }], api: "x", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 5 };
	const message = (id, parentId, message) => ({ type: "message", id, parentId, timestamp, message });
	return [
		{ type: "session", version: 3, id: ID, timestamp, cwd, title: "Running" },
		message("aa000001", null, { role: "user", content: "q", timestamp: 5 }),
		message("aa000002", "aa000001", answer),
		message("aa000003", "aa000002", { role: "user", content: "q2", timestamp: 5 }),
	].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The agent with a session open, in a network of its own, driven over stdin. */
class Agent {
	static async start(file, cwd) {
		const agent = new Agent();
		const user = process.getuid() === 0 ? [] : ["--map-root-user"];
		agent.child = spawn("unshare", [...user, "--net", process.execPath, CLI, "--mode", "rpc", "--resume", file],
			{ cwd, env: { ...process.env, ...KEY }, stdio: ["pipe", "pipe", "inherit"] });
		agent.gone = once(agent.child, "exit");
		agent.said = readline.createInterface({ input: agent.child.stdout });
		const { sessionFile } = await agent.ask("get_state");
		same("the session that omp has open", sessionFile, file);
		return agent;
	}

	get pid() {
		return this.child.pid;
	}

	/** What it answers to a command. */
	async ask(type, more = {}) {
		const id = `${type} ${Date.now()}`;
		const answer = new Promise((resolve, reject) => {
			const late = setTimeout(() => reject(new Difference(`omp does not answer ${type}`)), PATIENCE_MS);
			const look = (line) => {
				const said = JSON.parse(line);
				if (said.id !== id || said.type !== "response")
					return;
				clearTimeout(late);
				this.said.off("line", look);
				resolve(said);
			};
			this.said.on("line", look);
			this.gone.then(() => reject(new Difference("omp has ended")));
		});
		this.child.stdin.write(`${JSON.stringify({ id, type, ...more })}\n`);
		const { success, data, error } = await answer;
		same(`${type}: ${error ?? "done"}`, success, true);
		return data;
	}

	/** Have something said in the session, so that omp appends to it. */
	async append(file) {
		const { size } = fs.statSync(file);
		await this.ask("bash", { command: "echo said" });
		if (fs.statSync(file).size <= size)
			throw new Difference("omp has appended nothing");
	}

	async end() {
		this.child.kill();
		await this.gone;
	}

	static async with(file, cwd, run) {
		const agent = await Agent.start(file, cwd);
		try {
			await run(agent);
		} finally {
			await agent.end();
		}
	}
}

function errorOf(write) {
	try {
		write();
	} catch (e) {
		return e.code;
	}
	return "";
}

/** What a user does to a mounted session. */
const WRITES = {
	"moving HEAD": (mount) => {
		// As ln -sfn does it.
		fs.symlinkSync("by-id/aa000001", mount.path("new"));
		try {
			fs.renameSync(mount.path("new"), mount.path("HEAD"));
		} finally {
			fs.rmSync(mount.path("new"), { force: true });
		}
	},
	"setting a label": (mount) => fs.writeFileSync(mount.path("by-id/aa000001/label"), "tested"),
	"setting the name": (mount) => fs.writeFileSync(mount.path("name"), "Named"),
	"appending a line": (mount) => fs.appendFileSync(mount.path("append"), '{"role":"user","content":"said by sessfs"}\n'),
};

function checkRefused(mount, pid) {
	for (const [what, write] of Object.entries(WRITES)) {
		const bytes = fs.readFileSync(mount.file, "utf8");
		same(`${what} while omp runs`, errorOf(() => write(mount)), "EBUSY");
		same(`the session after ${what}`, fs.readFileSync(mount.file, "utf8"), bytes);
		const why = mount.info()["last-refused"];
		if (!why?.includes("-o force") || (pid && !why.endsWith(`(pid ${pid})`)))
			throw new Difference(`${what}: ${why}, not the pid ${pid}`);
	}
}

function checkTaken(mount) {
	for (const [what, write] of Object.entries(WRITES)) {
		const { size } = fs.statSync(mount.file);
		same(what, errorOf(() => write(mount)), "");
		if (fs.statSync(mount.file).size <= size)
			throw new Difference(`${what} has written nothing`);
	}
}

/** Resumed from elsewhere it goes to the session's directory, with no file open. */
async function refusesWhileOpen(place) {
	await Mount.with(place.file, place.mnt, async (mount) => {
		await Agent.with(place.file, place.elsewhere, async (agent) => {
			checkRefused(mount, agent.pid);
			await agent.append(place.file);
			checkRefused(mount, agent.pid);
		});
		checkTaken(mount);
	});
}

/** What has written one session is not in the way of another of its directory. */
async function allowsOthers(place) {
	const other = path.join(place.dir, "other.jsonl");
	fs.writeFileSync(other, session(place.cwd).replace(ID, ID.replace(/1$/, "2")));
	await Mount.with(other, place.mnt, (mount) => Agent.with(place.file, place.cwd, async (agent) => {
		checkRefused(mount, agent.pid);
		await agent.append(place.file);
		checkTaken(mount);
	}));
}

async function forces(place) {
	const run = (mount) => Agent.with(place.file, place.cwd, async (agent) => {
		await agent.append(place.file);
		checkTaken(mount);
		same("a refusal", mount.info()["last-refused"], undefined);
	});
	await Mount.with(place.file, place.mnt, run, ["-o", "force"]);
}

/** A lock as omp takes it, with the paths that later versions take it of. */
async function respectsLeases(place) {
	const byFile = path.join(place.dir, `.${path.basename(place.file)}.owner.lock`);
	const byId = path.join(process.env.HOME, ".omp/run/session-owners", `${ID}.lock`);
	await Mount.with(place.file, place.mnt, async (mount) => {
		for (const name of [byFile, byId]) {
			const lease = FileLock.tryAcquire(name);
			same("the lease is ours", lease.acquired, true);
			checkRefused(mount);
			lease.release();
		}
		checkTaken(mount);
	});
}

await withScratch(async (scratch) => {
	for (const check of [refusesWhileOpen, allowsOthers, forces, respectsLeases]) {
		const dir = fs.mkdtempSync(path.join(scratch, "running-"));
		const place = { dir, file: path.join(dir, "session.jsonl"), mnt: path.join(dir, "mnt"), cwd: path.join(dir, "cwd"), elsewhere: path.join(dir, "elsewhere") };
		fs.mkdirSync(place.cwd);
		fs.mkdirSync(place.elsewhere);
		fs.writeFileSync(place.file, session(place.cwd));
		await check(place);
	}
	console.log("interop: nothing is written while oh-my-pi 18.2.3 runs with the session open");
});
