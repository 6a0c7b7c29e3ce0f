// The whole Pi as a user runs it. It has a home of its own, and its model is a fake API in this process (../server.mjs).

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Difference } from "../compare.mjs";
import { Rpc as Plain } from "../rpc.mjs";
import { start } from "../server.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Pi needs a newer node than Debian's. */
const NODE = here(`node_modules/node-linux-${os.arch()}/bin/node`);
const CLI = here("node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
/** The command that starts it. */
export const COMMAND = [NODE, CLI];
export const EXTENSION = here("../../../mount/share/pi");

/** Messages as lines of text: who says what. */
export function texts(messages) {
	const textOf = (content) => (typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n"));
	return messages.map(({ role, content }) => `${role}: ${textOf(content)}`);
}

/** A user's directories, the API, and what it was asked. */
export class Home {
	/** The model's answer is as its steps say, or as `otherwise` (see ../server.mjs); it may be able to do `more`. */
	static async with(dir, run, otherwise, more) {
		const home = new Home(dir);
		const server = await start((request) => home.requests.push(request), otherwise);
		home.configure(server.port, more);
		try {
			return await run(home);
		} finally {
			server.close();
		}
	}

	constructor(dir) {
		this.home = fs.mkdtempSync(path.join(dir, "h-"));
		this.cwd = path.join(this.home, "work");
		this.run = path.join(this.home, "run");
		this.requests = [];
		fs.mkdirSync(this.cwd);
		fs.mkdirSync(this.run, { mode: 0o700 });
	}

	configure(port, more) {
		const agent = path.join(this.home, ".pi/agent");
		const provider = { baseUrl: `http://127.0.0.1:${port}`, api: "anthropic-messages", apiKey: "none", models: [{ id: "acme-1", ...more }] };
		fs.mkdirSync(agent, { recursive: true });
		fs.writeFileSync(path.join(agent, "models.json"), JSON.stringify({ providers: { acme: provider } }));
		fs.writeFileSync(path.join(agent, "settings.json"), JSON.stringify({ defaultProvider: "acme", defaultModel: "acme-1", quietStartup: true }));
	}

	get env() {
		return {
			PATH: process.env.PATH, HOME: this.home, SHELL: "/bin/sh", LC_ALL: "C.UTF-8", COLORTERM: "truecolor", PI_OFFLINE: "1",
			XDG_RUNTIME_DIR: this.run, SESSFS: process.env.SESSFS,
		};
	}

	/** Run Pi for something that needs no model, such as `install`. */
	pi(...args) {
		const { status, stderr } = spawnSync(NODE, [CLI, ...args], { cwd: this.cwd, env: this.env, encoding: "utf8" });
		if (status !== 0)
			throw new Difference(`pi ${args.join(" ")}: ${stderr}`);
	}

	/** What was said in the last request: role and text of each message. */
	lastAsked() {
		return texts(this.requests.at(-1).body.messages);
	}
}

/** Pi in RPC mode. */
export class Rpc extends Plain {
	static with(home, args, run) {
		return super.with([...COMMAND, "--mode", "rpc", ...args], home, run);
	}
}
