// A family of threads that the agent itself writes: random turns, in which the model of
// the test calls tools, and forks, reverts, compactions, interruptions and crashes.

import { Refused } from "./app-server.mjs";
import { isCompacting, says } from "./agent.mjs";
import { Threads } from "./threads.mjs";
import { PNG, WORDS } from "./words.mjs";

const OPERATIONS = {
	talk: 36, fork: 18, revert: 12, compact: 9, interrupt: 8, steer: 4, inject: 6, runShell: 3, spawn: 4, fail: 3, change: 4, restart: 3, crash: 2,
};
const COMMANDS = ["true", "echo x", "exit 3", "printf 'é\\n😀'", "seq 1 2000", "nosuchprogram", "cat /dev/null"];
const MOST_ROUNDS = 3;
/** Tokens, for the model's window: the agent compacts before it goes on. */
const TOO_MANY = 500000;

function userText(value) {
	return { type: "input_text", text: value };
}

export class Life extends Threads {
	/** Live in a home, for so many operations. `counts` are of those that were not refused. */
	static async live(home, random, operations, counts) {
		const life = Object.assign(new Life(home, random), { counts, rounds: 0, answered: 0 });
		home.configure(random.pick(["fake", "OpenAI"]));
		home.answer = (body) => life.answer(body);
		await life.start();
		for (let n = operations; n > 0; n--)
			await life.operate(random.weighted(OPERATIONS));
		await home.stopAgent();
		home.configure("fake");
		return life.threads;
	}

	// The model

	words() {
		const { random } = this;
		return Array.from({ length: 1 + random.int(3) }, () => random.pick(WORDS)).join(" ") || "nothing";
	}

	call() {
		const { random } = this;
		const call_id = `call_${++this.answered}`;
		const f = (name, args, rest = {}) => ({ type: "function_call", name, arguments: typeof args === "string" ? args : JSON.stringify(args), call_id, ...rest });
		return random.pick([
			() => f("exec_command", { cmd: random.pick(COMMANDS) }),
			() => f("exec_command", { cmd: random.pick(COMMANDS) }),
			() => f("exec_command", "{\"cmd\": tr"),
			() => f("view_image", { path: "/nowhere.png" }),
			() => f("get_goal", {}),
			() => f("unknown", { x: this.words() }, { namespace: random.pick([undefined, "n"]) }),
			() => ({ type: "custom_tool_call", name: random.pick(["apply_patch", "unknown"]), input: this.words(), call_id }),
			() => ({ type: "tool_search_call", execution: random.pick(["client", "server"]), call_id, arguments: { query: "q" } }),
			() => ({ type: "local_shell_call", status: "completed", call_id, action: { type: "exec", command: ["true"] } }),
		])();
	}

	item() {
		const { random } = this;
		return random.pick([
			() => says(this.words()),
			() => ({ ...says(this.words()), phase: random.pick(["commentary", "final_answer"]) }),
			() => ({
				type: "reasoning", id: `rs_${++this.answered}`, summary: random.some(2, () => ({ type: "summary_text", text: this.words() })),
				...random.pick([{}, { encrypted_content: "E" }]), ...random.pick([{}, { content: [{ type: "reasoning_text", text: this.words() }] }]),
			}),
			() => ({ type: "web_search_call", status: "completed", action: random.pick([{ type: "search", query: "q" }, { type: "open_page", url: "u" }, { type: "strange" }]) }),
			() => ({ type: "image_generation_call", id: `ig_${++this.answered}`, status: "completed", result: PNG.split(",")[1] }),
			() => ({ type: "newtype", x: 1 }),
		])();
	}

	items() {
		const { random } = this;
		const items = random.some(2, () => this.item());
		if (++this.rounds <= MOST_ROUNDS && random.chance(0.5))
			items.push(this.call(), ...random.some(2, () => this.call()));
		return items.length > 0 ? items : [says(this.words())];
	}

	/** The answer to what the agent posts. The next one may be planned. */
	async answer({ input }) {
		const last = input.at(-1);
		if (last.type === "compaction_trigger")
			return [{ type: "compaction", id: `cmp_${++this.answered}`, encrypted_content: this.random.hex(8) }];
		if (isCompacting(last))
			return [says(this.words())];
		const plan = this.plan;
		this.plan = undefined;
		return plan ? plan() : { items: this.items(), tokens: this.random.chance(0.05) ? TOO_MANY : undefined };
	}

	// The user

	async operate(name) {
		const thread = this.random.pick(this.threads);
		this.rounds = 0;
		try {
			await this[name](thread);
			this.counts[name] = (this.counts[name] ?? 0) + 1;
		} catch (e) {
			if (!(e instanceof Refused))
				throw e;
		}
		this.plan = undefined;
	}

