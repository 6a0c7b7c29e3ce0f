// A running Pi with the extension of mount/share/pi follows what is written through a
// mount, and the mount follows Pi. As a user of two terminals has it.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Difference, same } from "../compare.mjs";
import { Mount, withScratch } from "../mount.mjs";
import { prompt } from "../server.mjs";
import { Terminal, until } from "../terminal.mjs";
import { NAME } from "./agent.mjs";
import { COMMAND, EXTENSION, Home, Rpc, texts } from "./program.mjs";

/** Run a command in the other terminal, in the mount. */
function shell(mount, command) {
	const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: mount.dir, encoding: "utf8" });
	if (status !== 0)
		throw new Difference(`${command}: ${stderr}`);
	return stdout.trim();
}

/** The ids of what was said, in order: path/ without what only Pi writes. */
function said(mount) {
	const names = mount.list("path").filter((name) => /^\d+-(user|assistant)-/.test(name));
	return names.map((name) => path.basename(mount.readlink(`path/${name}`)));
}

/** The conversation that the mount shows, as the API gets it. */
function context(mount) {
	return texts(JSON.parse(mount.read("context.json")).filter(({ role }) => role !== "system"));
}

/** Pi, mounted, after a question and an answer, twice. */
async function talked(home, pi, run) {
	await pi.say(prompt("one", ["first"]));
	await pi.say(prompt("two", ["second"]));
	await Mount.with(await pi.file(), path.join(home.home, "mnt"), run);
}

function move(mount, id) {
	shell(mount, `ln -sfn by-id/${id} HEAD`);
}

/** Say something, and see that it was asked where HEAD was. */
async function goesOn(home, pi, mount, text) {
	const before = context(mount);
	await pi.say(text);
	same("what the model was asked", [...before, `user: ${text}`], home.lastAsked());
	same("HEAD after the answer", said(mount).at(-1), path.basename(mount.readlink("HEAD")));
}

async function followsHead(home, pi, mount, [, first]) {
	for (const id of [first, ...said(mount)]) {
		const begin = Date.now();
		await pi.noticed(`HEAD is at ${id}`, () => move(mount, id));
		times.push(Date.now() - begin);
	}
	await pi.noticed(`HEAD is at ${first}`, () => move(mount, first));
	await goesOn(home, pi, mount, "go on from there");
	same("the branches", mount.list("branches").length, 2);
	await pi.noticed("HEAD is at", () => shell(mount, "ln -sfn HEAD/parent HEAD"));
	await pi.noticed("HEAD is at the beginning", () => shell(mount, "ln -sfn tree HEAD"));
	await pi.say("begin again");
	same("what the model was asked", home.lastAsked(), ["user: begin again"]);
}

async function followsWords(home, pi, mount, [, first]) {
	await pi.noticed('labelled "good"', () => shell(mount, `echo good >by-id/${first}/label`));
	await pi.noticed('the name is "a name"', () => shell(mount, "echo a name >name"));
	same("Pi's name", (await pi.ask("get_state")).sessionName, "a name");
	await pi.noticed("a message by user", () => shell(mount, `echo '{"role":"user","content":"said elsewhere"}' >append`));
	await goesOn(home, pi, mount, "heard?");
	// Longer than what is read of a file's end.
	fs.writeFileSync(mount.path("append"), `${JSON.stringify({ role: "user", content: "long ".repeat(400_000) })}\n`);
	await goesOn(home, pi, mount, "and that?");
	await pi.noticed(`HEAD is at ${first}`, () => pi.ask("prompt", { message: "/head good" }));
	await goesOn(home, pi, mount, "from the label");
}

/** What is sent before Pi has read the file again waits for that. */
async function holdsPrompts(home, pi, mount, [one, first, two, second]) {
	for (const id of [first, second, two, one, second]) {
		move(mount, id);
		await goesOn(home, pi, mount, `at once from ${id}`);
	}
}

/** Every write of a row is followed, also those that come while Pi switches. */
async function followsMany(home, pi, mount) {
	const ids = said(mount);
	for (let n = 0; n < 40; n++) {
		shell(mount, n % 3 ? `ln -sfn by-id/${ids[n % ids.length]} HEAD` : `echo label ${n} >by-id/${ids[1]}/label`);
		await sleep(n % 7 * 20);
	}
	for (let n = 0; n < 400; n++) {
		fs.writeFileSync(mount.path(`by-id/${ids[0]}/label`), `quick ${n}`);
		if (n % 100 === 99)
			await goesOn(home, pi, mount, `meanwhile ${n}`);
		await sleep(n % 5);
	}
	await pi.noticed(`HEAD is at ${ids[3]}`, () => move(mount, ids[3]));
	await pi.noticed(`HEAD is at ${ids[1]}`, () => pi.ask("prompt", { message: "/head label 39" }));
	await goesOn(home, pi, mount, "after all that");
}

