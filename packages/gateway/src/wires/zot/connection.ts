import type { Line } from "../../transport/ndjson.ts";
import type { Agent } from "./agent.ts";
import type { Unanswered } from "./asks.ts";
import { decodeCommand, failure, success } from "./codec.ts";
import { Responder, type ResponderOptions } from "./responder.ts";
import { type Command, type Frame, protocolVersion } from "./schema.ts";

/** An agent that is opened when the client has been heard, and what is known of it before. */
export interface ComingAgent {
	readonly provider: string;
	/** The real name of the model that will answer. */
	readonly model: string;
	/** Called once. */
	open(): Promise<Agent>;
}

export interface ConnectionOptions extends Omit<ResponderOptions, "agent"> {
	readonly agent: Agent | ComingAgent;
	/** Of the program. */
	readonly version: string;
	/** What the first line has to bring, where that is set. */
	readonly token: string | undefined;
}

/**
 * One client's life: reads its lines, lets it in, answers each command once, and tells what happens. Knows no stream. What
 * needs no agent is answered before there is one, as long as nothing waits for it.
 */
export class Connection {
	readonly #options: ConnectionOptions;
	readonly #attached = Promise.withResolvers<Responder>();
	#agent: Agent | ComingAgent;
	#responder: Responder | undefined;
	/** What waits for the agent, in its order. */
	#held: ((responder: Responder) => void)[] = [];
	#admitted: boolean;
	#begun = false;

	constructor(options: ConnectionOptions) {
		const { agent, token } = options;
		this.#options = options;
		this.#agent = agent;
		this.#admitted = token === undefined || token === "";
		// Perhaps nobody waits for it; who opens it is told in any case.
		this.#attached.promise.catch(() => undefined);
		if (!("open" in agent)) this.#attach(agent);
	}

	/** Opens the agent where it is one to come, and does what waits for it. Rejects where it cannot be opened. */
	async open(): Promise<void> {
		if (!("open" in this.#agent)) return;
		try {
			this.#attach(await this.#agent.open());
		} catch (error) {
			this.#attached.reject(error);
			throw error;
		}
	}

	/** Whether commands wait for the agent: all that is read until then is kept. */
	get waits(): boolean {
		return this.#held.length > 0;
	}

	/** Whether a command is still being carried out, or waits for the agent. */
	get busy(): boolean {
		return this.waits || (this.#responder?.busy ?? false);
	}

	/** Reads a line. False where the client may not stay: what it was told is the last word. */
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

	/** The client says no more: finishes what it has asked for. */
	async end(): Promise<void> {
		const responder = this.#responder ?? (await this.#atWork());
		await responder?.end();
	}

	/** Ends everything at once, because of this; resolves when the last `done` was told. */
	async terminate(why: Exclude<Unanswered, "ended">): Promise<void> {
		const responder = this.#responder ?? (await this.#atWork());
		await responder?.terminate(why);
	}

	#attach(agent: Agent): void {
		const { log, send, drained, approvals } = this.#options;
		const responder = new Responder({ agent, log, send, drained, approvals });
		this.#agent = agent;
		this.#responder = responder;
		const held = this.#held;
		this.#held = [];
		for (const act of held) act(responder);
		this.#attached.resolve(responder);
	}

	/** Undefined where nobody has asked for what needs the agent. */
	async #atWork(): Promise<Responder | undefined> {
		return this.waits ? this.#attached.promise : undefined;
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
		this.#answer(() =>
			success(command, {
				...{ protocol_version: protocolVersion, version },
				...this.#whoAnswers(),
			}),
		);
		return true;
	}

	#whoAnswers(): { readonly provider: string; readonly model: string } {
		const { provider } = "open" in this.#agent ? this.#agent : this.#agent.settings;
		return { provider, model: this.#agent.model };
	}

	/** What it says waits for the responses before it. */
	#answer(response: Frame | (() => Frame)): void {
		if (this.#responder) this.#responder.answer(response);
		else if (this.waits) this.#held.push((responder) => responder.answer(response));
		else this.#options.send(typeof response === "function" ? response() : response);
	}

	#carryOut(command: Command): void {
		if (this.#responder) this.#responder.carryOut(command);
		else if (command.type === "ping" && !this.waits) this.#answer(success(command, { pong: true }));
		else this.#held.push((responder) => responder.carryOut(command));
	}
}

/** Takes as long for a wrong token as for the right one. */
function isSame(given: string, wanted: string): boolean {
	// Loaded where there is a token: who starts a process waits for it.
	const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
	const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(wanted));
}
