// Pictures and sounds of random threads, whole and broken, with labels of their own and those
// of others: what a case of the corpus has of them.

import fs from "node:fs";
import path from "node:path";
import { casesOf } from "../corpus.mjs";

const { folder } = casesOf("codex").find(({ rule }) => rule === "media-of-the-user");
const lines = fs.readFileSync(path.join(folder, "in.jsonl"), "utf8").trimEnd().split("\n");
const parts = lines.flatMap((line) => JSON.parse(line).payload.content ?? []);

/** Parts of contents. */
export const PICTURES = parts.filter(({ type }) => type === "input_image");
export const SOUNDS = parts.filter(({ type }) => type === "input_audio");