/** A run is not disturbed; what was written meanwhile is read afterwards. */
async function waitsForRun(home, pi, mount, [, first]) {
	const from = pi.said.length;
	await pi.ask("prompt", { message: prompt("slow", [{ blocks: [{ type: "text", text: "a slow answer" }], delay_ms: 1500 }]) });
	await pi.heard("the answer's beginning", ({ type }) => type === "message_update", from);
	shell(mount, `echo meanwhile >by-id/${first}/label`);
	move(mount, first);
	await sleep(700);
	same("notices while Pi is busy", pi.notices, []);
	await pi.settled(from);
	await pi.heard("a notice", ({ method }) => method === "notify", from);
	same("the answer", mount.read("HEAD/content").toString(), "a slow answer\n");
	await pi.noticed(`HEAD is at ${first}`, () => pi.ask("prompt", { message: "/head meanwhile" }));
}

/** A command that the user runs is not killed. */
async function waitsForCommand(home, pi, mount, [, first]) {
	const running = pi.ask("bash", { command: "sleep 1.2; echo done" });
	await sleep(100);
	await pi.noticed("HEAD is at", async () => {
		move(mount, first);
		const { output, cancelled } = await running;
		same("the command", [output, cancelled], ["done\n", false]);
	});
	await goesOn(home, pi, mount, "after the command");
}

/** A line that is being written is waited for. */
async function waitsForLine(home, pi, mount) {
	const { id, ...rest } = JSON.parse(mount.read("HEAD/raw.json"));
	const line = JSON.stringify({ ...rest, id: "feed0001", parentId: id, message: { role: "user", content: "in two pieces", timestamp: 5 } });
	fs.appendFileSync(mount.file, line.slice(0, 50));
	await sleep(300);
	same("notices of half a line", pi.notices, []);
	await pi.noticed("a message by user", () => fs.appendFileSync(mount.file, `${line.slice(50)}\n`));
	await goesOn(home, pi, mount, "whole?");
}

/** What is no session of Pi's any more is not read: Pi would end. */
async function outlivesLoss(home, pi) {
	await talked(home, pi, async () => {});
	const file = await pi.file();
	const bytes = fs.readFileSync(file);
	await pi.noticed("another session", () => fs.writeFileSync(file, bytes.toString().replace(/"id":"[^"]*"/, '"id":"other"').replaceAll(/"id":"(.)/g, '"id":"x$1')));
	fs.rmSync(file);
	await sleep(300);
	await pi.say("still there?");
	same("what the model was asked", home.lastAsked().length, 5);
}

/** With a line that Pi can't go on from it would be left without a session. */
async function outlivesLines(home, pi, mount, [, first, , second]) {
	const write = (line) => fs.appendFileSync(mount.file, `${JSON.stringify(line)}\n`);
	const lines = [
		{ id: "bad00001", parentId: second },
		{ id: "bad00002", parentId: second, message: { role: "assistant", content: 5 } },
	];
	for (const line of lines)
		await pi.noticed("can't read its session again", () => write({ type: "message", ...line }));
	await pi.say("still there?");
	same("what the model was asked", home.lastAsked().slice(-2), ["assistant: second", "user: still there?"]);
	move(mount, first);
	await goesOn(home, pi, mount, "from a line that is whole");
}

/** A command of the user's that can't be run is not waited for. */
async function outlivesCommand(home, pi, mount, [, first]) {
	fs.renameSync(home.cwd, `${home.cwd}.gone`);
	pi.send("bash", { command: "true" });
	await pi.heard("that it fails", ({ success }) => success === false, 0);
	fs.renameSync(`${home.cwd}.gone`, home.cwd);
	await pi.noticed(`HEAD is at ${first}`, () => move(mount, first));
}

/** A file that takes the place of the file is watched as well. */
async function followsReplacement(home, pi) {
	await talked(home, pi, async () => {});
	const file = await pi.file();
	fs.copyFileSync(file, `${file}.new`);
	fs.renameSync(`${file}.new`, file);
	await sleep(300);
	await Mount.with(file, path.join(home.home, "mnt"), async (mount) => {
		const [, first] = said(mount);
		await pi.noticed(`HEAD is at ${first}`, () => move(mount, first));
		await goesOn(home, pi, mount, "after the replacement");
	});
}

/** One copy of the extension follows if two are loaded. */
async function followsOnce(home) {
	const copy = path.join(home.home, "copy");
	fs.cpSync(EXTENSION, copy, { recursive: true });
	await Rpc.with(home, ["-e", EXTENSION, "-e", copy], (pi) => talked(home, pi, async (mount) => {
		const [, first, , second] = said(mount);
		for (const id of [first, second]) {
			await pi.noticed(`HEAD is at ${id}`, () => move(mount, id));
			await goesOn(home, pi, mount, `at ${id}`);
		}
		await pi.noticed(`HEAD is at ${first}`, () => pi.ask("prompt", { message: `/head ${first}` }));
		await pi.noticed("/head LABEL", () => pi.ask("prompt", { message: "/head" }));
		same("notices", pi.notices.length, 4);
	}));
}

