// The real oh-my-pi: what it makes of a session file. Its code needs bun.

import { contextText } from "../layout.mjs";
import { Session } from "../session.mjs";
import { NAME } from "./program.mjs";

const packages = new URL("node_modules/@oh-my-pi/", import.meta.url);
const source = new URL("pi-coding-agent/src/session/", packages);

const { BlobStore, lazyImageDataSync } = await import(new URL("blob-store.ts", source));
const { convertToLlm } = await import(new URL("messages.ts", source));
const { buildSessionContext } = await import(new URL("session-context.ts", source));
export const { FileSessionStorage } = await import(new URL("session-storage.ts", source));
export const { SessionManager } = await import(new URL("session-manager.ts", source));
export const { serializeTitleSlot } = await import(new URL("session-title-slot.ts", source));
const { getBlobsDir } = await import(new URL("pi-utils/src/dirs.ts", packages));

class OmpSession extends Session {
	constructor(manager) {
		const entries = manager.getEntries();
		super(new Map(entries.map((entry) => [entry.id, entry])), entries);
		this.manager = manager;
		this.cutCycles();
	}

	/**
	 * omp walks a cycle once around, from wherever it begins; sessfs needs a
	 * tree, and cuts at the first entry in file order. The rest is
	 * compared on what that leaves.
	 */
	cutCycles() {
		for (const id of this.ids) {
			const seen = new Set();
			let at = id;
			while (at !== null && !seen.has(at)) {
				seen.add(at);
				at = this.parent(at);
			}
			if (at === id)
				this.byId.get(id).parentId = null;
		}
	}

	leaf() {
		return this.manager.getLeafId();
	}

	path(id) {
		return id === null ? [] : this.manager.getBranch(id).map((entry) => entry.id);
	}

	built(id) {
		const blobs = new BlobStore(getBlobsDir());
		return buildSessionContext(this.entries, id, this.byId, { resolveFrameData: (data) => lazyImageDataSync(blobs, data) });
	}

	context(id) {
		const json = JSON.parse(JSON.stringify(convertToLlm(this.built(id).messages)));
		return { json, text: contextText(json) };
	}

	label(id) {
		return this.manager.getLabel(id);
	}

	info() {
		const { models, thinkingLevel } = this.built(this.leaf());
		const model = String(models.default ?? "") || undefined;
		return { name: this.manager.getSessionName() || undefined, model, thinking: thinkingLevel };
	}
}

export const omp = {
	name: NAME,

	/** Opened for reading, or to append to by its `manager`. */
	async open(file) {
		return new OmpSession(await SessionManager.open(file, undefined, undefined, { suppressBreadcrumb: true }));
	},
};

/** Put blobs where omp, and sessfs, look for them: HOME decides. */
export function storeBlobs(blobs) {
	const store = new BlobStore(getBlobsDir());
	for (const blob of blobs)
		store.putSync(blob);
}
