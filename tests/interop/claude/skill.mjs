// The real Claude Code offers the skill to its model, which loads it.

import { Difference } from "../compare.mjs";
import { checkOffered, TEXT } from "../skill.mjs";
import { Home, NAME, run } from "./agent.mjs";
import { call, say } from "./steps.mjs";

await Home.with(async (home) => {
	/** The last request that has a prompt. */
	const ask = async (steps) => {
		const { requests, err } = await run(home, ["-p", "--dangerously-skip-permissions", say(steps)]);
		const last = requests.findLast(({ body }) => JSON.stringify(body?.messages ?? "").includes("@@"));
		if (!last)
			throw new Difference(`nothing was asked: ${err}`);
		return last.body;
	};
	const textOf = ({ messages, system }) => [...messages.flatMap(({ content }) => content), ...system].map((block) => block.text ?? block).join("\n");
	await checkOffered(["claude"], { HOME: home.home }, async () => textOf(await ask(["ok"])));
	const { messages } = await ask([[call("Skill", { skill: "sessfs" })], "ok"]);
	const [, body] = TEXT.match(/^---\n[^]*?\n---\n+([^]*?)\s*$/);
	if (!JSON.stringify(messages).includes(JSON.stringify(body).slice(1, -1)))
		throw new Difference("the loaded skill is not what SKILL.md says");
	console.log(`interop: ${NAME} offers the skill, and its model loads it`);
});
