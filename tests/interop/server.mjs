// A fake Messages API in this process.
//
// Its answers need no state: the conversation says what to answer. If the newest
// typed text of a user holds @@[STEP, STEP, ...]@@ (JSON), the answer to it is the
// first STEP, the answer to the results of that is the second, and so on. A STEP is
// an array of blocks, a string (one block of text), or an object,
// { blocks, delay_ms, stop, usage } or { error: status, message }. Without steps, or
// after the last, the answer is "ok", or the step that otherwise() gives for the
// messages. A request for a summary gets SUMMARY.

import { createHash } from "node:crypto";
import { createServer } from "node:http";

const SUMMARY = "SUM";

const ASKS_FOR_SUMMARY = /detailed summary of (the|this|our) (conversation|RECENT)|CRITICAL: Respond with TEXT ONLY/i;

/** A prompt for which these are the answers. */
export function prompt(text, steps) {
	// One may hold another, of a subagent, whose marks are escaped.
	return `${text} @@${JSON.stringify(steps).replaceAll("@@", "\\u0040\\u0040")}@@`;
}

function textOf({ content }) {
	return typeof content === "string" ? content : content.filter(({ type }) => type === "text").map(({ text }) => text).join("\n");
}

function hasResults({ content }) {
	return Array.isArray(content) && content.some(({ type }) => type === "tool_result");
}

function stepOf(messages) {
	for (let i = messages.length - 1; i >= 0; i--) {
		if (messages[i].role !== "user")
			continue;
		const steps = textOf(messages[i]).match(/@@(\[[\s\S]*?\])@@/g);
		if (steps) {
			const taken = messages.slice(i + 1).filter(({ role }) => role === "assistant").length;
			return JSON.parse(steps.at(-1).slice(2, -2))[taken];
		}
		if (!hasResults(messages[i]))
			return undefined;
	}
	return undefined;
}

function asBlocks(step) {
	if (typeof step === "string")
		return { blocks: [{ type: "text", text: step }] };
	return Array.isArray(step) ? { blocks: step } : step;
}

function stepFor({ messages }, otherwise) {
	const last = messages.findLast(({ role }) => role === "user");
	if (last && ASKS_FOR_SUMMARY.test(textOf(last)))
		return asBlocks(`<analysis>a</analysis>\n<summary>\n${SUMMARY}\n</summary>`);
	const step = asBlocks(stepOf(messages) ?? otherwise(messages));
	// Calls get ids by their place, so that those of two turns differ.
	const identified = (block, i) => (block.type === "tool_use" ? { id: `toolu_${String(messages.length).padStart(4, "0")}_${i}`, ...block } : block);
	return { ...step, blocks: step.blocks?.map(identified) };
}

function messageOf(body, { blocks, stop, usage }) {
	const digest = createHash("sha1").update(JSON.stringify(body.messages)).digest("hex").slice(0, 20);
	const calls = blocks.some(({ type }) => type === "tool_use");
	return {
		id: `msg_${digest}`, type: "message", role: "assistant", model: body.model, content: blocks,
		stop_reason: stop ?? (calls ? "tool_use" : "end_turn"), stop_sequence: null,
		usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5, ...usage },
	};
}

const EMPTY = { text: { text: "" }, thinking: { thinking: "", signature: "" }, tool_use: { input: {} } };

function deltasOf(block) {
	return {
		text: ({ text }) => [{ type: "text_delta", text }],
		thinking: ({ thinking, signature = "AA==" }) => [{ type: "thinking_delta", thinking }, { type: "signature_delta", signature }],
		tool_use: ({ input = {} }) => [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
	}[block.type]?.(block) ?? [];
}

async function stream(response, message, delay = 0) {
	const send = (type, rest) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
	response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${message.id}` });
	send("message_start", { message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } } });
	for (const [index, block] of message.content.entries()) {
		send("content_block_start", { index, content_block: { ...block, ...EMPTY[block.type] } });
		for (const delta of deltasOf(block))
			send("content_block_delta", { index, delta });
		send("content_block_stop", { index });
		await new Promise((done) => { setTimeout(done, delay); });
	}
	send("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: message.usage });
	send("message_stop", {});
	response.end();
}

/** Serve on a port of this machine: answer(url, body, response) gets what is posted, parsed, or null. Gives { port, close }. */
export function serveJson(answer) {
	return new Promise((done) => {
		const server = createServer(async (request, response) => {
			// A character may be in two parts.
			request.setEncoding("utf8");
			let text = "";
			for await (const part of request)
				text += part;
			try {
				await answer(request.url, text === "" ? null : JSON.parse(text), response);
			} catch {
				response.destroy();
			}
		});
		server.listen(0, "127.0.0.1", () => done({
			port: server.address().port,
			close: () => {
				server.closeAllConnections();
				server.close();
			},
		}));
	});
}

/** The steps of a prompt, where a model has no answers but these. */
export const stepsIn = (prompt) => JSON.parse(prompt.match(/@@(\[[\s\S]*?\])@@/)[1]);

function serve(url, body, response, onRequest, otherwise) {
	const json = (status, value) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
	const error = (status, type, message) => json(status, { type: "error", error: { type, message } });
	const seen = { url, body };
	onRequest(seen);
	if (url.includes("count_tokens"))
		return json(200, { input_tokens: 10 });
	if (!url.startsWith("/v1/messages") || !body?.messages)
		return error(404, "not_found_error", "fake");
	const step = stepFor(body, otherwise);
	if (step.error)
		return error(step.error, "invalid_request_error", step.message ?? "fake");
	const message = messageOf(body, step);
	seen.answer = message.id;
	return body.stream ? stream(response, message, step.delay_ms) : json(200, message);
}

/**
 * Serve until close() is called: { port, close }. Of each request onRequest() gets
 * { url, body }, to which the id of the message that is the `answer` is added.
 */
export function start(onRequest, otherwise = () => "ok") {
	return serveJson((url, body, response) => serve(url, body, response, onRequest, otherwise));
}
