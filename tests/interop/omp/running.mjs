// While the real oh-my-pi runs with a session open, nothing is written to the
// session through the mount, unless -o force says so. The leases of 18.4.9 and 18.5.0,
// which npm does not have, are held by its own locks.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { FileLock } from "./node_modules/@oh-my-pi/pi-natives/native/index.js";
import { Agent, ID, NAME, session } from "./program.mjs";

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
		await Agent.resumed(place.file, place.elsewhere, async (agent) => {
			checkRefused(mount, agent.child.pid);
			await agent.append(place.file);
			checkRefused(mount, agent.child.pid);
		});
		checkTaken(mount);
	});
}

/** What has written one session is not in the way of another of its directory. */
async function allowsOthers(place) {
	const other = path.join(place.dir, "other.jsonl");
	fs.writeFileSync(other, session(place.cwd).replace(ID, ID.replace(/1$/, "2")));
	await Mount.with(other, place.mnt, (mount) => Agent.resumed(place.file, place.cwd, async (agent) => {
		checkRefused(mount, agent.child.pid);
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

await withScratch(async (scratch) => {
	for (const check of [refusesWhileOpen, allowsOthers, forces, respectsLeases]) {
		const dir = fs.mkdtempSync(path.join(scratch, "running-"));
		const place = { dir, file: path.join(dir, "session.jsonl"), mnt: path.join(dir, "mnt"), cwd: path.join(dir, "cwd"), elsewhere: path.join(dir, "elsewhere") };
		fs.mkdirSync(place.cwd);
		fs.mkdirSync(place.elsewhere);
		fs.writeFileSync(place.file, session(place.cwd));
		await check(place);
	}
	console.log(`interop: nothing is written while ${NAME} runs with the session open`);
});
