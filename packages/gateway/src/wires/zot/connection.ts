import type { Logger } from "@parley/base";
import type { SessionEvent } from "@parley/core";
import type { Line } from "../../transport/ndjson.ts";
import type { Agent } from "./agent.ts";
import { decodeCommand, encodeError, failure, success } from "./codec.ts";
import { Asks, type Unanswered } from "./methods/asks.ts";
import { createHandlers, type Handlers, type Outcome } from "./methods/handlers.ts";
import { Prompts } from "./methods/prompts.ts";
import { type Command, type CommandType, type Frame, protocolVersion } from "./schema.ts";

export interface ConnectionOptions {
	readonly agent: Agent;
	readonly log: Logger;
	/** Version of the program. */
	readonly version: string;
	/** The first line must have this token, if it is set. */
	readonly token: string | undefined;
	/** Whether the client answers approvals. */
	readonly approvals: boolean;
	readonly send: (frame: Frame) => void;
	/** Resolves when the client can take more responses. */
	readonly drained: () => Promise<void>;
}

/** Commands that take effect when they are read, before the responses that are due. */
const urgent: ReadonlySet<CommandType> = new Set(["abort", "approve", "prompt", "compact"]);

/** Commands that are refused while a prompt runs. */
const atRest: ReadonlySet<CommandType> = new Set(["clear", "set_model", "set_reasoning"]);

/**
 * One client's life, without a stream: reads its lines, admits it, answers each command once in order, and sends what
 * happens.
 */
export class Connection {
	readonly #options: ConnectionOptions;
	readonly #prompts: Prompts;
	readonly #asks: Asks;
	readonly #handlers: Handlers;
	#admitted: boolean;
	#begun = false;
	/** The responses that are due; a later one waits for it. */
	#answering: Promise<void> | undefined;

	constructor(options: ConnectionOptions) {
		const { agent, log, send, approvals, token } = options;
		this.#options = options;
		this.#admitted = token === undefined || token === "";
		this.#prompts = new Prompts({ agent, log, send, settled: () => this.#answering });
		this.#asks = new Asks(agent, approvals ? (ask) => this.#prompts.tell(ask) : undefined);
		this.#handlers = createHandlers({ agent, prompts: this.#prompts, asks: this.#asks });
		agent.listen((event) => this.#happened(event));
	}

	/** Whether a command is still being carried out. */
	get busy(): boolean {
		return this.#prompts.busy || this.#answering !== undefined;
	}

	/** Reads a line. Returns false if the client must go; it has its last response. */
	take(line: Line): boolean {
		if (line.kind !== "text") {
			const why = line.kind === "oversized" ? "longer than 16 MiB" : "not UTF-8";
			this.#answer(
				failure({ id: undefined, type: "" }, `the line is ${why} (${line.bytes} bytes), and was skipped`),
			);
			return this.#admitted;
		}
		const text = this.#begun ? line.text : line.text.replace(/^\uFEFF/, "");
		this.#begun = true;
		if (text.trim() === "") return true;
		const decoded = decodeCommand(text);
		if (!this.#admitted || (decoded.kind === "command" && decoded.command.type === "hello")) {
			return this.#admit(decoded);
		}
		if (decoded.kind === "refused") this.#answer(decoded.response);
		else this.#carryOut(decoded.command);
		return true;
	}

	/** Finishes the commands of a client whose input has ended. */
	async end(why: Unanswered = "ended"): Promise<void> {
		await this.#asks
			.end(why)
			.catch((error: unknown) => this.#options.log.error("a question got no answer", { error }));
		await this.#answering;
		await this.#prompts.idle();
	}

	/** Ends everything at once. Resolves after the last `done`. */
	async terminate(why: Exclude<Unanswered, "ended">): Promise<void> {
		this.#prompts.abortAll();
		await this.end(why);
	}

	#admit(decoded: ReturnType<typeof decodeCommand>): boolean {
		if (decoded.kind === "refused") {
			this.#answer(decoded.response);
			return this.#admitted;
		}
		const { command } = decoded;
		if (command.type !== "hello") {
			this.#answer(failure(command, "auth required: send hello with token first"));
			return false;
		}
		const { token, version } = this.#options;
		// Who was let in stays, whatever it says of itself later.
		if (!this.#admitted && !isSame(command.token ?? "", token ?? "")) {
			this.#answer(failure(command, "invalid token"));
			return false;
		}
		this.#admitted = true;
		const { agent } = this.#options;
		this.#answer(() =>
			success(command, {
				protocol_version: protocolVersion,
				version,
				provider: agent.settings.provider,
				model: agent.model,
			}),
		);
		return true;
	}

	/** Sends a response behind the responses that are due. */
	#answer(response: Frame | (() => Frame)): void {
		const send = (): void => this.#options.send(typeof response === "function" ? response() : response);
		if (this.#answering === undefined) send();
		else this.#queue(async () => send());
	}

	/** Carries a command out. Responses keep the order of the commands; urgent commands do their work before their turn. */
	#carryOut(command: Command): void {
		// Judged when it was read: behind a prompt of the same write the agent is busy, and before it is not.
		if (atRest.has(command.type) && this.#prompts.busy) {
			this.#answer(failure(command, "agent is busy"));
			return;
		}
		if (this.#answering !== undefined && !urgent.has(command.type)) {
			this.#queue(() => this.#respond(command, () => this.#handle(command)));
			return;
		}
		try {
			const outcome = this.#handle(command);
			if (outcome instanceof Promise) this.#later(command, outcome);
			else if (outcome !== "later") this.#answer(success(command, outcome));
		} catch (reason) {
			this.#answer(failure(command, encodeError(reason)));
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
		// True because the handler is that of the command's own type.
		const handler = this.#handlers[command.type] as (command: Command) => Outcome | Promise<Outcome>;
		return handler(command);
	}

	#happened(event: SessionEvent): void {
		this.#prompts.take(event);
		const { event: what } = event;
		if (what.type === "prompt.requested") {
			this.#asks
				.raise(what.prompt)
				.catch((error: unknown) => this.#options.log.error("a question got no answer", { error }));
		}
		if (what.type === "prompt.answered" || what.type === "prompt.closed") this.#asks.settle(what.token);
	}
}

/** Takes as long for a wrong token as for the right one. */
function isSame(given: string, wanted: string): boolean {
	// Loaded where there is a token: who starts a process waits for it.
	const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
	const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(wanted));
}
