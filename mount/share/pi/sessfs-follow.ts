/**
 * A running Pi follows its session's file.
 *
 *   pi install PREFIX/share/sessfs/pi    for good, or
 *   pi -e PREFIX/share/sessfs/pi         for this time
 *
 * When somebody else has appended to the file (HEAD was moved in a mount, an entry was
 * labelled, a message was written to `append`) and Pi is idle, Pi reads the file again
 * and goes on from HEAD. A prompt that is sent meanwhile is answered from there, too. The
 * other way round, /tree and /head leave a line in the file, so HEAD in the mount moves.
 *
 *   /head ID     go to the entry with this id, start of an id, or label
 *   /head up     go to the entry before this one
 *   /mount       mount the session, and say where
 *
 * Pi reads a session again only when it switches to it, and only a command may do that.
 * So what watches the file sends the command /sessfs-follow. The switch makes this
 * extension anew, and what the old one has been given must not be used any more.
 */

import { closeSync, existsSync, fstatSync, openSync, readSync, statSync, watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext, InputEvent, SessionEntry } from "@earendil-works/pi-coding-agent";

const FOLLOW = "sessfs-follow";
/** The type of a `custom` entry below which the head is, as sessfs writes it. */
const HEAD = "sessfs.head";
/** Lines that are written within this time are followed at once. */
const SETTLE_MS = 30;
/** How often a busy Pi is looked at. */
const BUSY_MS = 250;
/** How much of a file that Pi has just read is looked at again, in bytes. */
const TAIL = 1 << 20;

/** Commands and skills in a message are expanded. */
const AS_TYPED = { expandPromptTemplates: true };

/** How much of which file Pi had read when it last followed. It outlives the extension. */
interface Read {
	file?: string;
	size: number;
	/** The extension that is loaded for the session that begins. */
	by?: string;
}
const lastRead: Read = ((globalThis as Record<symbol, unknown>)[Symbol.for("sessfs.follow")] ??= { size: 0 }) as Read;

function parse(line: string): SessionEntry[] {
	try {
		const entry = JSON.parse(line);
		return typeof entry?.id === "string" && entry.type !== "session" ? [entry] : [];
	} catch {
		return []; // Pi skips it as well.
	}
}

/** The entries from an offset on, and where the last whole line ends. */
function readFrom(file: string, offset: number): { entries: SessionEntry[]; end: number } {
	const fd = openSync(file, "r");
	try {
		const size = fstatSync(fd).size;
		const from = size < offset ? 0 : offset; // A shorter file is another one.
		const bytes = Buffer.alloc(size - from);
		const whole = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from)).lastIndexOf("\n") + 1;
		return { entries: bytes.toString("utf8", 0, whole).split("\n").flatMap(parse), end: from + whole };
	} finally {
		closeSync(fd);
	}
}

/** What Pi builds no conversation of. */
function isBroken(entry: SessionEntry): boolean {
	if (entry.type !== "message")
		return false;
	const { role, content } = (entry.message ?? {}) as { role?: unknown; content?: unknown };
	const isContent = typeof content === "string" || Array.isArray(content) || (content === undefined && role !== "assistant");
	return typeof role !== "string" || !isContent;
}

/** What is wrong with the branch of the last entry: Pi finds out when it has left the session. */
function fault(entries: SessionEntry[]): string | undefined {
	const unseen = new Map(entries.map((entry) => [entry.id, entry]));
	const ids = new Set(unseen.keys());
	let entry = entries.at(-1);
	while (entry) {
		if (isBroken(entry))
			return `${entry.id} is no message`;
		unseen.delete(entry.id);
		const { parentId } = entry;
		if (!parentId)
			return undefined;
		entry = unseen.get(parentId);
		if (!entry && ids.has(parentId))
			return `${parentId} follows itself`;
	}
	return undefined;
}

/** Why Pi can't switch to its own session: it would ask, begin a new one, or end. */
function obstacle(ctx: ExtensionContext, file: string): string | undefined {
	const header = ctx.sessionManager.getHeader();
	const fd = openSync(file, "r");
	try {
		const bytes = Buffer.alloc(65536);
		const [line] = bytes.toString("utf8", 0, readSync(fd, bytes)).split("\n");
		if (JSON.parse(line).id !== header?.id)
			return "the file has another session";
	} catch {
		return "the file does not begin with a header";
	} finally {
		closeSync(fd);
	}
	if (header?.cwd && !existsSync(header.cwd))
		return `${header.cwd} is gone`;
	return fault(readFrom(file, 0).entries);
}

function quoted(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	return line.length > 40 ? `"${line.slice(0, 40)}…"` : `"${line}"`;
}

/** What an entry does, for the notice. */
function describe(entry: SessionEntry): string {
	switch (entry.type) {
		case "label":
			return entry.label ? `${entry.targetId} is labelled ${quoted(entry.label)}` : `${entry.targetId} has no label`;
		case "session_info":
			return entry.name ? `the name is ${quoted(entry.name)}` : "there is no name";
		case "custom":
			return entry.customType === HEAD ? `HEAD is at ${entry.parentId ?? "the beginning"}` : `an entry ${entry.customType}`;
		case "message":
			return `a message by ${entry.message.role}`;
		default:
			return `an entry ${entry.type}`;
	}
}

