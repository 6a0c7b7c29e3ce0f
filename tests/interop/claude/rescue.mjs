// Damage random transcripts, rescue them, and have Claude Code resume what comes of it.
// VERSIONS="V ..." are the agents.

import fs from "node:fs";
import path from "node:path";
import { withScratch } from "../mount.mjs";
import { Random } from "../random.mjs";
import { damage, isWhole, rescue } from "../rescue.mjs";
import { forEachSeed } from "../seeds.mjs";
import { linesOf } from "./agent.mjs";
import { sameContext, sessfs, VERSIONS } from "./compare.mjs";
import { resume } from "./oracle.mjs";
import { answer, file, line, ofVersion, user } from "./transcript.mjs";

/** A conversation with branches and sidechains. */
function lines(r) {
	const list = [], turns = 4 + r.int(8);
	let last = null, n = 0;
	const add = (make, text) => {
		n++;
		list.push(make(n, last, text));
		last = n;
	};
	for (let turn = 0; turn < turns; turn++) {
		if (turn > 1 && r.chance(0.15))
			last = 1;
		add(user, `question ${turn}`);
		add(answer, `answer ${turn}`);
		if (r.chance(0.2)) {
			const side = { isSidechain: true, agentId: "a1b2c3d" };
			list.push(line(++n, null, "user", { message: { role: "user", content: "side" }, ...side }));
			list.push({ ...answer(n + 1, n, "side answer"), ...side });
			n++;
		}
	}
	return list;
}

/** By id, of the entries of a transcript. */
function parentsIn(bytes) {
	return new Map(linesOf(bytes).filter(({ uuid }) => uuid).map(({ uuid, parentUuid }) => [uuid, parentUuid]));
}

await withScratch(async (scratch) => {
	const damagedFile = path.join(scratch, "session.jsonl");
	for (const version of VERSIONS) {
		let rescued = 0;
		await forEachSeed(async (seed) => {
			const bytes = ofVersion(file(lines(new Random(seed))), version);
			const damaged = damage(bytes, seed, { id: "uuid", parent: "parentUuid" });
			fs.writeFileSync(damagedFile, damaged.bytes);
			const out = damaged.readable > 0 && rescue(damagedFile, "claude");
			if (!out)
				return;
			rescued++;
			const mended = fs.readFileSync(out);
			isWhole(parentsIn(mended), damaged.ids);
			sameContext(await sessfs(mended), await resume(mended, { version }));
		}, (n) => `${n} damaged transcripts, ${rescued} rescued and resumed by Claude Code ${version}`, { count: 40 });
	}
});
