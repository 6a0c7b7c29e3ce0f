// What sessfs resume prints, evaluated by a shell as a user has it, with the real agent.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { SESSFS } from "./mount.mjs";

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A shell's variables with which `name` is a program, these words, which is given
 * $PRINT, an option, before what sessfs resume gives it, and $PROMPT after that, if
 * they are set.
 */
export function shellWith(dir, name, words) {
	const bin = path.join(dir, "bin");
	fs.mkdirSync(bin, { recursive: true });
	fs.writeFileSync(path.join(bin, name), `#!/bin/sh\nexec ${words.map(quoted).join(" ")} $PRINT "$@" \${PROMPT:+"$PROMPT"}\n`, { mode: 0o755 });
	return { PATH: `${bin}:${process.env.PATH}`, SESSFS };
}

/** The script, which gets the entry and the mount. It runs elsewhere. */
export const RESUME = 'cd / && command=$("$SESSFS" resume "$1" "$2") && eval "$command"';

/** What is printed for an entry, or why nothing is. */
export function printed(mount, entry, env) {
	const { stdout, stderr } = spawnSync(SESSFS, ["resume", entry, mount.dir], { cwd: "/", env, encoding: "utf8" });
	return (stdout || stderr).trimEnd();
}
