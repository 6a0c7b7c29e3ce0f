// The commands of mount/share/omp in the real oh-my-pi: it moves its own head, marks
// that in its session, and so HEAD in the mount moves, while sessfs writes nothing.

import fs from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { same } from "../compare.mjs";
import { Mount, SESSFS, withScratch } from "../mount.mjs";
import { Agent, COMMAND, NAME, session } from "./program.mjs";

const EXTENSION = fileURLToPath(new URL("../../../mount/share/omp", import.meta.url));

/** The notice that a command gives. */
const noticed = (agent, message) => agent.noticed("", () => agent.ask("prompt", { message }));

function shell(mount, command) {
	const { stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: mount.dir, encoding: "utf8" });
	return (stdout || stderr).trim();
}

async function movesHead(agent, mount) {
	same("/head up", await noticed(agent, "/head up"), "HEAD is at aa000002");
	same("HEAD", mount.readlink("HEAD"), "by-id/aa000002");
	await agent.append(mount.file);
	same("what omp has said goes on from there", shell(mount, "cat HEAD/parent/parent/content HEAD/parent/parent/meta | grep -x 'a\\|id: .*'"), "a\nid: aa000002");
	same("/head ID", await noticed(agent, "/head aa000003"), "HEAD is at aa000002");
	const bytes = fs.readFileSync(mount.file, "utf8");
	same("/head of nothing", await noticed(agent, "/head nothing"), "sessfs: there is no entry nothing");
	// What is refused is not followed, and no prompt is sent.
	same("a move", /resource busy/.test(shell(mount, "ln -sfn by-id/aa000001 HEAD")), true);
	await sleep(500);
	same("the session", fs.readFileSync(mount.file, "utf8"), bytes);
}

/** By the name of the extension's folder, or where omp finds it. */
async function check(scratch, args, prepare = () => {}) {
	const dir = fs.mkdtempSync(path.join(scratch, "commands-"));
	const place = { file: path.join(dir, "session.jsonl"), cwd: path.join(dir, "cwd"), run: path.join(dir, "run") };
	fs.mkdirSync(place.cwd);
	fs.mkdirSync(place.run, { mode: 0o700 });
	fs.writeFileSync(place.file, session(place.cwd));
	prepare(dir);
	const env = { PATH: process.env.PATH, HOME: dir, XDG_RUNTIME_DIR: place.run, SESSFS: process.env.SESSFS };
	// In its namespace of users an ordinary user's omp can't mount: it finds the mount.
	if (process.getuid() !== 0)
		spawnSync(SESSFS, ["open", "--", place.file], { cwd: place.cwd, env, stdio: ["ignore", "ignore", "inherit"] });
	await Agent.with([...COMMAND, "--resume", place.file, ...args], { cwd: place.cwd, env }, async (agent) => {
		const mount = new Mount(place.file, (await agent.noticed("mounted: ", () => agent.ask("prompt", { message: "/mount" }))).replace("mounted: ", ""));
		try {
			await movesHead(agent, mount);
		} finally {
			spawnSync("fusermount3", ["-u", mount.dir], { stdio: "inherit" });
		}
	});
}

await withScratch(async (scratch) => {
	await check(scratch, ["-e", EXTENSION]);
	await check(scratch, [], (home) => {
		const folder = path.join(home, ".omp/agent/extensions");
		fs.mkdirSync(folder, { recursive: true });
		fs.symlinkSync(EXTENSION, path.join(folder, "sessfs"));
	});
	console.log(`interop: /head and /mount in ${NAME}`);
});