/** The other way round. */
async function movesHead(home, pi, mount, [one, first, two, second]) {
	const head = (to) => pi.ask("prompt", { message: `/head ${to}` });
	await pi.noticed(`HEAD is at ${first}`, () => head(first.slice(0, 5)));
	same("HEAD", mount.readlink("HEAD"), `by-id/${first}`);
	await goesOn(home, pi, mount, "another branch");
	await pi.noticed(`HEAD is at ${second}`, () => head(second));
	// As /tree does it: the head is before a prompt, which can be edited.
	await pi.noticed(`HEAD is at ${first}`, () => head("up"));
	await pi.noticed("HEAD is at", () => head("up"));
	same("what was said before the first prompt", said(mount), []);
	await pi.noticed("no entry nothing", () => head("nothing"));
	for (const id of [one, first, two, second])
		await pi.noticed("HEAD is at", () => head(id));
	same("notices by the extension that follows", pi.notices.filter((text) => text.startsWith("sessfs: HEAD")), []);
}

async function mounts(home, pi) {
	await pi.noticed("first answer", () => pi.ask("prompt", { message: "/mount" }));
	await pi.say(prompt("one", ["first"]));
	const at = (await pi.noticed("mounted: ", () => pi.ask("prompt", { message: "/mount" }))).replace("mounted: ", "");
	try {
		same("HEAD/content", fs.readFileSync(path.join(at, "HEAD/content"), "utf8"), "first\n");
	} finally {
		spawnSync("fusermount3", ["-u", at], { stdio: "inherit" });
	}
}

/** In its terminal: what is half typed stays, and what is said elsewhere is shown. */
async function showsInTerminal(home, terminal) {
	await terminal.shows("acme-1");
	await terminal.begin(prompt("one", ["the first answer"]));
	await terminal.shows(" the first answer");
	const folder = path.join(home.home, ".pi/agent/sessions");
	const file = await until("a session", () => fs.readdirSync(folder, { recursive: true }).find((name) => name.endsWith(".jsonl")));
	await Mount.with(path.join(folder, file), path.join(home.home, "mnt"), async (mount) => {
		const [one] = said(mount);
		terminal.type("half ty");
		await terminal.shows("half ty");
		move(mount, one);
		await terminal.shows(`sessfs: HEAD is at ${one}`);
		await terminal.shows("half ty");
		same("the answer is shown", terminal.screen.includes(" the first answer"), false);
		terminal.type("ped");
		terminal.press("Enter");
		await terminal.shows(" ok");
		// It is on the screen before it is in the file, and a message is below what is there.
		await until("the answer in the file", () => context(mount).at(-1) === "assistant: ok");
		same("what the model was asked", home.lastAsked().map((text) => text.replace(/ @@.*/, "")), ["user: one", "user: half typed"]);
		shell(mount, `echo '{"role":"user","content":"said in the other terminal"}' >append`);
		await terminal.shows(" said in the other terminal");
		// Pi has one line for notices, and this one comes after the message.
		await terminal.shows("sessfs: a message by user");
		terminal.type("/head up");
		terminal.press("Enter");
		await terminal.shows("HEAD is at");
	});
}

/** In a mount, with the ids of what was said there; and without. */
const IN_MOUNT = [followsHead, followsWords, holdsPrompts, followsMany, waitsForRun, waitsForCommand, waitsForLine, outlivesLines, outlivesCommand, movesHead];
const IN_RPC = [outlivesLoss, followsReplacement, mounts];
/** From ln to the notice, in milliseconds. */
const times = [];

async function check(scratch, name, run) {
	try {
		await Home.with(scratch, run);
	} catch (error) {
		error.message = `${name}: ${error.message}`;
		throw error;
	}
}

await withScratch(async (scratch) => {
	const inRpc = (name, run) => check(scratch, name, (home) => Rpc.with(home, ["-e", EXTENSION], (pi) => run(home, pi)));
	for (const run of IN_MOUNT)
		await inRpc(run.name, (home, pi) => talked(home, pi, (mount) => run(home, pi, mount, said(mount))));
	for (const run of IN_RPC)
		await inRpc(run.name, run);
	await check(scratch, followsOnce.name, followsOnce);
	await check(scratch, "showsInTerminal", (home) => {
		home.pi("install", EXTENSION);
		return Terminal.with(home, COMMAND, (terminal) => showsInTerminal(home, terminal));
	});
	console.log(`interop: a running ${NAME} follows the file, and the mount follows Pi (${times.join(", ")} ms from ln to the notice)`);
});
