// A session mounted by sessfs, and what is read from there.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const CLEAR_AWAY = fileURLToPath(new URL("../../scripts/clear-away", import.meta.url));
export const SESSFS = process.env.SESSFS ?? fileURLToPath(new URL("../../build/sessfs", import.meta.url));

/** sessfs ends at once when its mount is gone, and on a busy machine soon. */
const PATIENCE_MS = 5000;

/** Remove a directory, unless something is mounted in it and stays. */
export function removeFolder(dir) {
	const { status, stderr } = spawnSync(CLEAR_AWAY, [dir], { encoding: "utf8" });
	if (status !== 0)
		throw new Error(stderr.trimEnd());
}

/** Run with a directory that is removed afterwards. */
export async function withScratch(run) {
	const dir = fs.mkdtempSync(path.join(os.tmpdir(), "sessfs-interop-"));
	try {
		return await run(dir);
	} finally {
		removeFolder(dir);
	}
}

/** Has a namespace of another run got a copy of a mount? Nothing unmounts that. */
function isCopied(dir) {
	const escaped = dir.replace(/[ \t\n\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`);
	const holder = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name)).find((pid) => {
		try {
			return fs.readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(` ${escaped} `);
		} catch {
			return false;
		}
	});
	if (holder)
		console.error(`interop: process ${holder} has a copy of the mount ${dir}: sessfs is told to end`);
	return Boolean(holder);
}

export class Mount {
	constructor(file, dir) {
		this.file = file;
		this.dir = dir;
	}

	/** Mount a file, run with it, unmount and see sessfs end well. */
	static async with(file, dir, run, options = []) {
		fs.mkdirSync(dir, { recursive: true });
		const { dev } = fs.statSync(dir);
		const sessfs = spawn(SESSFS, ["-f", ...options, file, dir], { stdio: ["ignore", "inherit", "inherit"] });
		const ended = once(sessfs, "exit");
		while (fs.statSync(dir).dev === dev) {
			if (sessfs.exitCode !== null || sessfs.signalCode !== null)
				throw new Error(`sessfs: ${sessfs.signalCode ?? `exit status ${sessfs.exitCode}`}`);
			await sleep(5);
		}
		try {
			return await run(new Mount(file, dir));
		} finally {
			const { status: unmounted } = spawnSync("fusermount3", ["-u", dir], { stdio: "inherit" });
			if (unmounted !== 0)
				throw new Error(`${dir} can't be unmounted`);
			const late = setTimeout(() => isCopied(dir) && sessfs.kill(), PATIENCE_MS);
			const [status, signal] = await ended;
			clearTimeout(late);
			if (status !== 0)
				throw new Error(`sessfs: ${signal ?? `exit status ${status}`}`);
		}
	}

	path(name) {
		return path.join(this.dir, name);
	}

	read(name) {
		return fs.readFileSync(this.path(name));
	}

	readlink(name) {
		return fs.readlinkSync(this.path(name));
	}

	/** The names in a folder, as the mount orders them: node would sort. */
	list(name) {
		const dir = fs.opendirSync(this.path(name));
		const names = [];
		for (let entry = dir.readSync(); entry; entry = dir.readSync())
			names.push(entry.name);
		dir.closeSync();
		return names;
	}

	/** The lines of `info`, by key. */
	info() {
		const lines = this.read("info").toString().split("\n").filter((line) => line);
		return Object.fromEntries(lines.map((line) => line.match(/^(.*?): (.*)$/).slice(1)));
	}
}
