// Which files an agent opens, as strace sees it, and which ones sessfs says that its
// tools have touched.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { Difference } from "./compare.mjs";
import { SESSFS } from "./mount.mjs";

/** The beginning of a command that is traced. Each process or thread has a file of its own in `dir`. */
export function strace(dir) {
	fs.mkdirSync(dir);
	return ["strace", "-f", "-ff", "-q", "-y", "-s", "4096", "-e", "trace=%file", "-o", path.join(dir, "t")];
}

/** Run a command to its end. */
export async function trace(dir, command, options) {
	const [program, ...args] = [...strace(dir), ...command];
	const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], ...options });
	const [status] = await once(child, "exit");
	if (status !== 0)
		throw new Difference(`the agent ended with status ${status}`);
}

/**
 * The regular files below a folder that the program itself has opened: those that it
 * read, and those that it could write to. What it started is left out.
 */
export function opened(dir, program, below) {
	const files = { read: new Set(), written: new Set() };
	const top = fs.realpathSync(below);
	for (const name of fs.readdirSync(dir)) {
		const text = fs.readFileSync(path.join(dir, name), "utf8");
		const started = text.match(/^execve\("([^"]*)"/m);
		if (started && started[1] !== program)
			continue;
		// The path of the descriptor: the argument may begin with that of another one.
		for (const [, flags, file] of text.matchAll(/^open(?:at)?\((?:[^",]*, )?"[^"]*", (\S+?)(?:, \d+)?\) = \d+<([^>]*)>/gm)) {
			if (/O_(DIRECTORY|PATH)/.test(flags) || !file.startsWith(`${top}/`))
				continue;
			files[/O_(WRONLY|RDWR)/.test(flags) ? "written" : "read"].add(path.relative(top, file));
		}
	}
	return { read: [...files.read].sort(), written: [...files.written].sort() };
}

/** What `sessfs files` says: an object for each line. */
export function touched(session) {
	const { status, stdout, stderr } = spawnSync(SESSFS, ["files", session], { encoding: "utf8" });
	if (status !== 0)
		throw new Difference(`sessfs files: ${stderr}`);
	return stdout.trimEnd().split("\n").map((line) => {
		const [, , entry, what, file] = line.split("\t");
		return { entry, what, file };
	});
}
