// An agent at work with its file tools: strace sees it open the files that by-file/ has, and
// no others but what its commands open.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "./compare.mjs";
import { SESSFS } from "./mount.mjs";

/** The beginning of a command that is traced. Each process or thread has a file of its own in `dir`. */
function strace(dir) {
	fs.mkdirSync(dir);
	return ["strace", "-f", "-ff", "-q", "-y", "-s", "4096", "-e", "trace=%file", "-o", path.join(dir, "t")];
}

/**
 * The regular files below a folder that the program itself has opened: those that it
 * read, and those that it could write to. What it started is left out.
 */
function opened(dir, program, below) {
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
function touched(session) {
	const { status, stdout, stderr } = spawnSync(SESSFS, ["files", session], { encoding: "utf8" });
	if (status !== 0)
		throw new Difference(`sessfs files: ${stderr}`);
	return stdout.trimEnd().split("\n").map((line) => {
		const [, , entry, what, file] = line.split("\t");
		return { entry, what, file };
	});
}

/**
 * Let an agent work in `cwd`, below `home`, where some files are, and `others` by their bytes:
 * work(command) starts it by a command that is traced, to which it may add arguments, and
 * gives the session. Then sessfs files has the `wanted` rows, and the agent's `program` has
 * opened these files, but those `ofCommands`. A file that is written beside its place, and
 * renamed, has a `tail`.
 */
export async function checkFiles({ name, home, cwd, program, first = [program], wanted, others = {}, isOrdered = true, tail = /$/, ofCommands = [] }, work) {
	const all = { ...Object.fromEntries(["a.txt", "c.txt", "d.txt", "m.txt", "secret.txt", "sub/e.txt", "../outside.txt"].map((file) => [file, "one\n"])), ...others };
	for (const [file, bytes] of Object.entries(all)) {
		fs.mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true });
		fs.writeFileSync(path.join(cwd, file), bytes);
	}
	const traces = path.join(home, "traces");
	const session = await work([...strace(traces), ...first]);
	const found = touched(session).map(({ what, file }) => ({ what, file: path.relative(cwd, path.resolve(cwd, file)) }));
	const rows = found.map(({ what, file }) => `${what} ${file}`);
	same("what sessfs files says", isOrdered ? rows : rows.sort(), wanted);
	const seen = opened(traces, program, home);
	const sorted = (files) => [...new Set(files)].filter((file) => !ofCommands.includes(file)).sort();
	const inWork = (files) => sorted(files.map((file) => path.relative(path.relative(home, cwd), file.replace(tail, ""))).filter((file) => file === "../outside.txt" || !file.startsWith("..")));
	const names = (is) => sorted(found.filter(({ what }) => is(what)).map(({ file }) => file));
	const moved = names((what) => what === "move");
	same("the files that were written", inWork(seen.written).filter((file) => !moved.includes(file)), names((what) => ["write", "edit"].includes(what)));
	same("the files that were opened", inWork([...seen.read, ...seen.written]), names((what) => what !== "read-failed"));
	console.log(`interop: the tools of ${name} opened the ${found.length} files that by-file/ has, and no others`);
}
