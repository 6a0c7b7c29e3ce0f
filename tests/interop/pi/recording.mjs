// What the two terminals of README.md show, from the real programs: Pi with the
// extension in one, a shell in the other. Prints a JSON array of steps, each
// [PI, SHELL], the two screens with their colors; scripts/picture draws them.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { withScratch } from "../mount.mjs";
import { Terminal, until } from "../terminal.mjs";
import { COMMAND, EXTENSION, Home } from "./program.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const SIZE = { columns: 58, rows: 20 };
const ANSWER = "Done: wc counts lines as well.";

/** The demo's session, as if it had been begun here. */
function session(home) {
	const file = path.join(home.cwd, "session.jsonl");
	const [header, ...lines] = fs.readFileSync(path.join(ROOT, "scripts/demo.jsonl"), "utf8").split("\n");
	fs.writeFileSync(file, [JSON.stringify({ ...JSON.parse(header), cwd: home.cwd }), ...lines].join("\n"));
	fs.mkdirSync(path.join(home.cwd, "mnt"));
	return file;
}

/** Wait until nothing changes on a screen. */
async function still(terminal) {
	let before;
	await until("a still screen", async () => {
		const last = before;
		before = terminal.colored;
		await sleep(200);
		return before === last;
	});
}

async function record(home, pi, shell) {
	const steps = [];
	const step = async () => {
		await still(pi);
		await still(shell);
		steps.push([pi.colored, shell.colored]);
	};
	const run = async (command, shown) => {
		shell.type(command);
		shell.press("Enter");
		await pi.shows(shown);
		await step();
	};
	await pi.shows("acme-1");
	await run("sessfs session.jsonl mnt", "acme-1");
	await run("ln -sfn by-label/works mnt/HEAD", "sessfs: HEAD is at");
	await pi.begin("Count lines as well.");
	await pi.shows(ANSWER);
	await step();
	await run("cat mnt/HEAD/content", ANSWER);
	await run("echo 'no regex' > mnt/by-id/2ea9510f/label", "labelled");
	await run("ln -sfn by-label/'no regex' mnt/HEAD", "sessfs: HEAD is at 2ea9510f");
	return steps;
}

function recordIn(scratch) {
	return Home.with(scratch, (home) => {
		const file = session(home);
		const bin = path.join(home.home, "bin");
		fs.mkdirSync(bin);
		fs.symlinkSync(process.env.SESSFS, path.join(bin, "sessfs"));
		const shell = ["env", "PS1=$ ", "ENV=", `PATH=${bin}:${process.env.PATH}`, "sh"];
		return Terminal.with(home, [...COMMAND, "--session", file, "-e", EXTENSION],
			(pi) => Terminal.with(home, shell, (sh) => record(home, pi, sh), SIZE), SIZE);
	}, () => ANSWER);
}

console.log(JSON.stringify(await withScratch(recordIn)));
