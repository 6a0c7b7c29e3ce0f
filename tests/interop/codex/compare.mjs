// Does the agent post what the mount shows as the context?

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { same } from "../compare.mjs";
import { Mount } from "../mount.mjs";

/** Differences are kept here. */
const KEPT = fileURLToPath(new URL("../../../build/interop", import.meta.url));

/** What the agent says of its surroundings, in messages of its own. */
const SURROUNDINGS = /^(<skills_instructions>|<environment_context>|<permissions instructions>|<model_switch>|<collaboration_mode>|# AGENTS\.md instructions)/;

/** What the agent posted, without what is new of its surroundings, where a context has `n` items. */
export function withoutNews(input, n) {
	const isNews = ({ type, role, content }) => type === "message" && role !== "assistant" && content.every(({ text }) => SURROUNDINGS.test(text ?? ""));
	let end = input.length;
	while (end > n && isNews(input[end - 1]))
		end--;
	return input.slice(0, end);
}

export function contextOf(mount, folder = "") {
	return JSON.parse(mount.read(path.join(folder, "context.json")));
}

/** Keep the rollouts of a home, and two values. */
function keep(name, home, file, bytes, values) {
	const folder = path.join(KEPT, name);
	fs.rmSync(folder, { recursive: true, force: true });
	fs.cpSync(home.sessions, path.join(folder, "sessions"), { recursive: true });
	// The agent has added to it.
	const kept = path.join(folder, "sessions", path.relative(home.sessions, file));
	fs.writeFileSync(kept, bytes);
	for (const [of, value] of Object.entries(values))
		fs.writeFileSync(path.join(folder, `${of}.json`), JSON.stringify(value, null, "\t") ?? "");
	return kept;
}

/**
 * Resume a thread: the agent posts the context of its rollout. After a difference, the
 * files are kept below a name.
 */
export async function sameResumed(what, home, { id, file }, name, how) {
	const bytes = fs.readFileSync(file);
	let mount, agent;
	try {
		mount = await Mount.with(file, home.mnt, (mounted) => contextOf(mounted));
		agent = withoutNews(await home.resume(id, how), mount.length);
		same(what, mount, agent);
	} catch (e) {
		e.message += `\n  of ${keep(name, home, file, bytes, { mount, agent })}`;
		throw e;
	}
}

/** The branch.jsonl of an entry, as the agent finds it. */
export function putBranch(home, mount, name) {
	const bytes = mount.read(`by-id/${name}/branch.jsonl`);
	const { id } = JSON.parse(bytes.toString().split("\n")[0]).payload;
	return { name, ...home.put(id, bytes), context: contextOf(mount, `by-id/${name}`) };
}

/** A branch of a random entry of a rollout, or of the last; null if it has no entries. */
export function branchOf(home, file, random) {
	return Mount.with(file, home.mnt, (mount) => {
		const names = mount.list("by-id");
		return names.length === 0 ? null : putBranch(home, mount, random ? random.pick(names) : names.at(-1));
	});
}