function notice(entries: SessionEntry[]): string {
	const parts = [...new Set(entries.slice(-3).map(describe))];
	const more = entries.length > 3 ? `${entries.length - 3} more, ` : "";
	return `sessfs: ${more}${parts.join(", ") || "read again"}`;
}

/** Labels, names and marks of the head say nothing themselves. */
function isBookkeeping(entry: SessionEntry): boolean {
	return entry.type === "label" || entry.type === "session_info" || (entry.type === "custom" && entry.customType === HEAD);
}

/** The entry that somebody names; an error says why there is none. */
function find(ctx: ExtensionContext, name: string): SessionEntry {
	const session = ctx.sessionManager;
	if (!name)
		throw new Error("/head ID, /head LABEL or /head up");
	if (name === "up") {
		const path = session.getBranch().filter((entry) => !isBookkeeping(entry));
		if (path.length < 2)
			throw new Error("there is no entry before this one");
		return path[path.length - 2];
	}
	const entries = session.getEntries().filter((entry) => !isBookkeeping(entry));
	const found = entries.filter(({ id }) => id === name || session.getLabel(id) === name);
	const named = found.length > 0 ? found : entries.filter(({ id }) => `${id}`.startsWith(name));
	if (named.length !== 1)
		throw new Error(named.length > 1 ? `several entries are called ${name}` : `there is no entry ${name}`);
	return named[0];
}

/** sessfs: where it is installed with this file, or in PATH. */
function program(): string {
	const root = fileURLToPath(new URL("../../..", import.meta.url));
	return [join(root, "bin/sessfs"), join(root, "build/sessfs")].find(existsSync) ?? "sessfs";
}

/** Where Pi goes on from, unless that is the beginning. */
function headOf(ctx: ExtensionContext): string | undefined {
	return ctx.sessionManager.getBranch().findLast((entry) => !isBookkeeping(entry))?.id;
}

/** In a timer: what it throws would end Pi, and what an ended session has throws. */
function later(act: () => void, ms = 0): NodeJS.Timeout {
	return setTimeout(() => {
		try {
			act();
		} catch {
			// The file or the session has gone.
		}
	}, ms);
}

/** A prompt with its pictures. */
function contentOf({ text, images }: InputEvent) {
	return images?.length ? [{ type: "text" as const, text }, ...images] : text;
}

function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

