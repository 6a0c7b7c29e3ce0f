import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { Home, NEWEST, OLD, program, run } from "./agent.mjs";
import { ask, blocksOf } from "./oracle.mjs";
import { prompt } from "../server.mjs";
import { Mount, withScratch } from "../mount.mjs";
const says = (w) => prompt(w, [{ blocks: [{ type: "text", text: w.toUpperCase() }] }]);
const short = (r) => r.requests.filter(({body}) => body?.messages).map(({body}) => body.messages.flatMap(blocksOf).filter((b) => b.type === "text").map(({text}) => text.trim()).filter((t) => !t.startsWith("<")).map((t) => t.split(/\s/)[0]).join(" "));
for (const [writer, reader] of [[NEWEST, NEWEST], [OLD, OLD], [OLD, NEWEST], [NEWEST, OLD]]) await Home.with(async (home) => {
	const t = (v, args, w) => run(home, v, ["-p", ...args, says(w)]);
	await t(writer, [], "one");
	const file = home.transcripts()[0], id = path.basename(file, ".jsonl");
	await t(writer, ["--resume", id], "two");
	const other = path.join(home.dir, "other"); fs.mkdirSync(other);
	const show = (what, r) => console.log(writer, reader, what, r.status, JSON.stringify(short(r)), r.err.slice(0, 200), r.out.slice(0, 100), fs.readdirSync(home.project).length, fs.existsSync(home.project.replace(/w$/, "other")) && fs.readdirSync(home.project.replace(/w$/, "other")).length);
	const cwd = home.cwd;
	home.cwd = other;
	show("id elsewhere", await t(reader, ["--resume", id], "three"));
	show("file elsewhere fork", await t(reader, ["--resume", file, "--fork-session"], "three"));
	home.cwd = cwd;
	show("file fork", await t(reader, ["--resume", file, "--fork-session"], "three"));
	await withScratch((s) => Mount.with(file, path.join(s, "it's a \"mount\""), async (mount) => {
		const uuid = mount.list("by-id").find((n) => mount.read(`by-id/${n}/content`).toString().startsWith("ONE"));
		show("branch fork", await t(reader, ["--resume", mount.path(`by-id/${uuid}/branch.jsonl`), "--fork-session"], "three"));
		const sub = path.join(home.project, id, "subagents"); fs.mkdirSync(sub, { recursive: true });
	}));
	const sub = path.join(home.project, id, "subagents");
	const agent = path.join(sub, "agent-abc.jsonl");
	fs.writeFileSync(agent, fs.readFileSync(file, "utf8").replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"abc"'));
	await withScratch((s) => Mount.with(agent, path.join(s, "mnt"), async (mount) => {
		console.log(mount.info().writable, mount.readlink("HEAD"));
		show("sub file fork", await t(reader, ["--resume", agent, "--fork-session"], "three"));
		show("sub branch fork", await t(reader, ["--resume", mount.path("HEAD/branch.jsonl"), "--fork-session"], "three"));
	}));
});
