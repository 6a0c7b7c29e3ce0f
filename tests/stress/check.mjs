// What each real Pi makes of a session, opened anew: a tree without orphans,
// which every mount shows as it is.
//
// usage: node check.mjs SESSION COPY MOUNT...

import { Comparison, Difference, namesOf } from "../interop/compare.mjs";
import { Mount } from "../interop/mount.mjs";
import { versions } from "../interop/pi/agent.mjs";
import { openCopy } from "../interop/session.mjs";

const CONTEXTS = 40;

const [file, copy, ...mounts] = process.argv.slice(2);

for (const pi of versions) {
	const session = await openCopy(pi, file, copy);
	const orphans = session.entries.filter((e) => e.parentId && !session.byId.has(e.parentId));
	if (orphans.length > 0)
		throw new Difference(`${pi.name} has ${orphans.length} orphans: ${JSON.stringify(orphans[0])}`);
	if (session.entries.length !== session.byId.size)
		throw new Difference(`${pi.name}: ${session.entries.length} entries have ${session.byId.size} ids`);
	for (const dir of mounts) {
		const comparison = new Comparison(new Mount(file, dir), session, namesOf(new Mount(file, dir), session.ids, false));
		comparison.whole();
		for (let i = 0; i < CONTEXTS; i++)
			comparison.entryContext(session.ids[Math.floor(session.ids.length * i / CONTEXTS)]);
	}
	console.log(`${pi.name}: ${session.entries.length} entries, no orphan, as ${mounts.length} mounts show them`);
}
