// Pictures and orders as the APIs take them, in sessions of agents that send them as they are.

const KINDS = { iVBORw0KGgo: "image/png", "/9j/": "image/jpeg", R0lGOD: "image/gif", UklGR: "image/webp" };
const WORDS = "[picture]";

/** Data of one of these. */
export const PICTURE = /^(iVBORw0KGg|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/]*=*$/;

/** The type that its data says, else its agent; null if no API takes it. */
function typeTaken(data, mime) {
	const type = Object.entries(KINDS).find(([start]) => data?.startsWith(start))?.[1] ?? mime;
	return Object.values(KINDS).includes(type) && data?.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? type : null;
}

/** Pictures are of the kind that their data says. Those that no API takes are in words. */
function withPictures(items) {
	return items.map(({ data, mime, url, ...item }) => {
		if (item.kind === "text")
			return { ...item, text: item.text.replaceAll(/\[picture [^\]]*\]/g, WORDS) };
		if (item.kind !== "picture")
			return item;
		const type = typeTaken(data, mime);
		return type ? { ...item, data, mime: type } : { ...item, kind: "text", text: WORDS };
	});
}

/** Texts side by side are one. */
export function joined(items) {
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

/** Of each run of a role's items some are moved to its end. */
export function moved(items, role, isMoved, move) {
	const list = [];
	const held = [];
	for (const item of items) {
		if (item.role !== role)
			list.push(...held.splice(0));
		(item.role === role && isMoved(item) ? held : list).push(item);
	}
	return [...list, ...held].map((item) => (item.role === role && isMoved(item) ? move(item) : item));
}

/** The calls of an answer behind its texts. */
export const callsLast = (items) => moved(items, "assistant", ({ kind }) => kind === "call", (call) => call);

/** The same, where what is a text now is one with those beside it. */
export const asTaken = (items) => joined(withPictures(items));

/** A picture as it is in the file that Codex or Qwen Code is given. */
export function inFile({ kind, mime, data, url, ...item }) {
	if (url !== undefined)
		return { ...item, kind: "text", text: `[picture ${url}]` };
	if (!PICTURE.test(data))
		return { ...item, kind: "text", text: `[picture${mime ? ` ${mime}` : ""} ${Buffer.from(data, "base64").length} bytes]` };
	return { ...item, kind, data };
}
