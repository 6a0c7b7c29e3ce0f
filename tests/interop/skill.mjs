// The skill that sessfs skill installs, as an agent's model uses it.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Difference } from "./compare.mjs";
import { SESSFS } from "./mount.mjs";
import { prompt } from "./server.mjs";

export const TEXT = fs.readFileSync(fileURLToPath(new URL("../../mount/share/skill/SKILL.md", import.meta.url)), "utf8");

/** What a past session has: the skill's commands search for this word. */
export const PAST = prompt("Why the timeout?", ["The timeout is too short."]);

/** Variables with which a shell has the programs, as if they were installed. */
export function withPrograms(dir, env) {
	const bin = path.join(dir, "bin");
	const run = path.join(dir, "run");
	fs.mkdirSync(bin);
	fs.symlinkSync(SESSFS, path.join(bin, "sessfs"));
	fs.mkdirSync(run, { recursive: true, mode: 0o700 });
	return { ...env, PATH: `${bin}:${process.env.PATH}`, XDG_RUNTIME_DIR: run };
}

export function install(agent, env) {
	const { status, stderr } = spawnSync(SESSFS, ["skill", "install", agent], { env, encoding: "utf8" });
	if (status !== 0)
		throw new Difference(`sessfs skill: ${stderr}`);
}

/** The commands in the skill's blocks of code, one a line. */
export function commandsOf(text) {
	return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block.trimEnd().split("\n"));
}

/** What the output of a command holds, by something in the command. */
const EXPECTED = [
	[/^sessfs grep .*-l/, /^\/.*\.jsonl$/m],
	[/^sessfs grep/, /\/by-id\/[^/]+\/content:1:Why the timeout\?/],
	[/^sessfs open -l/, /^(pi|omp|claude)\t2\S+Z\t\/.*\.jsonl\t.*Why the timeout\?/m],
	[/^sessfs log --tree/, /^\S+ assistant +The timeout is too short\./m],
	[/info"$/, /^dialect: (pi|omp|claude)$/m],
	[/tree\.txt"/, /^\S+ user +Why the timeout\?/m],
	[/ls "\$m\/path"/, /^\d{4}-assistant-The-timeout-is-too-short$/m],
	[/path\/0002-/, /./],
	[/lines\.txt"/, /^by-id\/[^/]+\/content:1:The timeout is too short\.$/m],
	[/HEAD\/content"$/, /^type: [^]*timestamp: /m],
	[/context\.txt"$/, /^\d+ \/.*\/context\.txt\n./],
	// The agent appends meanwhile, so HEAD may have to be moved back.
	[/sessfs resume/, /\b(pi|omp|claude) --(session|resume|fork) /],
	[/^fusermount3/, /^(\(no output\)|\(Bash completed with no output\)|)$/],
];

/** Fails unless each command's output is what the skill promises. */
export function expectOutputs(commands, outputs) {
	if (commands.length < 12 || outputs.length !== commands.length)
		throw new Difference(`${outputs.length} results of ${commands.length} commands`);
	for (const [i, command] of commands.entries()) {
		const [, expected] = EXPECTED.find(([pattern]) => pattern.test(command)) ?? [];
		if (!expected?.test(outputs[i].trim()))
			throw new Difference(`${command}: ${outputs[i]}`);
	}
}

/** The texts of the results in a request's messages, the failed ones marked. */
export function resultsOf(messages) {
	const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join("\n"));
	return messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
		.filter(({ type }) => type === "tool_result")
		.map(({ content, is_error: failed }) => (failed ? `failed: ${textOf(content)}` : textOf(content)));
}

/** A prompt at which the model calls a tool for each input. */
export function calls(text, name, inputs) {
	return prompt(text, inputs.map((input) => [{ type: "tool_use", name, input }]));
}
