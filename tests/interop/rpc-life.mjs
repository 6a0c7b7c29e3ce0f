// A user of an agent of Pi's family (rpc.mjs), whose model is played (working.mjs): beside
// prompts there are moves of HEAD, forks, compactions and the user's commands.

import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { moveHead } from "./files-at.mjs";

export class Life {
	/** All files of the session, and the one that it is in. */
	files = [];
	file = undefined;

	/** open(file, run) runs with the agent in the session of a file, or in a new one; `forking` are its commands that list prompts and go back before one. */
	constructor(working, dir, open, forking) {
		Object.assign(this, { working, dir, open, forking, random: working.random });
	}

	async with(run) {
		await this.open(this.file, async (agent) => {
			await run(agent);
			this.file = await agent.file();
		});
		if (!this.files.includes(this.file))
			this.files.push(this.file);
	}

	/** So many prompts, with what a user may do between them. */
	async talk(agent) {
		const { random, working } = this;
		for (let n = 1 + random.int(3); n > 0; n--) {
			await (random.chance(0.1) ? this.interrupt(agent) : agent.say(working.ask()));
			// What interrupted calls have done is told with the next prompt.
			if (working.pending.length > 0)
				continue;
			if (random.chance(0.1))
				await this.shell(agent);
			if (random.chance(0.1))
				await agent.ask("compact").catch(() => {});
		}
	}

	async interrupt(agent) {
		const { random, working } = this;
		const from = agent.said.length;
		const begun = working.slowly();
		await agent.ask("prompt", { message: working.ask() });
		await begun;
		await sleep(random.int(300));
		await agent.ask("abort");
		await agent.settled(from);
	}

	async shell(agent) {
		const name = this.working.file() ?? "a.txt";
		await agent.ask("bash", { command: `echo user >>'${name}'` });
		this.working.expectation.loosen(name);
	}

	/** As the agent itself has it, from before one of the prompts. */
	async fork() {
		const [list, go] = this.forking;
		await this.with(async (agent) => {
			const { messages } = await agent.ask(list);
			const { requests } = this.working.shelf;
			const found = messages.map(({ entryId, text }) => ({ entryId, request: requests.find(({ calls, prompt }) => calls.length === 0 && prompt === text) }));
			const { entryId, request } = this.random.pick(found.filter((one) => one.request));
			await agent.ask(go, { entryId });
			this.working.goBack(request);
			await this.talk(agent);
		});
	}

	/** To an entry at which the model was asked, through the mount. */
	async move() {
		const { random, working } = this;
		const request = random.pick(working.shelf.requests.filter(({ calls }) => calls.length > 0));
		if (!request || !await moveHead(this.file, path.join(this.dir, "mnt"), request))
			return;
		working.goBack(request);
		await this.with((agent) => this.talk(agent));
	}

	async live() {
		await this.with((agent) => this.talk(agent));
		for (let n = this.random.int(4); n > 0; n--)
			await this[this.random.pick(["move", "move", "fork"])]();
		this.working.check();
	}
}