export default function (pi: ExtensionAPI) {
	// Two copies, one installed and one given by -e, would both follow.
	if ((lastRead.by ??= import.meta.url) !== import.meta.url)
		return;

	/** Up to here all entries of the file are Pi's, or it has read them. */
	let known = 0;
	let watcher: FSWatcher | undefined;
	let timer: NodeJS.Timeout | undefined;
	/** The command is on its way, or switches. */
	let asked = false;
	/** Does Pi take what the extension sends for a command? */
	let isAble = true;
	/** What was typed meanwhile, which is sent afterwards. */
	const held: InputEvent[] = [];
	/** The records that there are when the user's shell commands have ended. */
	let recordsDue = 0;

	function records(ctx: ExtensionContext): number {
		return ctx.sessionManager.getEntries().filter((entry) => entry.type === "message" && entry.message?.role === "bashExecution").length;
	}

	/** A switch would lose what is queued, and kill a shell command. */
	function isBusy(ctx: ExtensionContext): boolean {
		return !ctx.isIdle() || ctx.hasPendingMessages() || (recordsDue > 0 && records(ctx) < recordsDue);
	}

	/** Entries that Pi does not know, and where the last whole line of the file ends. */
	function foreign(ctx: ExtensionContext): { entries: SessionEntry[]; end: number } {
		const file = ctx.sessionManager.getSessionFile();
		if (!file || !existsSync(file))
			return { entries: [], end: known };
		const { entries, end } = readFrom(file, known);
		const unknown = entries.filter(({ id }) => !ctx.sessionManager.getEntry(id));
		if (unknown.length === 0)
			known = end;
		return { entries: unknown, end };
	}

	function ask() {
		asked = true;
		pi.sendUserMessage(`/${FOLLOW}`, AS_TYPED);
	}

	function look(ctx: ExtensionContext) {
		watchFile(ctx);
		if (asked || !isAble)
			return;
		if (isBusy(ctx))
			lookAfter(ctx, BUSY_MS);
		else if (foreign(ctx).entries.length > 0)
			ask();
	}

	function lookAfter(ctx: ExtensionContext, ms: number) {
		clearTimeout(timer);
		timer = later(() => look(ctx), ms);
	}

	function unwatch() {
		watcher?.close();
		watcher = undefined;
	}

	/** Pi writes the file with its first answer: until then there is nothing to watch. */
	function watchFile(ctx: ExtensionContext) {
		const file = ctx.sessionManager.getSessionFile();
		if (!file || !existsSync(file))
			return;
		try {
			watcher ??= watch(file, (event) => {
				if (event === "rename") { // Another file may be there now.
					unwatch();
					known = 0;
				}
				lookAfter(ctx, SETTLE_MS);
			}).on("error", unwatch);
		} catch {
			// Too many watches: prompts and the ends of runs still look.
		}
	}

	function begin(ctx: ExtensionContext) {
		if (!ctx.hasUI)
			return;
		watchFile(ctx);
		lookAfter(ctx, SETTLE_MS);
	}

	/** One after the other; nobody waits for the answers. */
	async function sendHeld(send: (prompt: InputEvent) => Promise<void>, report: (error: unknown) => void) {
		for (const prompt of held) {
			try {
				await send(prompt);
			} catch (error) {
				report(error); // The next one is sent nevertheless.
			}
		}
	}

	/** Switch to the same file. False if that could not be done; otherwise `ctx` and `pi` have ended. */
	async function follow(ctx: ExtensionCommandContext): Promise<boolean> {
		const file = ctx.sessionManager.getSessionFile();
		if (!file || !existsSync(file))
			return false;
		const { entries, end } = foreign(ctx);
		known = end;
		const why = obstacle(ctx, file);
		if (why) {
			ctx.ui.notify(`sessfs: Pi can't read its session again: ${why}`, "warning");
			return false;
		}
		Object.assign(lastRead, { file, size: end });
		const { cancelled } = await ctx.switchSession(file, {
			withSession: async (fresh) => {
				// The terminal shows this in place of "Resumed session", which comes first.
				later(() => fresh.ui.notify(notice(entries)));
				sendHeld((prompt) => fresh.sendUserMessage(contentOf(prompt), { ...AS_TYPED, deliverAs: "followUp" }),
					(error) => later(() => fresh.ui.notify(reason(error), "error")));
			},
		});
		return !cancelled;
	}

	/** Send in this session what was held. */
	function giveUp() {
		asked = false;
		for (const prompt of held.splice(0))
			pi.sendUserMessage(contentOf(prompt), { ...AS_TYPED, deliverAs: "followUp" });
	}

	pi.registerCommand(FOLLOW, {
		description: "Read the session's file again",
		handler: async (_args, ctx) => {
			asked = true;
			let followed = false;
			try {
				do
					await ctx.waitForIdle();
				while (!ctx.isIdle());
				followed = await follow(ctx);
			} finally {
				if (!followed)
					giveUp();
			}
		},
	});

	pi.registerCommand("head", {
		description: "Go to an entry: ID, LABEL or up",
		handler: async (args, ctx) => {
			await ctx.waitForIdle();
			try {
				const { id } = find(ctx, args.trim());
				if (!(await ctx.navigateTree(id)).cancelled)
					ctx.ui.notify(`HEAD is at ${headOf(ctx) ?? "the beginning"}`);
			} catch (error) {
				ctx.ui.notify(`sessfs: ${reason(error)}`, "error");
			}
		},
	});

	pi.registerCommand("mount", {
		description: "Mount the session with sessfs",
		handler: async (_args, ctx) => {
			const file = ctx.sessionManager.getSessionFile();
			if (!file || !existsSync(file))
				return ctx.ui.notify("sessfs: the session is written to a file with Pi's first answer", "error");
			const { code, stdout, stderr } = await pi.exec(program(), ["open", "--", file]);
			if (code === 0)
				ctx.ui.notify(`mounted: ${stdout.trim()}`);
			else
				ctx.ui.notify(stderr.trim() || "sessfs is not installed", "error");
		},
	});

	pi.on("session_start", (_event, ctx) => {
		lastRead.by = undefined;
		const file = ctx.sessionManager.getSessionFile();
		if (file && existsSync(file))
			known = file === lastRead.file ? lastRead.size : Math.max(0, statSync(file).size - TAIL);
		begin(ctx);
	});
	pi.on("turn_end", (_event, ctx) => begin(ctx));
	pi.on("agent_settled", (_event, ctx) => begin(ctx));
	pi.on("user_bash", ({ cwd }, ctx) => {
		if (existsSync(cwd)) // Otherwise it fails, and there is no record.
			recordsDue = Math.max(recordsDue, records(ctx)) + 1;
	});
	pi.on("session_shutdown", () => {
		clearTimeout(timer);
		unwatch();
	});

	// A prompt belongs to where HEAD is now.
	pi.on("input", (event, ctx) => {
		if (event.text === `/${FOLLOW}`) {
			// Before 0.84.2 Pi does not take it for a command.
			ctx.ui.notify("sessfs: this Pi is too old to follow its session's file", "warning");
			isAble = false;
			giveUp();
			return { action: "handled" };
		}
		if (event.source === "extension" || event.streamingBehavior)
			return;
		if (!asked) {
			if (!ctx.hasUI || !isAble || isBusy(ctx) || foreign(ctx).entries.length === 0)
				return;
			asked = true;
			later(ask); // When this prompt has been dealt with.
		}
		held.push(event);
		return { action: "handled" };
	});

	// Pi moves its head in memory alone. This line below it is what a mount shows.
	pi.on("session_tree", (event) => {
		if (!event.summaryEntry)
			pi.appendEntry(HEAD, { from: event.oldLeafId });
	});
}
