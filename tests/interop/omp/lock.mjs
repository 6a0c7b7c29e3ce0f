// sessfs and oh-my-pi keep out of each other's way: while omp has its locks,
// nothing is written through the mount, and while sessfs writes, omp waits.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Difference, same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { FileSessionStorage, omp, serializeTitleSlot } from "./agent.mjs";

const HOLD = fileURLToPath(new URL("hold.mjs", import.meta.url));
/** omp waits half a second for each of its two locks. */
const PATIENCE_MS = 2000;
const MOVES = 60;
const LINES = 400;

const timestamp = "2026-03-01T10:00:00.000Z";

function line(value) {
	return `${JSON.stringify(value)}\n`;
}

function message(id, parentId) {
	return line({ type: "message", id, parentId, timestamp, message: { role: "user", content: id, timestamp: 5 } });
}

function session() {
	const header = line({ type: "session", version: 3, id: "0198f000-0000-7000-8000-000000000001", timestamp, cwd: "/work/demo" });
	const slot = serializeTitleSlot({ title: "Locked", updatedAt: timestamp });
	return slot + header + message("aa000001", null) + message("aa000002", "aa000001");
}

/** Run while another process has the locks, which ends by release() or by a kill. */
async function whileHeld(file, run) {
	const holder = spawn(process.execPath, [HOLD, file], { stdio: ["pipe", "pipe", "inherit"] });
	const gone = once(holder, "exit");
	const [said] = await Promise.race([once(holder.stdout, "data"), gone]);
	same("the holder", String(said), "held\n");
	const release = async (signal) => {
		if (signal)
			holder.kill(signal);
		else
			holder.stdin.end();
		await gone;
	};
	try {
		await run(release);
	} finally {
		await release();
	}
}

function moveHead(mount, name) {
	const env = { ...process.env, LC_ALL: "C" };
	return spawnSync("ln", ["-sfn", `by-id/${name}`, mount.path("HEAD")], { encoding: "utf8", env }).stderr;
}

function setLabel(mount, name, text) {
	try {
		fs.writeFileSync(mount.path(`by-id/${name}/label`), text);
	} catch (e) {
		return e.code;
	}
	return "";
}

/** A write that omp's locks forbid: EBUSY before long, and nothing else. */
function checkRefused(mount, what, write, error) {
	const bytes = fs.readFileSync(mount.file);
	const start = Date.now();
	const said = write();
	const ms = Date.now() - start;
	if (!said.includes(error))
		throw new Difference(`${what} while omp has its locks: ${said || "no error"}`);
	if (ms > PATIENCE_MS)
		throw new Difference(`${what} gave up after ${ms} ms only`);
	same(`the session after ${what}`, fs.readFileSync(mount.file, "utf8"), bytes.toString());
	same(`HEAD after ${what}`, mount.readlink("HEAD"), "by-id/aa000002");
}

async function checkMoved(mount, name) {
	same("an error of ln", moveHead(mount, name), "");
	same("HEAD", mount.readlink("HEAD"), `by-id/${name}`);
	same("omp's leaf", (await omp.open(mount.file)).head(), name);
	const left = fs.readdirSync(path.dirname(mount.file)).filter((other) => other.endsWith(".lock"));
	same("lock files that are left", left, []);
}

async function refuses(mount) {
	await whileHeld(mount.file, async () => {
		checkRefused(mount, "moving HEAD", () => moveHead(mount, "aa000001"), "busy");
		checkRefused(mount, "setting a label", () => setLabel(mount, "aa000001", "tested"), "EBUSY");
	});
	await checkMoved(mount, "aa000001");
	await checkMoved(mount, "aa000002");
}

/** omp takes the locks of a process that has died, and so does sessfs. */
async function outlivesHolder(mount) {
	await whileHeld(mount.file, (release) => release("SIGKILL"));
	await checkMoved(mount, "aa000001");
}

/** Both write at the same time, and no line is lost, torn or glued. */
async function sharesFile(mount) {
	const writer = new FileSessionStorage().openWriter(mount.file, { flags: "a" });
	const moves = spawn("sh", ["-c", 'for i in $(seq "$1"); do ln -sfn "by-id/aa00000$((i % 2 + 1))" "$0" || exit 1; done', mount.path("HEAD"), MOVES],
		{ stdio: "inherit" });
	const moved = once(moves, "exit");
	for (let n = 0; n < LINES; n++) {
		writer.appendSync(message(`bb${String(n).padStart(6, "0")}`, "aa000001"));
		await Bun.sleep(1);
	}
	same("moving HEAD", (await moved)[0], 0);
	await writer.close();
	const entries = fs.readFileSync(mount.file, "utf8").trimEnd().split("\n").slice(2).map((text) => JSON.parse(text));
	same("entries by omp", entries.filter(({ type }) => type === "message").length, 2 + LINES);
	same("entries in the mount", mount.list("by-id").length, entries.length);
}

await withScratch(async (scratch) => {
	// For the last one we are an omp that has the session open ourselves.
	for (const [check, ...options] of [[refuses], [outlivesHolder], [sharesFile, "-o", "force"]]) {
		const dir = fs.mkdtempSync(path.join(scratch, "lock-"));
		const file = path.join(dir, "session.jsonl");
		fs.writeFileSync(file, session());
		await Mount.with(file, path.join(dir, "mnt"), check, options);
	}
	console.log(`interop: locks kept and respected with ${omp.name}`);
});
