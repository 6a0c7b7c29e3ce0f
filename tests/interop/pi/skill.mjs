// The real Pi offers the skill to its model, which reads it where it is said to be.

import fs from "node:fs";
import { same } from "../compare.mjs";
import { withScratch } from "../mount.mjs";
import { checkOffered, TEXT } from "../skill.mjs";
import { NAME } from "./agent.mjs";
import { Home, Rpc } from "./program.mjs";

await withScratch((scratch) => Home.with(scratch, async (home) => {
	const system = await checkOffered(["pi"], home.env, async () => {
		await Rpc.with(home, [], (pi) => pi.say("look back"));
		return home.requests.at(-1).body.system.map(({ text }) => text).join("\n");
	});
	const [, location] = system.match(/<name>sessfs<\/name>[^]*?<location>(.*?)<\/location>/);
	same("the skill that the model is to read", fs.readFileSync(location, "utf8"), TEXT);
	console.log(`interop: ${NAME} offers the skill`);
}));