	input() {
		const { random } = this;
		const input = [{ type: "text", text: this.words() }];
		if (random.chance(0.1))
			input.push({ type: "image", url: PNG });
		return input;
	}

	async start() {
		await this.talk(await this.create());
	}

	async talk(thread, settings) {
		const server = await this.server(thread);
		const { id } = await server.say(thread.id, this.input(), settings);
		thread.turns.push({ id });
	}

	change(thread) {
		const { random } = this;
		return this.talk(thread, random.pick([{ model: random.pick(["gpt-5", "gpt-5-codex"]) }, { effort: "low" }, { approvalPolicy: random.pick(["never", "on-request"]) }]));
	}

	async fork(thread) {
		await this.talk(await this.forkAfter(thread, this.random.chance(0.3) ? thread.turns.length : 1 + this.random.int(thread.turns.length)));
	}

	async revert(thread) {
		await this.revertTo(thread, this.random.int(thread.turns.length));
		await this.talk(thread);
	}

	async compact(thread) {
		const server = await this.server(thread);
		const { id } = await server.turn(thread.id, () => server.call("thread/compact/start", { threadId: thread.id }));
		thread.turns.push({ id });
	}

	/** A turn, of which the answer is planned. Gives it when the agent has asked for that. */
	async begin(thread, plan) {
		const server = await this.server(thread);
		let turn;
		const asked = new Promise((resolve) => {
			this.plan = () => {
				resolve();
				return plan();
			};
		});
		const ended = server.turn(thread.id, async () => {
			({ turn } = await server.call("turn/start", { threadId: thread.id, input: this.input() }));
			await server.within("a request for an answer", asked);
			thread.turns.push({ id: turn.id });
		});
		ended.catch(() => {});
		await asked;
		return { server, ended, turnId: () => turn?.id ?? thread.turns.at(-1).id };
	}

	/** While the model speaks, or a tool runs. */
	async interrupt(thread) {
		const sleep = () => ({ type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd: "sleep 60" }), call_id: `call_${++this.answered}` });
		const [items, ends] = this.random.pick([[[], "hangs"], [[this.item()], "hangs"], [[this.call(), this.call()], "hangs"], [[sleep()], undefined], [[this.call(), sleep()], undefined]]);
		const { server, ended, turnId } = await this.begin(thread, () => ({ items, ends }));
		await new Promise((resolve) => setTimeout(resolve, 50));
		await server.call("turn/interrupt", { threadId: thread.id, turnId: turnId() });
		await ended;
	}

	async steer(thread) {
		let go;
		const steered = new Promise((resolve) => { go = resolve; });
		const { server, ended, turnId } = await this.begin(thread, () => steered.then(() => this.items()));
		try {
			await server.call("turn/steer", { threadId: thread.id, expectedTurnId: turnId(), input: this.input() });
		} finally {
			go();
			await ended;
		}
	}

	async inject(thread) {
		const server = await this.server(thread);
		const { random } = this;
		const call = this.call();
		await server.call("thread/inject_items", {
			threadId: thread.id,
			items: random.pick([
				[{ type: "message", role: random.pick(["user", "developer", "assistant"]), content: [userText(this.words())] }],
				[call],
				[{ type: "function_call", name: "f", arguments: "{}", call_id: call.call_id }, { type: "function_call_output", call_id: call.call_id, output: this.words() }],
				[{ type: "function_call_output", call_id: "none", output: "orphan" }],
			]),
		});
	}

	async runShell(thread) {
		const server = await this.server(thread);
		await server.turn(thread.id, () => server.call("thread/shellCommand", { threadId: thread.id, command: this.random.pick(COMMANDS) }));
	}

	/** The model starts an agent, which has a thread of its own. */
	async spawn(thread) {
		const call = {
			type: "function_call", namespace: "multi_agent_v1", name: "spawn_agent", call_id: `call_${++this.answered}`,
			arguments: JSON.stringify({ message: this.words(), fork_context: this.random.chance(0.7) }),
		};
		this.plan = () => [call];
		await this.talk(thread);
		await new Promise((resolve) => setTimeout(resolve, 200));
	}

	async fail(thread) {
		const items = this.random.some(2, () => this.random.pick([() => this.item(), () => this.call()])());
		this.plan = () => ({ items, ends: "fails" });
		await this.talk(thread);
	}

	async restart(thread, signal) {
		await this.stop(signal);
		await this.talk(thread);
	}

	/** In the middle of a turn. */
	async crash(thread) {
		await this.begin(thread, () => ({ items: [this.item(), this.call()], ends: "hangs" }));
		await new Promise((resolve) => setTimeout(resolve, this.random.int(100)));
		await this.restart(thread, "SIGKILL");
	}
}
