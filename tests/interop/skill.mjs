// The skill that sessfs skill installs, as agents offer it to their models; what its commands
// do is tested in tests/skill.bats.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { Difference, same } from "./compare.mjs";
import { SESSFS } from "./mount.mjs";

export const TEXT = fs.readFileSync(fileURLToPath(new URL("../../mount/share/skill/SKILL.md", import.meta.url)), "utf8");
/** Of a description some show the first sentence, which says when. */
const [, DESCRIPTION] = TEXT.match(/^description: (.*?\.) /m);

/**
 * Once it is installed for `agents` in the home of `env`, ask(), which gives what the agent
 * has said to its model, has the skill in it once, and before that not at all. Gives that text.
 */
export async function checkOffered(agents, env, ask) {
	const offers = (text) => text.split(DESCRIPTION).length - 1;
	same("offers without the skill", offers(await ask()), 0);
	const { status, stderr } = spawnSync(SESSFS, ["skill", "install", ...agents], { env: { PATH: process.env.PATH, ...env }, encoding: "utf8" });
	if (status !== 0)
		throw new Difference(`sessfs skill: ${stderr}`);
	const text = await ask();
	same("offers", offers(text), 1);
	return text;
}
