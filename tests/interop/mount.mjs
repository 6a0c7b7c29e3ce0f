// A session mounted by sessfs, and what is read from there.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CLEAR_AWAY = fileURLToPath(new URL("../../scripts/clear-away", import.meta.url));
/** The program, and the folder of the commands that are installed with it. */
export const SCRIPTS = fileURLToPath(new URL("../../scripts/bin", import.meta.url));
export const SESSFS = process.env.SESSFS ?? fileURLToPath(new URL("../../build/sessfs", import.meta.url));

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

export class Mount {
	constructor(file, dir) {
		this.file = file;
		this.dir = dir;
	}

	/** Mount a file, run with it, unmount and see the daemon end. */
	static async with(file, dir, run, options = []) {
		fs.mkdirSync(dir, { recursive: true });
		// sessfs returns when the mount answers; its daemon keeps the pipe
		// (fd 3) open until it ends.
		const sessfs = spawn(SESSFS, [...options, file, dir], { stdio: ["ignore", "inherit", "inherit", "pipe"] });
		sessfs.stdio[3].resume();
		const gone = once(sessfs.stdio[3], "close");
		const [status] = await once(sessfs, "exit");
		if (status !== 0)
			throw new Error(`sessfs: exit status ${status}`);
		try {
			return await run(new Mount(file, dir));
		} finally {
			const { status: unmounted } = spawnSync("fusermount3", ["-u", dir], { stdio: "inherit" });
			if (unmounted !== 0)
				throw new Error(`${dir} can't be unmounted`);
			await gone;
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
