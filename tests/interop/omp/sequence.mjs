// What is oh-my-pi's own in a session that is written wholly through its mount.

import { Difference, same } from "../compare.mjs";
import { Random } from "../random.mjs";
import { Sequence } from "../sequence.mjs";
import { hasCost, isText, must, should, Verdicts } from "../verdict.mjs";
import { serializeTitleSlot } from "./agent.mjs";
import { OmpGenerator } from "./gen.mjs";

const ROLES = ["user", "developer", "assistant", "toolResult", "bashExecution", "pythonExecution", "custom", "hookMessage", "fileMention"];
const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0.25 } };
const SLOT = 256;
/** A title slot has room for this much; for more it depends on how its time is written. */
export const NAME_KEPT = 150;

const taken = () => must(true);
const VERDICTS = new Verdicts(ROLES, {
	thinking_level_change: ({ thinkingLevel, configured }) => should(isText(thinkingLevel ?? "off") && isText(configured ?? "auto")),
	model_change: ({ model, role }) => should(isText(model) && isText(role ?? "default")),
	model_usage: ({ usage }) => should(hasCost(usage)),
	reset_boundary: taken,
	mode_change: taken,
	ttsr_injection: taken,
	session_init: taken,
	credential_pin: taken,
	title_change: taken,
});

function slotSize(bytes) {
	return bytes.indexOf('{"type":"title"') === 0 ? SLOT : 0;
}

/** As omp keeps a title. */
function cleaned(text) {
	return text.replace(/ +/g, " ").trim();
}

export class OmpSequence extends Sequence {
	verdicts = VERDICTS;

	/** One in two has no title slot, until a name is set. */
	static header(seed) {
		const slot = new Random(seed).chance(0.5) ? serializeTitleSlot({ title: "Slotted", updatedAt: "2026-03-01T10:00:00.000Z" }) : "";
		return Buffer.concat([Buffer.from(slot), super.header(seed, { title: "A title" })]);
	}

	generator(seed) {
		return Object.assign(new OmpGenerator(seed, false), { linear: false });
	}

	strip(fields) {
		if (fields.type === "model_usage" && this.random.chance(0.8))
			fields.usage = USAGE;
		return super.strip(fields);
	}

	refused() {
		return [
			{ role: "developer" }, { role: "developer", content: [null] }, { role: "fileMention" }, { role: "fileMention", files: "x" },
			{ role: "pythonExecution" }, { role: "bashExecution" }, { role: "user", steering: true },
			{ type: "model_usage", purpose: "title", provider: "p", model: "m", usage: { input: 1 } },
			...[undefined, null, 5, {}].map((injectedRules) => ({ type: "ttsr_injection", injectedRules })),
		];
	}

	/** The header comes behind a title slot, if there is one. */
	entryBytes(bytes) {
		return super.entryBytes(bytes.subarray(slotSize(bytes)));
	}

	// Names

	/** A name is in the slot, which is put there if there was none. */
	appended(bytes) {
		if (!this.isNaming || bytes.equals(this.bytes))
			return super.appended(bytes);
		const size = slotSize(bytes);
		same("size of the slot", size, SLOT);
		const kept = this.bytes.subarray(slotSize(this.bytes));
		if (!bytes.subarray(size, size + kept.length).equals(kept))
			throw new Difference("bytes behind the slot have changed");
		return bytes.subarray(size + kept.length);
	}

	nameEntry(text) {
		return text ? { type: "title_change", title: cleaned(text), source: "user" } : { type: "title_change" };
	}

	/** An empty name is in the slot only; a long one is cut there. */
	checkNamed(text, shown, added) {
		const most = text === "" ? 0 : 1;
		if (added.length > most)
			throw new Difference(`${added.length} entries say so`);
		if (text.length <= NAME_KEPT)
			same("name", shown, cleaned(text));
		else
			same("a long name", text.startsWith(shown) && shown.length >= NAME_KEPT, true);
	}
}
