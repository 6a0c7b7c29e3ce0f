// Where an agent keeps the sessions of a directory: sessfs open has to look there.

import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { SESSFS } from "./mount.mjs";

/** Fails unless sessfs open says that it has looked in a folder in vain. */
function check(cwd, folder) {
	const { status, stderr } = spawnSync(SESSFS, ["open"], { cwd, encoding: "utf8" });
	const places = stderr.slice(stderr.indexOf(" in /") + 4, -1).split(", ");
	if (status !== 1 || !places.includes(folder))
		throw new Error(`${JSON.stringify(cwd)}: not ${folder} but ${status}: ${stderr}`);
}

/** Hold sessfs open against an agent's own function from a directory to a folder. */
export function checkFolders(folderOf) {
	const { HOME } = process.env;
	const names = ["a", "a-b/c d", "x:y\\z", "ünï/日本/😀", "it's $(x) *", "-/--/.hid"];
	const cwds = [HOME, ...names.map((name) => join(HOME, name)), "/", "/usr", "/usr/bin"];
	for (const cwd of cwds) {
		mkdirSync(cwd, { recursive: true });
		check(realpathSync(cwd), folderOf(cwd));
	}
	console.log(`folders: ${cwds.length} directories`);
}
