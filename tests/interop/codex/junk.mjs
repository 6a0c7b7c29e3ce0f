// Lines of a rollout that the agent skips.

const TIME = "2026-11-25T10:00:00.000Z";

function message(text, rest = "") {
	return `{"timestamp":"${TIME}","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"${text}"}]${rest}}}`;
}

function nested(levels) {
	return message("deep", `,"x":${"[".repeat(levels)}${"]".repeat(levels)}`);
}

/** Texts, and bytes as Latin-1 has them. */
export const JUNK = [
	"{\"torn", "", "   ", "\t", "{}", "null", "[1,2]", "\"text\"", "junk", "}{", `\xef\xbb\xbf${message("mark")}`, `${message("one")}${message("two")}`,
	message("half \\ud800"), message("half \\udc00"), message("name", ",\"\\ud83d\":1"), message("whole \\ud83d\\ude00"),
	nested(124), nested(125), nested(126), nested(127), nested(200),
	message("number", ",\"x\":1e999"), message("control \x01"), message("NUL \x00"), message("escaped \\u0000"), `  ${message("spaces")}  `, `${message("return")}\r`,
	"{\"timestamp\":\"x\",\"type\":\"response_item\",\"payload\":null}", "{\"timestamp\":\"x\",\"type\":\"newtype\",\"payload\":{}}",
	"{\"timestamp\":5,\"type\":\"compacted\",\"payload\":{\"message\":\"m\"}}", "{\"timestamp\":\"x\",\"type\":\"compacted\",\"payload\":{}}",
	"{\"timestamp\":\"x\",\"type\":\"compacted\",\"payload\":{\"message\":\"m\",\"replacement_history\":[{\"type\":\"message\"}]}}",
];

/** The agent refuses a legacy thread that has such bytes. */
export const NO_UTF8 = ["\xff", message("\xc3("), message("\xed\xa0\x80"), message("cut \xe2\x82")];
