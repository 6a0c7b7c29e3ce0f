// The ways in which bytes get into a file that takes lines: whole or in pieces, by
// one process or several, by way of any tool. Each throws what an fs call would.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { Difference } from "./compare.mjs";

/** More than this is not passed as an argument. */
const ARGUMENT_MAX = 100_000;
const PIECES = 4;

/** Cut bytes, or the elements of a list, at random places. */
export function cut(random, all) {
	const at = random.some(PIECES, () => random.int(all.length + 1)).sort((a, b) => a - b);
	return [0, ...at].map((from, i) => all.slice(from, at[i])).filter((piece) => piece.length > 0);
}

/** A write may be short only before another one that fails. */
export function writePiece(fd, piece) {
	const first = fs.writeSync(fd, piece);
	for (let at = first; at < piece.length;)
		at += fs.writeSync(fd, piece.subarray(at));
	if (first < piece.length)
		throw new Difference(`${first} of ${piece.length} bytes were taken, and then the rest`);
}

/** Open as > does, or as >>, or without either. */
export function openToAppend(random, file) {
	return fs.openSync(file, random.pick(["w", "a", fs.constants.O_WRONLY]));
}

export function feedPieces(random, file, bytes) {
	const fd = openToAppend(random, file);
	try {
		for (const piece of cut(random, bytes))
			writePiece(fd, piece);
	} finally {
		fs.closeSync(fd);
	}
}

/** What a shell does with "$0", the file, and what it is given on stdin. */
const SCRIPTS = {
	cat: 'cat >"$0"', append: 'cat >>"$0"', tee: 'tee "$0" >/dev/null', dd: 'dd of="$0" obs=61 conv=notrunc status=none',
	cp: 'file=$(mktemp) && cat >"$file" && cp "$file" "$0"; status=$?; rm -f "$file"; exit $status',
};
/** The same with the arguments, each a piece: by one process, or one each. */
const PRINTERS = { printf: 'printf %s "$@" >"$0"', children: '{ for piece; do env printf %s "$piece"; done; } >>"$0"' };

function shell(script, file, args, input) {
	const { status, stderr } = spawnSync("sh", ["-c", script, file, ...args], { input, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
	if (status !== 0 || stderr !== "")
		throw new Difference(`${script}: exit status ${status}, ${stderr}`);
}

/** By any way, of which those of a shell don't tell an error's number. */
export function feed(random, file, bytes) {
	const how = random.weighted({ pieces: 60, cat: 5, append: 5, tee: 3, dd: 3, cp: 3, printf: 4, children: 4 });
	if (how in SCRIPTS)
		shell(SCRIPTS[how], file, [], bytes);
	else if (how in PRINTERS && bytes.length < ARGUMENT_MAX)
		shell(PRINTERS[how], file, cut(random, [...bytes.toString()]).map((piece) => piece.join("")));
	else
		feedPieces(random, file, bytes);
}
