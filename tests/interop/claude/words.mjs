// Conversations in which each answer is the prompt in capitals.

import { blocksOf } from "./oracle.mjs";
import { prompt } from "../server.mjs";

/** A prompt that is answered by the same words in capitals. */
export const says = (words, more = {}) => prompt(words, [{ blocks: [{ type: "text", text: words.toUpperCase() }], ...more }]);

/** Messages in short: the first word of each text. */
export function inShort(messages) {
	const texts = messages.flatMap((message) => blocksOf(message)).filter(({ type }) => type === "text").map(({ text }) => text.trim());
	return texts.filter((text) => !/^<(system-reminder|local-command|command-)/.test(text)).map((text) => text.split(/[\s:]/)[0]).join(" ");
}
