// The real Pi offers the skill to its model, which reads it and runs its commands as
// they are written: they find what was said in a past session.

import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { calls, commandsOf, expectOutputs, install, PAST, resultsOf, TEXT, withPrograms } from "../skill.mjs";
import { NAME } from "./agent.mjs";
import { Home, Rpc } from "./program.mjs";

/** Where the system prompt says that the skill is. */
function offered(home) {
	const { system } = home.requests.at(-1).body;
	const [, location] = JSON.stringify(system).match(/<name>sessfs<\/name>.*?<location>(.*?)<\/location>/) ?? [];
	if (!location)
		throw new Difference("the system prompt has no skill of sessfs");
	return location;
}

/** Let the model call a tool for each input: the results. */
async function called(home, pi, name, inputs) {
	await pi.say(calls(`use ${name}`, name, inputs));
	return resultsOf(home.requests.at(-1).body.messages).slice(-inputs.length);
}

async function looksBack(home) {
	const env = withPrograms(home.home, home.env);
	Object.defineProperty(home, "env", { value: env });
	install("pi", env);
	await Rpc.with(home, [], (pi) => pi.say(PAST));
	await Rpc.with(home, ["--continue"], async (pi) => {
		await pi.say("look back");
		const location = offered(home);
		same("where the skill is", location, path.join(home.home, ".pi/agent/skills/sessfs/SKILL.md"));
		const [skill] = await called(home, pi, "read", [{ path: location }]);
		same("the skill as the model reads it", skill.trimEnd(), TEXT.trimEnd());
		const commands = commandsOf(skill);
		expectOutputs(commands, await called(home, pi, "bash", commands.map((command) => ({ command }))));
		console.log(`interop: ${NAME} looks back with the skill, ${commands.length} commands`);
	});
}

await withScratch((scratch) => Home.with(scratch, looksBack));
