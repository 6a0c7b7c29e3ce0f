// What `append` has to say to a line of Pi's family: some have to be taken and
// some refused, because the agent could not load them. The rest is odd: the agent
// would live with it, so either will do.

export const TAKEN = "taken";
export const REFUSED = "refused";
export const EITHER = "either";

export const must = (holds) => (holds ? TAKEN : REFUSED);
export const should = (holds) => (holds ? TAKEN : EITHER);

/** The worst of several. */
export function all(...verdicts) {
	return [REFUSED, EITHER].find((verdict) => verdicts.includes(verdict)) ?? TAKEN;
}

export const isText = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number";

export function isObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Messages

const BLOCKS = {
	text: ({ text }) => isText(text),
	thinking: ({ thinking }) => isText(thinking),
	image: ({ data, mimeType }) => isText(data) && isText(mimeType),
	toolCall: ({ id, name, arguments: args }) => isText(id) && isText(name) && isObject(args),
};

function block(value) {
	return all(must(isObject(value)), should(BLOCKS[value?.type]?.(value)));
}

export function content(value) {
	return Array.isArray(value) ? all(...value.map(block)) : must(isText(value));
}

/** What is counted is added up without asking. */
export function hasCost(usage) {
	return isNumber(usage?.cost?.total);
}

function assistant({ content: blocks, api, provider, model, stopReason, usage }) {
	return all(content(blocks), must(Array.isArray(blocks)), must([provider, model, stopReason].every(isText)), should(isText(api)), must(hasCost(usage)));
}

function custom(value) {
	return all(content(value.content), should(isText(value.customType)));
}

function execution({ command, code, output, exitCode, content: unused = "" }) {
	return should(isText(command ?? code) && isText(output) && (exitCode === undefined || isNumber(exitCode)) && content(unused) === TAKEN);
}

const ROLES = {
	assistant, custom, hookMessage: custom, bashExecution: execution, pythonExecution: execution,
	fileMention: ({ files }) => must(Array.isArray(files)),
	toolResult: (value) => all(content(value.content), should(Array.isArray(value.content) && isText(value.toolCallId) && isText(value.toolName))),
};

function message(value, roles) {
	if (!isObject(value) || !isText(value.role))
		return REFUSED;
	if (!roles.includes(value.role))
		return EITHER;
	const timed = should(value.timestamp === undefined || isNumber(value.timestamp));
	return all(timed, (ROLES[value.role] ?? (() => content(value.content)))(value));
}

// Entries

/** An anchor, or the target of an edit: an entry of the path. */
export function onPath(id, path) {
	return must(isText(id) && path.includes(id));
}

/** A copy may name itself, and keep nothing. */
function compaction({ id, summary, tokensBefore, firstKeptEntryId }, { path }) {
	const isOdd = [null, ""].includes(firstKeptEntryId);
	const anchor = isOdd ? EITHER : must(firstKeptEntryId === id || path.includes(firstKeptEntryId));
	return all(must(isText(summary) && isNumber(tokensBefore)), firstKeptEntryId === undefined ? TAKEN : anchor);
}

function label({ targetId, label: text }, { ids }) {
	return all(must(ids.includes(targetId)), should(text === undefined || isText(text)));
}

/** What the agents of the family have in common. */
export const sharedTypes = {
	compaction, label,
	custom_message: custom,
	custom: ({ customType }) => should(isText(customType)),
	branch_summary: ({ summary }) => should(isText(summary)),
	model_change: ({ provider, modelId, model }) => should((isText(provider) && isText(modelId)) || isText(model)),
	thinking_level_change: ({ thinkingLevel }) => should(isText(thinkingLevel)),
	future_type: () => TAKEN,
	session: () => REFUSED,
	title: () => REFUSED,
};

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export class Verdicts {
	/** The roles that the agent sends to a model; its types, as those above. */
	constructor(roles, types) {
		this.roles = roles;
		this.types = { ...sharedTypes, message: (entry) => message(entry.message, this.roles), ...types };
	}

	/** Of an entry below this path, in a session with these entries. */
	of(entry, path, ids) {
		const known = Object.hasOwn(this.types, entry.type);
		const timed = should(entry.timestamp === undefined || ISO.test(entry.timestamp));
		return all(timed, known ? this.types[entry.type](entry, { path, ids }) : EITHER);
	}
}
