// sessfs against the real agent, on the same transcript.

import fs from "node:fs";
import path from "node:path";
import { Difference, NotCompared, same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { forEachItem } from "../seeds.mjs";
import { JOBS } from "./agent.mjs";
import { normalise, PROMPT, resume } from "./oracle.mjs";

/** Run for each item, several at a time. */
export function forEach(items, run) {
	return forEachItem(items, JOBS, run);
}

/** Run with these bytes mounted as a transcript. */
export function mounted(bytes, run) {
	return withScratch((scratch) => {
		const file = path.join(scratch, "session.jsonl");
		fs.writeFileSync(file, bytes);
		return Mount.with(file, path.join(scratch, "mnt"), run, ["-o", "ro,dialect=claude"]);
	});
}

/** What sessfs says in a folder of a mount, in the form of the oracle's answer. */
export function contextIn(mount, folder = "") {
	return normalise(JSON.parse(mount.read(`${folder}context.json`)));
}

/** The entry that HEAD is at, or null. */
export function headOf(mount) {
	const link = mount.readlink("HEAD");
	return link === "tree" ? null : link.replace("by-id/", "");
}

/** What sessfs says of a session: { messages, notes, leaf, looksThrough }. */
export function sessfs(mount) {
	return { ...contextIn(mount), leaf: headOf(mount), looksThrough: mount.info().leaf };
}

/** The explanation before a notification: of that sessfs has the first sentence. */
const EXPLANATION = /^(\[SYSTEM NOTIFICATION.*\n.*\n)(?:.+\n)+/;

function notesOf({ notes }) {
	return notes.map((note) => note.replace(EXPLANATION, "$1"));
}

/** A transcript that the agent finds no conversation in has none to go on from. */
const NOTHING = { messages: [], notes: [], leaf: null, sent: null, beside: [] };

/** Fails unless sessfs says what the agent does. HEAD may look through the leaf. */
export function sameContext(ours, asked, what = "") {
	const theirs = asked.error === undefined ? asked : NOTHING;
	const hint = asked.error === undefined ? what : `${what} (it sends nothing: ${asked.error})`;
	same(`messages${hint}`, ours.messages, theirs.messages);
	same(`notes${hint}`, notesOf(ours), notesOf(theirs));
	const heads = [ours.leaf, ours.looksThrough];
	if (!heads.includes(theirs.leaf) && !heads.includes(theirs.sent) && !theirs.beside.includes(ours.leaf))
		same(`HEAD${hint}`, ours.leaf, theirs.sent);
}

/**
 * Fails unless the agent resumes bytes, which are mounted, as sessfs shows them, and what it
 * adds is shown behind that.
 */
export async function compareBytes(bytes, mount, options) {
	const asked = await resume(bytes, options);
	sameContext(sessfs(mount), asked);
	if (asked.error !== undefined)
		return;
	await mounted(asked.after, (later) => {
		same("the new prompt is in the context", later.read("context.txt").includes(PROMPT), true);
		same("HEAD is at a new entry", mount.list("by-id").includes(headOf(later)), false);
	});
}

/**
 * Fails unless what a version sent, asked to go on from an entry's branch, is what the
 * entry's context.json shows. The branch may go on after its entry: it is not cut between
 * a call and its result. Behind a turn without an answer the agent's own reminders are
 * among those of the branch.
 */
export function sameBranch(mount, name, asked) {
	const ours = contextIn(mount, `by-id/${name}/`);
	const isOpen = ours.messages.at(-1)?.role === "user";
	const own = { leaf: asked.leaf ?? null, notes: isOpen ? asked.notes ?? [] : ours.notes };
	sameContext({ ...ours, ...own }, asked, ` of the branch of ${name}`);
}

/** Fails unless the agent resumes a copy of an entry's branch.jsonl as its context.json shows. */
export async function compareBranch(mount, name) {
	sameBranch(mount, name, await resume(mount.read(`by-id/${name}/branch.jsonl`)));
}

/**
 * Fails by what a run finds different, unless that is `known`: then it fails if there is no
 * difference any more. Gives false if it could not compare, which is told.
 */
export async function judge(name, run, known) {
	let difference;
	try {
		await run();
	} catch (e) {
		if (e instanceof NotCompared) {
			console.log(`interop: ${name}: not compared: ${e.message}`);
			return false;
		}
		// Of a difference, where it was found is of no interest.
		difference = e instanceof Difference ? e.message : e.stack;
	}
	if (Boolean(difference) !== Boolean(known)) {
		process.exitCode = 1;
		console.error(`interop: CASES=${name}: ${difference ?? `no longer differs: ${known}`}`);
	}
	return true;
}
