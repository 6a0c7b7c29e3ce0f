// What becomes of canon()'s items in the forms of the APIs, by rules of its own:
// core/as/api.h's.

import { joined, typeTaken } from "./pictures.mjs";

const NO_OUTPUT = "(no output)";

function pictureFor(item) {
	const { mime = "", data, url, ...rest } = item;
	const asText = (what) => ({ ...rest, kind: "text", text: what });
	if (url !== undefined)
		return url.startsWith("https://") ? item : asText(`[picture ${url}]`);
	const type = typeTaken(data, mime);
	if (type)
		return { ...item, mime: type };
	return asText(`[picture${mime === "" ? "" : ` ${mime}`} ${Buffer.from(data, "base64").length} bytes]`);
}

const nameFor = (name, limit) => Array.from(name, (c) => (/[A-Za-z0-9_-]/.test(c) ? c : "_")).slice(0, limit).join("");

/** Runs of items of one role: of the assistant they are a turn. */
function runsOf(items) {
	const runs = [];
	for (const item of items) {
		if (runs.at(-1)?.[0].role === item.role)
			runs.at(-1).push(item);
		else
			runs.push([item]);
	}
	return runs;
}

/** Those results' pictures that can't be in them follow the last one. */
function withoutPictures(run, moves) {
	const failed = new Map(run.filter(({ kind }) => kind === "of").map((of) => [of.n, of.failed]));
	const moved = ({ kind, n }) => kind === "picture" && moves(failed.get(n));
	const left = run.filter((item) => !moved(item));
	const says = (n) => left.some((item) => item.n === n && item.kind !== "of");
	const full = left.flatMap((item) => (item.kind === "of" && !says(item.n) ? [item, { role: "result", kind: "text", n: item.n, text: NO_OUTPUT }] : [item]));
	return [...full, ...run.filter(moved).map(({ n, ...picture }) => ({ ...picture, role: "user" }))];
}

const SHAPES = {
	anthropic: (run, isLast) => {
		if (run[0].role === "result")
			return withoutPictures(run, (failed) => failed);
		const end = run.at(-1);
		return isLast && end.role === "assistant" && end.kind === "text" ? [...run.slice(0, -1), { ...end, text: end.text.trimEnd() }] : run;
	},
	openai: (run) => {
		if (run[0].role === "result")
			return withoutPictures(run, () => true);
		return run[0].role === "assistant" ? [...run.filter(({ kind }) => kind === "text"), ...run.filter(({ kind }) => kind !== "text")] : run;
	},
	responses: (run) => (run[0].role === "result" ? withoutPictures(run, () => false) : run),
};

/** The items, with failures, as canon(api) has to have them; only Anthropic's has failures. */
export function forApi(items, api) {
	const limit = api === "anthropic" ? 128 : 64;
	const taken = joined(items.map((item) => {
		if (item.kind === "picture")
			return pictureFor(item);
		return item.kind === "call" ? { ...item, name: nameFor(item.name, limit) } : item;
	}));
	const runs = runsOf(taken);
	const list = joined(runs.flatMap((run, i) => SHAPES[api](run, i === runs.length - 1)));
	const begun = api === "anthropic" && list[0]?.role === "assistant" ? [{ role: "user", kind: "text", text: "(continued)" }, ...list] : list;
	return api === "anthropic" ? begun : begun.map(({ failed, ...item }) => item);
}
