// While the real oh-my-pi runs with a session open, or has its locks, nothing is written to
// the session through the mount, unless -o force says so; and while sessfs writes, omp waits.
// The leases of 18.4.9 and 18.5.0, which npm does not have, are held by its own locks.

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Difference, same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { FileSessionStorage } from "./agent.mjs";
import { FileLock } from "./node_modules/@oh-my-pi/pi-natives/native/index.js";
import { Agent, ID, NAME, session } from "./program.mjs";

const HOLD = fileURLToPath(new URL("hold.mjs", import.meta.url));
/** omp waits half a second for each of its two locks. */
const PATIENCE_MS = 2000;
const MOVES = 60;
const LINES = 400;

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

/** Before long, and nothing has changed. If the agent runs, `info` says so. */
function checkRefused(mount, { pid, says = "-o force" } = {}) {
	for (const [what, write] of Object.entries(WRITES)) {
		const bytes = fs.readFileSync(mount.file, "utf8");
		const start = Date.now();
		same(`${what} while omp runs`, errorOf(() => write(mount)), "EBUSY");
		same(`${what} gave up soon`, Date.now() - start < PATIENCE_MS, true);
		same(`the session after ${what}`, fs.readFileSync(mount.file, "utf8"), bytes);
		const why = mount.info()["last-refused"];
		if (!why?.includes(says) || (pid && !why.endsWith(`(pid ${pid})`)))
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
		await Agent.resumed(place.file, place.elsewhere, async (agent) => {
			checkRefused(mount, agent.child);
			await agent.append(place.file);
			checkRefused(mount, agent.child);
		});
		checkTaken(mount);
	});
}

/** What has written one session is not in the way of another of its directory. */
async function allowsOthers(place) {
	const other = path.join(place.dir, "other.jsonl");
	fs.writeFileSync(other, session(place.cwd).replace(ID, ID.replace(/1$/, "2")));
	await Mount.with(other, place.mnt, (mount) => Agent.resumed(place.file, place.cwd, async (agent) => {
		checkRefused(mount, agent.child);
		await agent.append(place.file);
		checkTaken(mount);
	}));
}

async function forces(place) {
	const run = (mount) => Agent.resumed(place.file, place.cwd, async (agent) => {
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

/** Run while another process has omp's locks, which ends by release() or by a kill. */
async function whileHeld(file, run) {
	const holder = spawn(process.execPath, [HOLD, file], { stdio: ["pipe", "pipe", "inherit"] });
	const gone = once(holder, "exit");
	const [said] = await Promise.race([once(holder.stdout, "data"), gone]);
	same("the holder", String(said), "held\n");
	try {
		await run(holder);
	} finally {
		holder.stdin.end();
		await gone;
	}
}

/** omp takes the locks of a process that has died, and so does sessfs. */
async function respectsLocks(place) {
	await Mount.with(place.file, place.mnt, async (mount) => {
		await whileHeld(place.file, () => checkRefused(mount, { says: "" }));
		checkTaken(mount);
		await whileHeld(place.file, (holder) => holder.kill("SIGKILL"));
		fs.truncateSync(mount.path("by-id/aa000001/label"));
		fs.truncateSync(mount.path("name"));
		checkTaken(mount);
		same("lock files that are left", fs.readdirSync(place.dir).filter((name) => name.endsWith(".lock")), []);
	});
}

/** We are an omp that has the session open: both write at the same time, and no line is lost, torn or glued. */
async function sharesFile(place) {
	await Mount.with(place.file, place.mnt, async (mount) => {
		const writer = new FileSessionStorage().openWriter(place.file, { flags: "a" });
		const moves = spawn("sh", ["-c", 'for i in $(seq "$1"); do ln -sfn "by-id/aa00000$((i % 2 + 1))" "$0" || exit 1; done', mount.path("HEAD"), MOVES], { stdio: "inherit" });
		const moved = once(moves, "exit");
		const message = { type: "message", parentId: "aa000001", timestamp: "2026-03-01T10:00:00.000Z", message: { role: "user", content: "by omp", timestamp: 5 } };
		for (let n = 0; n < LINES; n++) {
			writer.appendSync(`${JSON.stringify({ ...message, id: `bb${String(n).padStart(6, "0")}` })}\n`);
			await Bun.sleep(1);
		}
		same("moving HEAD", (await moved)[0], 0);
		await writer.close();
		const entries = fs.readFileSync(place.file, "utf8").trimEnd().split("\n").slice(1).map((text) => JSON.parse(text));
		same("entries by omp", entries.filter(({ type }) => type === "message").length, 3 + LINES);
		same("entries in the mount", mount.list("by-id").length, entries.length);
	}, ["-o", "force"]);
}

await withScratch(async (scratch) => {
	for (const check of [refusesWhileOpen, allowsOthers, forces, respectsLeases, respectsLocks, sharesFile]) {
		const dir = fs.mkdtempSync(path.join(scratch, "running-"));
		const place = { dir, file: path.join(dir, "session.jsonl"), mnt: path.join(dir, "mnt"), cwd: path.join(dir, "cwd"), elsewhere: path.join(dir, "elsewhere") };
		fs.mkdirSync(place.cwd);
		fs.mkdirSync(place.elsewhere);
		fs.writeFileSync(place.file, session(place.cwd));
		await check(place);
	}
	console.log(`interop: nothing is written while ${NAME} runs with the session open`);
});
