import { type Logger, ParleyError } from "@parley/base";
import type { SessionEvent } from "@parley/core";
import type { Agent } from "./agent.ts";
import { Asks, type Unanswered } from "./asks.ts";
import { encodeError, encodeMessage, failure, success } from "./codec.ts";
import { fitMessages } from "./fit.ts";
import { Jobs } from "./jobs.ts";
import type { Command, CommandType, Frame } from "./schema.ts";

export interface ResponderOptions {
	readonly agent: Agent;
	readonly log: Logger;
	/** Whether the client answers what is asked. */
	readonly approvals: boolean;
	readonly send: (frame: Frame) => void;
	/** Resolves when the client can take more: what it has asked for in one breath may be more than waits for a reader. */
	readonly drained: () => Promise<void>;
}

/** What a command's response says beside its success; nothing where somebody else responds later. */
type Outcome = object | undefined | "later";

type Handlers = {
	readonly [Type in CommandType]: (command: Extract<Command, { type: Type }>) => Outcome | Promise<Outcome>;
};

/** What acts when it is read, whatever is being answered. */
const urgent: ReadonlySet<CommandType> = new Set(["abort", "approve", "prompt", "compact"]);

/** What would change a prompt at work. */
const atRest: ReadonlySet<CommandType> = new Set(["clear", "set_model", "set_reasoning"]);

/** Does what one client, who was let in, asks of the agent: answers each command once, and tells what happens. */
export class Responder {
	readonly #options: ResponderOptions;
	readonly #jobs: Jobs;
	readonly #asks: Asks;
	readonly #handlers: Handlers;
	/** What is being answered; later commands wait for it, so that responses keep the order of their commands. */
	#answering: Promise<void> | undefined;

	constructor(options: ResponderOptions) {
		const { agent, log, send, approvals } = options;
		this.#options = options;
		this.#jobs = new Jobs({ agent, log, send, settled: () => this.#answering });
		this.#asks = new Asks(agent, approvals ? (ask) => this.#jobs.tell(ask) : undefined);
		this.#handlers = this.#routes();
		agent.listen((event) => this.#happened(event));
	}

	/** Whether a command is still being carried out. */
	get busy(): boolean {
		return this.#jobs.busy || this.#answering !== undefined;
	}

	/** The client says no more: finishes what it has asked for. */
	async end(why: Unanswered = "ended"): Promise<void> {
		await this.#asks
			.end(why)
			.catch((error: unknown) => this.#options.log.error("a question got no answer", { error }));
		await this.#answering;
		await this.#jobs.idle();
	}

	/** Ends everything at once; resolves when the last `done` was told. */
	async terminate(why: Exclude<Unanswered, "ended">): Promise<void> {
		this.#jobs.abortAll();
		await this.end(why);
	}

	/** What it says waits for the responses before it. */
	answer(response: Frame | (() => Frame)): void {
		const send = (): void => this.#options.send(typeof response === "function" ? response() : response);
		if (this.#answering === undefined) send();
		else this.#queue(async () => send());
	}

	/** Responses keep the order of their commands; what is urgent is done before its turn to respond has come. */
	carryOut(command: Command): void {
		// Judged when it was read: behind a prompt of the same write the agent is busy, and before it is not.
		if (atRest.has(command.type) && this.#jobs.busy) {
			this.answer(failure(command, "agent is busy"));
			return;
		}
		if (this.#answering !== undefined && !urgent.has(command.type)) {
			this.#queue(() => this.#respond(command, () => this.#handle(command)));
			return;
		}
		try {
			const outcome = this.#handle(command);
			if (outcome instanceof Promise) this.#later(command, outcome);
			else if (outcome !== "later") this.answer(success(command, outcome));
		} catch (reason) {
			this.answer(failure(command, encodeError(reason)));
		}
	}

	/** Its work may fail before its turn to respond has come, when nobody looks at it yet. */
	#later(command: Command, outcome: Promise<Outcome>): void {
		outcome.catch(() => undefined);
		this.#queue(() => this.#respond(command, () => outcome));
	}

	async #respond(command: Command, work: () => Outcome | Promise<Outcome>): Promise<void> {
		try {
			const outcome = await work();
			if (outcome !== "later") this.#options.send(success(command, outcome));
		} catch (reason) {
			this.#options.send(failure(command, encodeError(reason)));
		}
	}

	#queue(work: () => Promise<void>): void {
		const before = this.#answering ?? Promise.resolve();
		const next = before.then(this.#options.drained);
		const done = next.then(work).then(() => {
			if (this.#answering === done) this.#answering = undefined;
		});
		this.#answering = done;
	}

	#handle(command: Command): Outcome | Promise<Outcome> {
		// True because the handler stands under the command's own type.
		const handler = this.#handlers[command.type] as (command: Command) => Outcome | Promise<Outcome>;
		return handler(command);
	}

	#routes(): Handlers {
		const { agent } = this.#options;
		const jobs = this.#jobs;
		return {
			hello: () => undefined,
			ping: () => ({ pong: true }),
			prompt: (command) => {
				if (!/[^\s\0]/.test(command.message ?? "") && (command.images ?? []).length === 0) {
					throw invalid("message: there is nothing to answer");
				}
				jobs.add(command);
				return "later";
			},
			compact: (command) => {
				jobs.add(command);
				return "later";
			},
			abort: () => {
				jobs.abort();
				return undefined;
			},
			queue: () => jobs.list(),
			cancel_queued: ({ request_id }) => {
				jobs.cancelWaiting(request_id);
				return undefined;
			},
			get_state: () => this.#state(),
			get_messages: async () => fitMessages((await agent.transcript()).map(encodeMessage)),
			clear: async () => {
				await agent.clear();
				return undefined;
			},
			set_model: async ({ model }) => ({ model: await agent.setModel(model) }),
			set_reasoning: ({ reasoning }) => {
				agent.settings.reasoning = reasoning;
				return { reasoning };
			},
			get_models: () => ({ models: agent.models().map(describeModel) }),
			approve: async (command) => {
				await this.#asks.answer(command);
				return undefined;
			},
		};
	}

	async #state(): Promise<object> {
		const { agent } = this.#options;
		const { provider, cwd, reasoning = null } = agent.settings;
		const { busy, usage } = this.#jobs;
		const message_count = await agent.messageCount();
		return { provider, model: agent.model, cwd, message_count, busy, usage, reasoning };
	}

	#happened(event: SessionEvent): void {
		this.#jobs.take(event);
		const { event: what } = event;
		const { log } = this.#options;
		if (what.type === "prompt.requested") {
			this.#asks
				.raise(what.prompt)
				.catch((error: unknown) => log.error("a question got no answer", { error }));
		}
		if (what.type === "prompt.answered" || what.type === "prompt.closed") this.#asks.settle(what.token);
	}
}

function describeModel(model: ReturnType<Agent["models"]>[number]): object {
	const { id, provider, contextWindow: context_window, maxOutput: max_output, reasoning, prices } = model;
	const million = prices && {
		...{ input: prices.input, output: prices.output },
		...{ cache_read: prices.cacheRead, cache_write: prices.cacheWrite },
	};
	const facts = { id, provider, context_window, max_output, reasoning: reasoning !== "none" };
	return { ...facts, ...(million && { usd_per_million: million }) };
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
