import type { Logger } from "@parley/base";
import type { SessionEvent } from "@parley/core";
import { zotErrorTexts } from "../../texts/wires/zot.ts";
import type { Line } from "../../transport/ndjson.ts";
import type { Agent } from "./agent.ts";
import { decodeCommand, encodeZotError, failure, success } from "./codec.ts";
import { Approvals, type Unanswered } from "./methods/approvals.ts";
import { createHandlers, type Handlers, type Outcome } from "./methods/handlers.ts";
import { Prompts } from "./methods/prompts.ts";
import { type Command, type CommandType, type Frame, protocolVersion } from "./schema.ts";

export interface ConnectionOptions {
	readonly agent: Agent;
	readonly log: Logger;
	readonly version: string;
	/** Token that the client must send in `hello` before other commands. Undefined or empty if no token is needed. */
	readonly token: string | undefined;
	readonly approvals: boolean;
	readonly send: (frame: Frame) => void;
	/** Resolves when the client can receive further responses. */
	readonly drained: () => Promise<void>;
}

/** Commands that are executed as soon as they are read, before pending responses are sent. */
const urgent: ReadonlySet<CommandType> = new Set(["abort", "approve", "prompt", "compact"]);

/** Commands that are refused while a prompt or a compaction is running or waiting. */
const onlyIdle: ReadonlySet<CommandType> = new Set(["clear", "set_model", "set_reasoning"]);

/**
 * The protocol for one client, without its streams. Reads the lines of the client, admits the client, answers each
 * command once, and sends events. Responses are in the order of the commands, except that prompts and compactions are
 * answered when they start.
 */
export class ZotConnection {
	readonly #options: ConnectionOptions;
	readonly #prompts: Prompts;
	readonly #approvals: Approvals;
	readonly #handlers: Handlers;
	#admitted: boolean;
	#hasStarted = false;
	/** Resolves when the pending responses have been sent. A later response waits for this promise. */
	#answering: Promise<void> | undefined;

	constructor(options: ConnectionOptions) {
		const { agent, log, send, approvals, token } = options;
		this.#options = options;
		this.#admitted = token === undefined || token === "";
		this.#prompts = new Prompts({ agent, log, send, settled: () => this.#answering });
		this.#approvals = new Approvals(agent, approvals ? (ask) => this.#prompts.notify(ask) : undefined);
		this.#handlers = createHandlers({ agent, prompts: this.#prompts, approvals: this.#approvals });
		agent.listen((event) => this.#happened(event));
	}

	get busy(): boolean {
		return this.#prompts.busy || this.#answering !== undefined;
	}

	/** Reads a line. Returns false if the client must be disconnected after the response to the line. */
	receive(line: Line): boolean {
		if (line.kind !== "text") {
			const reason = line.kind === "oversized" ? zotErrorTexts.longLine : zotErrorTexts.notUtf8;
			this.#answer(
				failure({ id: undefined, type: "" }, zotErrorTexts.lineSkipped({ reason, bytes: line.bytes })),
			);
			return this.#admitted;
		}
		const text = this.#hasStarted ? line.text : line.text.replace(/^\uFEFF/, "");
		this.#hasStarted = true;
		if (text.trim() === "") return true;
		const decoded = decodeCommand(text);
		if (!this.#admitted || (decoded.kind === "command" && decoded.command.type === "hello")) {
			return this.#admit(decoded);
		}
		if (decoded.kind === "refused") this.#answer(decoded.response);
		else this.#carryOut(decoded.command);
		return true;
	}

	/** Denies all open and later approvals. Resolves when all commands are done. */
	async end(reason: Unanswered = "ended"): Promise<void> {
		await this.#approvals
			.end(reason)
			.catch((error: unknown) => this.#options.log.error("an approval could not be answered", { error }));
		await this.#answering;
		await this.#prompts.idle();
	}

	/** Ends all commands. Resolves after the last `done`. */
	async terminate(reason: Exclude<Unanswered, "ended">): Promise<void> {
		this.#prompts.abortAll();
		await this.end(reason);
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
		// An admitted client stays admitted, even if a later `hello` has a wrong token.
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

	/** Sends a response after the pending responses. */
	#answer(response: Frame | (() => Frame)): void {
		const send = (): void => this.#options.send(typeof response === "function" ? response() : response);
		if (this.#answering === undefined) send();
		else this.#queue(async () => send());
	}

	/**
	 * Executes a command and sends its response. Urgent commands do their work at once, but their responses wait for
	 * the pending responses.
	 */
	#carryOut(command: Command): void {
		// The state is checked when the command is read. A prompt in the same write makes the agent busy only for the
		// commands after the prompt.
		if (onlyIdle.has(command.type) && this.#prompts.busy) {
			this.#answer(failure(command, "agent is busy"));
			return;
		}
		if (this.#answering !== undefined && !urgent.has(command.type)) {
			this.#queue(() => this.#respond(command, () => this.#handle(command)));
			return;
		}
		try {
			const outcome = this.#handle(command);
			if (outcome instanceof Promise) this.#answerLater(command, outcome);
			else if (outcome !== "later") this.#answer(success(command, outcome));
		} catch (reason) {
			this.#answer(failure(command, encodeZotError(reason)));
		}
	}

	#answerLater(command: Command, outcome: Promise<Outcome>): void {
		// The work may fail before its response is due, and no other code handles the rejection until then.
		outcome.catch(() => undefined);
		this.#queue(() => this.#respond(command, () => outcome));
	}

	async #respond(command: Command, work: () => Outcome | Promise<Outcome>): Promise<void> {
		try {
			const outcome = await work();
			if (outcome !== "later") this.#options.send(success(command, outcome));
		} catch (reason) {
			this.#options.send(failure(command, encodeZotError(reason)));
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
		// The cast is safe because the handler is looked up by the type of the command.
		const handler = this.#handlers[command.type] as (command: Command) => Outcome | Promise<Outcome>;
		return handler(command);
	}

	#happened(event: SessionEvent): void {
		this.#prompts.receive(event);
		const { event: inner } = event;
		if (inner.type === "prompt.requested") {
			this.#approvals
				.raise(inner.prompt)
				.catch((error: unknown) => this.#options.log.error("an approval could not be answered", { error }));
		}
		if (inner.type === "prompt.answered" || inner.type === "prompt.closed")
			this.#approvals.settle(inner.token);
	}
}

/** Whether two tokens are equal. The comparison takes constant time. */
function isSame(actual: string, expected: string): boolean {
	// The module is loaded only if a token is set, because loading it delays the start of the process.
	const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
	const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(actual), digest(expected));
}
