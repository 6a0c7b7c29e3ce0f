// The real Claude Code offers the skill to its model, which loads it and runs its
// commands as they are written: they find what was said in a past session.

import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { calls, commandsOf, expectOutputs, install, PAST, resultsOf, TEXT, withPrograms } from "../skill.mjs";
import { Home, run } from "./agent.mjs";
import { forEach, VERSIONS } from "./compare.mjs";

async function looksBack(home, version) {
	const env = withPrograms(home.dir, {});
	install("claude", { ...env, HOME: home.home });
	/** Say something: the messages of the last request that has it. */
	const say = async (text, args = []) => {
		const { requests, err } = await run(home, version, ["-p", "--dangerously-skip-permissions", ...args, text], { env });
		const last = requests.findLast(({ body }) => JSON.stringify(body?.messages ?? "").includes("@@"));
		if (!last)
			throw new Difference(`nothing was asked: ${err}`);
		return last.body;
	};
	const called = async (name, inputs) => {
		const { messages } = await say(calls(`use ${name}`, name, inputs), ["--continue"]);
		return { messages, results: resultsOf(messages).slice(-inputs.length) };
	};

	const asked = await say(PAST);
	const [, description] = TEXT.match(/^description: (.{80})/m);
	if (!JSON.stringify(asked).includes(`sessfs: ${JSON.stringify(description).slice(1, -1)}`))
		throw new Difference("the skill is not offered");
	const { messages } = await called("Skill", [{ skill: "sessfs" }]);
	const commands = commandsOf(TEXT);
	for (const command of commands) {
		if (!JSON.stringify(messages).includes(JSON.stringify(command).slice(1, -1)))
			throw new Difference(`the loaded skill does not have ${command}`);
	}
	const { results } = await called("Bash", commands.map((command) => ({ command, description: "look back" })));
	expectOutputs(commands, results);
	same("what is left in the folder of skills", fs.readdirSync(path.join(home.home, ".claude/skills")), ["sessfs"]);
}

await forEach(VERSIONS, (version) => Home.with((home) => looksBack(home, version)).catch((e) => {
	process.exitCode = 1;
	console.error(`interop: VERSIONS=${version}: ${e.message}`);
}));
console.log(`interop: Claude Code ${VERSIONS.join(" and ")} looks back with the skill`);
