// The real oh-my-pi, resumed by what sessfs resume prints for an entry: it has the
// entry's context, in the session or in a fork. While it runs, HEAD is not moved.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Difference, same } from "../compare.mjs";
import { Mount, SESSFS, withScratch } from "../mount.mjs";
import { printed, RESUME, shellWith } from "../resumed.mjs";
import { Agent, COMMAND, NAME, session } from "./program.mjs";

/** Resume an entry as the user of a shell does, and run with the agent. */
async function resume(place, mount, entry, run) {
	const agent = new Agent(["sh", "-c", RESUME, "sh", entry, mount.dir], "/", place.env);
	try {
		const { sessionFile } = await agent.ask("get_state");
		const { messages } = await agent.ask("get_messages");
		run(sessionFile, messages.map(({ content }) => content?.[0]?.text ?? content));
	} finally {
		// A shell waits for it.
		agent.child.stdin.end();
		await agent.gone;
	}
}

/** In the session itself. */
async function inSession(place) {
	await Mount.with(place.file, place.mnt, async (mount) => {
		const command = `(cd ${place.cwd} && omp --resume ${place.file})`;
		same("the command for HEAD", printed(mount, "HEAD", place.env), command);
		await resume(place, mount, "HEAD", (file, said) => {
			same("the session", file, place.file);
			same("what was said", said, ["q", "a", "q2"]);
			const { status, stderr } = spawnSync(SESSFS, ["resume", "-x", "aa000001", mount.dir], { env: place.env, encoding: "utf8" });
			same("the status while omp runs", status, 1);
			if (!/^sessfs: .*: oh-my-pi has this session open.* \(pid \d+\)\n$/.test(stderr))
				throw new Difference(`refused with: ${stderr}`);
		});
		same("the command for an answer", printed(mount, "aa000002", place.env), `ln -sfn by-id/aa000002 ${place.quoted}/HEAD' && ${command}`);
		await resume(place, mount, "aa000002", (file, said) => {
			same("the session", file, place.file);
			same("what was said", said, ["q", "a"]);
		});
	});
}

async function inFork(place) {
	const before = fs.readFileSync(place.file, "utf8");
	await Mount.with(place.file, place.mnt, async (mount) => {
		same("the command for an answer", printed(mount, "aa000002", place.env), `(cd ${place.cwd} && omp --fork ${place.quoted}/by-id/aa000002/branch.jsonl')`);
		await resume(place, mount, "aa000002", (file, said) => {
			same("there is another session", file !== place.file && !file.startsWith(mount.dir), true);
			same("what was said", said, ["q", "a"]);
		});
	}, ["-o", "ro"]);
	same("the session", fs.readFileSync(place.file, "utf8"), before);
}

await withScratch(async (scratch) => {
	for (const check of [inSession, inFork]) {
		const dir = fs.mkdtempSync(path.join(scratch, "resume-"));
		const place = { file: path.join(dir, "session.jsonl"), mnt: path.join(dir, "a mount"), quoted: `'${dir}/a mount`, cwd: path.join(dir, "cwd") };
		place.env = { ...process.env, ...shellWith(dir, "omp", COMMAND) };
		fs.mkdirSync(place.cwd);
		fs.writeFileSync(place.file, session(place.cwd));
		await check(place);
	}
	console.log(`interop: ${NAME} resumed by what sessfs resume prints`);
});
