// The corpus (tests/unit/test_corpus.c): what agents send of its sessions. With GOLDEN=1
// it is written into the cases' sent.json; without, a difference fails. CASES=REGEX
// chooses cases by their names, DIALECT/NAME.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { NotCompared } from "./compare.mjs";
import { forEachItem, isChosen } from "./seeds.mjs";

const CORPUS = fileURLToPath(new URL("../corpus", import.meta.url));

/** A value as it stands in a sent.json: messages a line each. */
function lines(value) {
	if (Array.isArray(value))
		return value.length > 0 ? `[\n${value.map((message) => JSON.stringify(message)).join(",\n")}\n]` : "[]";
	if (typeof value !== "object" || value === null)
		return JSON.stringify(value);
	return `{\n${Object.entries(value).map(([key, of]) => `${JSON.stringify(key)}: ${lines(of)}`).join(",\n")}\n}`;
}

/** The cases of a dialect that have a sent.json. */
export function casesOf(dialect) {
	return fs.readdirSync(path.join(CORPUS, dialect)).map((rule) => {
		const folder = path.join(CORPUS, dialect, rule);
		return { rule, name: `${dialect}/${rule}`, folder, file: path.join(folder, "in.jsonl"), golden: path.join(folder, "sent.json") };
	}).filter(({ golden }) => fs.existsSync(golden));
}

/** Where a case is asked about: "tip" or names of entries. */
function placesOf(golden) {
	const written = JSON.parse(fs.readFileSync(golden, "utf8"));
	const keys = Array.isArray(written) ? [] : Object.keys(written).filter((key) => !["error", "leaf", "sent"].includes(key));
	return keys.length > 0 ? keys : ["tip"];
}

/**
 * Compare or write what an agent sends of each case. sent(case, place) gives { messages }
 * there and, if the agent says so, the `leaf` that it goes on from and the last entry up
 * from there that was `sent`; or { error }.
 */
export async function compareCorpus(dialect, who, jobs, sent) {
	const cases = casesOf(dialect).filter(({ name }) => isChosen(name));
	let changed = 0, skipped = 0;
	const compare = async (one) => {
		const places = placesOf(one.golden);
		const found = {};
		for (const place of places) {
			const { error, messages, leaf, sent: last } = await sent(one, place);
			if (error !== undefined)
				found.error = error;
			if (leaf !== undefined && place === "tip")
				Object.assign(found, { leaf }, last === undefined || last === leaf ? {} : { sent: last });
			if (messages)
				found[place] = messages;
		}
		const text = `${lines(Object.keys(found).join() === "tip" ? found.tip : found)}\n`;
		if (text === fs.readFileSync(one.golden, "utf8"))
			return;
		changed++;
		if (process.env.GOLDEN) {
			fs.writeFileSync(one.golden, text);
			return;
		}
		process.exitCode = 1;
		console.error(`interop: ${one.name}: ${who} sends now:\n${text}`);
	};
	await forEachItem(cases, jobs, async (one) => {
		try {
			await compare(one);
		} catch (e) {
			if (!(e instanceof NotCompared))
				throw e;
			skipped++;
			console.log(`interop: ${one.name}: not compared: ${e.message}`);
		}
	});
	console.log(`interop: ${cases.length - skipped} cases of ${dialect} asked of ${who}: ${changed} ${process.env.GOLDEN ? "written" : "differ"}`);
}
