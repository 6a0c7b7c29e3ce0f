// Mount random chats, and compare context.json with what Qwen Code posts when it goes on:
// at the tip, from branches of random entries, after HEAD was moved, after lines were
// written to `append`, and after a new name.

import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Difference } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { forEachSeed } from "../seeds.mjs";
import { JOBS, VERSION, withAgents } from "./agent.mjs";
import { PLANS, SESSION, generate } from "./gen.mjs";

const counts = { tip: 0, branch: 0, move: 0, append: 0, name: 0, plans: 0 };

function contextAt(mount, folder) {
	return JSON.parse(mount.read(`${folder}context.json`));
}

/** What the agent sends of these bytes, under another id, is what the mount shows. */
async function compare(agent, bytes, context, what) {
	const id = randomUUID();
	const [from, to] = [agent.plan(SESSION), agent.plan(id)];
	const shown = JSON.parse(JSON.stringify(context).replaceAll(from, to));
	agent.put(id, bytes);
	fs.copyFileSync(from, to);
	const { messages, error } = await agent.goOn(id);
	fs.rmSync(agent.file(id));
	fs.rmSync(to);
	if (!isDeepStrictEqual(messages ?? [], shown))
		throw new Difference(`${what}: the agent sends ${error ?? JSON.stringify(messages, null, 1)}\nand context.json has ${JSON.stringify(shown, null, 1)}`);
	counts.plans += JSON.stringify(shown).includes(to);
	counts[what.split(" ")[0]]++;
}

/** A change of the session through the mount; what it shows then, with the file's bytes. */
async function change(agent, random, file, what) {
	return Mount.with(file, path.join(agent.home, "mnt"), (mount) => {
		const entry = random.pick(mount.list("by-id"));
		if (what === "move") {
			fs.rmSync(mount.path("HEAD"));
			fs.symlinkSync(`by-id/${entry}`, mount.path("HEAD"));
		} else if (what === "append") {
			fs.appendFileSync(mount.path("append"), `${JSON.stringify({ role: random.pick(["user", "assistant"]), content: "appended" })}\n`);
		} else {
			fs.writeFileSync(mount.path("name"), "A new name");
		}
		return [fs.readFileSync(file), contextAt(mount, "")];
	});
}

await withScratch((scratch) => withAgents(JOBS, scratch, (lend) => forEachSeed((seed) => lend(async (agent) => {
	const random = new Random(seed);
	const file = agent.file(SESSION);
	agent.put(SESSION, generate(seed));
	fs.mkdirSync(path.dirname(agent.plan(SESSION)), { recursive: true });
	fs.writeFileSync(agent.plan(SESSION), random.pick(PLANS));
	const [tip, name, branch, inner] = await Mount.with(file, path.join(agent.home, "mnt"), (mount) => {
		const entry = random.pick(mount.list("by-id"));
		return [contextAt(mount, ""), entry, mount.read(`by-id/${entry}/branch.jsonl`), contextAt(mount, `by-id/${entry}/`)];
	});
	await compare(agent, fs.readFileSync(file), tip, "tip");
	await compare(agent, branch, inner, `branch of ${name}`);
	const what = random.pick(["move", "append", "name"]);
	const [bytes, shown] = await change(agent, random, file, what);
	await compare(agent, bytes, shown, what);
}), (n) => `${n} chats of Qwen Code ${VERSION}: ${JSON.stringify(counts)} contexts compared`, { jobs: JOBS })));
