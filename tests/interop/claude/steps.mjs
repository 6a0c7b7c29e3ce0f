// What sessions are made of: prompts, with the steps of the answers to them.

import { prompt } from "../server.mjs";

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
export const STREAM = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
export const say = (steps) => prompt("go", steps);
/** A prompt that is answered by the same words in capitals. */
export const says = (words) => prompt(words, [words.toUpperCase()]);
export const call = (name, input) => ({ type: "tool_use", name, input });
export const bash = (command, more = {}) => call("Bash", { command, description: "d", ...more });
export const text = (words) => ({ type: "text", text: words });
export const thinking = (words) => ({ type: "thinking", thinking: words, signature: "c2ln" });
/** A prompt as a line of a stream, or several. */
export const typed = (content) => `${JSON.stringify({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" })}\n`;
