// What becomes of canon()'s items in the forms of the APIs, by rules of its own:
// core/as/api.h's.

const MAGIC = { iVBORw0KGgo: "image/png", "/9j/": "image/jpeg", R0lGOD: "image/gif", UklGR: "image/webp" };
const NO_OUTPUT = "(no output)";

function pictureFor(item) {
	const { mime = "", data, url, ...rest } = item;
	const asText = (what) => ({ ...rest, kind: "text", text: what });
	if (url !== undefined)
		return url.startsWith("https://") ? item : asText(`[picture ${url}]`);
	const known = Object.keys(MAGIC).find((start) => data.startsWith(start));
	const type = known ? MAGIC[known] : mime;
	if (Object.values(MAGIC).includes(type) && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data))
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

function joined(items) {
	const list = [];
	for (const item of items) {
		const last = list.at(-1);
		if (item.kind === "text" && last?.kind === "text" && last.role === item.role && last.n === item.n)
			list[list.length - 1] = { ...last, text: `${last.text}\n${item.text}` };
		else
			list.push(item);
	}
	return list;
}

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
