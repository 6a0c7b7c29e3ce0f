// What oh-my-pi's messages and compactions are made of: pictures in and out of
// the blob store, Markdown that its templates tidy up, notices of cut output.

import { createHash } from "node:crypto";
import { Generator, PICTURE } from "../generator.mjs";

/** Data that sessions keep beside them. The last is more than a request may have. */
export const BLOBS = [
	Buffer.from(PICTURE, "base64"), Buffer.from(`data:image/png;base64,${PICTURE}`), Buffer.from(""),
	Buffer.from("c3280afff0", "hex"), Buffer.alloc(3001, "blob"), Buffer.alloc(2_400_000, 7),
];
const REFS = BLOBS.map((blob) => `blob:sha256:${createHash("sha256").update(blob).digest("hex")}`);
const BIG_REF = REFS.pop();
const UNKNOWN_REFS = [
	`blob:sha256:${"0".repeat(64)}`, `blob:sha256:${"A".repeat(64)}`, "blob:sha256:", "blob:sha256:../../auth.json",
	`${REFS[0]}0`, ` ${REFS[0]}`, REFS[0].toUpperCase(),
];

/** Lines that prompt.format() has rules for, and some that it has none for. */
const LINES = [
	"", "", "", " ", "\t", "\u00a0", "\u2003", "\r", "plain", "trailing  ", "trailing\t", "trailing\u00a0", "  indented",
	"word \ud83d", "```", "```js", "  ```", "~~~", "`code`", "| a  |  b |", "|a|", "||", "| --- | :--: |", "|:-|-:|", "  | x | y |",
	"|---|", "|  |", "| a", "<files>", "</files>", "  </files>", "<read-files attr=\"1\">", "</read-files>", "<br/>", "</a b>", "<A>", "<ab\u2003x>",
	"</summary>", "</ab>\u2003", "<!-- note -->", "<!--", "-->", "a -> b ... c", "x != y <= z", "MUST NOT, SHOULD NOT, **NEVER**", "`MUST NOT`",
	"{{notes}}", "{{/if}}", "{{#if x}}", "\\{{x}}", "&lt; & \"q\" 'a'", "# head", "- item", "long é😀 line", "\u000bvt\u000b", "\ufefftext\ufeff",
];
const ARCHIVE_PARTS = [
	"old text", "\u2588", "\u000edim\u000f", "\n", " ", "data:image/png;base64,iVBORw0KGgo=", "DATA:text/plain;charset=utf-8;base64,QUJD",
	`![shot](data:image/png;base64,${PICTURE})`, "[a](data:image/png;base64,abc )", "[x] (data:image/gif;base64,", "](data:a/b;base64,QQ==",
	`data:image/png;base64,${PICTURE.slice(0, 30)} […120ch elided…] QUJD`, "data:image/png;base64,QUJD [...7ch elided...]", "data:image/png", "é😀",
];
const COUNTS = [0, 1, 2, 40, 999, 1000, 1234567];
const SIZES = [0, 1, 1023, 1024, 1536, 1048575, 1048576, 51200, 5e9];

export class OmpValues extends Generator {
	markdown() {
		const r = this.random;
		return r.chance(0.15) ? r.pick(["", "one line", " ", "\n"]) : r.some(12, () => r.pick(LINES)).join("\n");
	}

	/** Of {key: make}, each with this chance. */
	subset(chance, makers) {
		const kept = Object.entries(makers).filter(() => this.random.chance(chance));
		return Object.fromEntries(kept.map(([key, make]) => [key, make()]));
	}

	// Pictures

	ref() {
		return this.random.pick(this.random.chance(0.7) ? REFS : UNKNOWN_REFS);
	}

	data() {
		return this.random.chance(0.5) ? PICTURE : this.ref();
	}

	image() {
		const r = this.random;
		return {
			type: "image", data: this.data(), mimeType: r.pick(["image/png", "image/jpeg", "x"]),
			detail: r.pick([undefined, undefined, "high"]),
		};
	}

