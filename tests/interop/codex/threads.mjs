// A family of threads in a home, as a user of the agent has it. A thread is { id, path, turns,
// loaded }, with the ids of its turns.

export class Threads {
	threads = [];

	constructor(home, random) {
		Object.assign(this, { home, random });
	}

	/** The agent, which has the thread loaded. */
	async server(thread) {
		const server = await this.home.agent();
		if (thread && !thread.loaded) {
			await server.call("thread/resume", { threadId: thread.id, excludeTurns: true });
			thread.loaded = true;
		}
		return server;
	}

	add({ id, path }, turns = []) {
		this.threads.push({ id, path, turns, loaded: true });
		return this.threads.at(-1);
	}

	async create(settings) {
		const server = await this.server();
		const { thread } = await server.call("thread/start", { cwd: this.home.cwd, ...settings });
		return this.add(thread);
	}

	/** A fork after so many turns, or at the end. */
	async forkAfter(thread, n) {
		const server = await this.server(thread);
		const turns = thread.turns.slice(0, n);
		const at = n === thread.turns.length ? {} : { lastTurnId: turns.at(-1).id };
		const forked = await server.call("thread/fork", { threadId: thread.id, excludeTurns: true, ...at });
		return this.add(forked.thread, turns);
	}

	/** Go back to after so many turns. Gives the first that is gone. */
	async revertTo(thread, n) {
		const server = await this.server(thread);
		const reverted = await server.call("thread/revert", { threadId: thread.id, beforeTurnId: thread.turns[n].id });
		thread.path = reverted.thread.path;
		return thread.turns.splice(n)[0];
	}

	/** The agent ends, and has nothing loaded when it is started again. */
	async stop(signal) {
		await this.home.stopAgent(signal);
		for (const one of this.threads)
			one.loaded = false;
	}
}