	/** Values where omp puts blobs back, and some where it does not. */
	attachments() {
		return this.subset(0.35, {
			images: () => [this.image(), { data: this.data(), mimeType: "IMAGE/png" }, { data: this.ref(), mimeType: "text/x" }],
			frames: () => [[{ data: this.ref(), mimeType: "image/png" }], { frames: this.image() }],
			content: () => [this.image(), { data: this.ref(), mimeType: "image/png" }, { content: this.image() }, this.ref()],
			image: () => this.image(),
			image_url: () => this.ref(),
			items: () => this.historyItems(),
			"10": () => 1,
		});
	}

	historyItems() {
		const r = this.random;
		return r.some(3, () => r.pick([
			{ type: "image_generation_call", id: "ig", result: this.data() },
			{ type: "message", role: "user", content: [{ type: "input_image", image_url: this.ref() }] },
			{ type: "message", role: "user", content: [{ type: "input_text", text: this.text() }] },
			{ type: "reasoning", id: "rs", summary: [], encrypted_content: "opaque" },
			{ type: "image_generation_call", result: null, image_url: { url: this.ref() } },
		]));
	}

	// Notices

	truncation() {
		const r = this.random;
		const range = () => ({ start: r.int(9), end: r.int(99) });
		return {
			direction: r.pick(["head", "tail", "middle"]), truncatedBy: r.pick(["lines", "bytes", "middle"]),
			totalLines: r.pick(COUNTS), totalBytes: r.pick(SIZES), outputLines: r.pick(COUNTS), outputBytes: r.pick(SIZES),
			...this.subset(0.4, {
				maxBytes: () => r.pick(SIZES), shownRange: range, headRange: range, tailRange: range, elidedBytes: () => r.pick(SIZES),
				elidedLines: () => r.pick(COUNTS), artifactId: () => r.pick(["7", "", null]), nextOffset: () => r.pick([0, 41, null]),
				partialLine: () => r.chance(0.7),
			}),
		};
	}

	limits() {
		const r = this.random;
		const limit = () => r.pick([{ reached: 100, suggestion: 200 }, { reached: 1, suggestion: 2 }, null]);
		return this.subset(0.4, {
			matchLimit: limit, resultLimit: limit, headLimit: limit, columnTruncated: () => ({ maxColumn: r.pick(COUNTS), unit: r.pick([undefined, null, "bytes", "chars"]), artifactId: r.pick([undefined, null, "7", ""]) }),
		});
	}

	/** What was left out of an output. */
	meta() {
		const r = this.random;
		if (r.chance(0.6))
			return r.pick([undefined, undefined, null]);
		return this.subset(0.5, {
			truncation: () => this.truncation(),
			limits: () => this.limits(),
			source: () => ({ type: r.pick(["path", "report"]), value: r.pick(["x", undefined]) }),
			artifactError: () => r.pick(["open", "write", "", null]),
		});
	}

	// Archives of snapcompact

	frame() {
		const r = this.random;
		const shape = { font: "8x8", variant: r.pick([undefined, "v"]) };
		const data = r.chance(0.1) ? r.pick([BIG_REF, "", undefined]) : this.data();
		const sizes = r.chance(0.03) ? { cols: "1", rows: null } : { cols: 10, rows: 10, chars: 100 };
		return { data, mimeType: r.chance(0.97) ? "image/png" : undefined, ...sizes, ...shape, detail: r.pick([undefined, "high", ""]) };
	}

	archiveText() {
		const r = this.random;
		return r.some(6, () => r.pick(ARCHIVE_PARTS)).join("");
	}

	archive() {
		const r = this.random;
		const count = r.chance(0.2) ? 15 + r.int(6) : r.int(4);
		const frames = Array.from({ length: count }, () => this.frame());
		return {
			frames: r.chance(0.9) ? frames : r.pick([undefined, null, {}, [null, 5]]), totalChars: 5000,
			truncatedChars: r.pick([0, 5, 2_000_000, undefined]),
			...this.subset(0.5, { text: () => this.archiveText(), textHead: () => this.archiveText(), textTail: () => this.archiveText() }),
		};
	}
}
