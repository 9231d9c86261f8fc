import { operator, type SessionEvent } from "@parley/core";
import { type TestRuntime, unkeyed } from "@parley/core/testing";
import type { Random } from "../random.ts";
import { wordsOfOthers } from "./word-model.ts";

/** An action of the host, or of another client of the session. */
export type NeighbourStep = "host" | "host result" | "other message" | "other decision" | "other cancel";

/** The stream of a host. `answer` sends the result of a call, and `abandon` cancels the stream. */
export interface HostStream {
	answer(toolCallId: string): void;
	abandon(): void;
}

export interface NeighbourOptions {
	readonly t: TestRuntime;
	readonly random: Random;
	readonly openHost: () => HostStream;
	/** Returns the id of the session, or "" before it exists. */
	readonly session: () => string;
}

/** The host and another client of one session. That client also decides the approvals of the session. */
export class SessionNeighbours {
	readonly faults: string[] = [];
	readonly #options: NeighbourOptions;
	#host: HostStream | undefined;
	/** Ids of the calls that the gateway has sent to the host. */
	readonly #requested: string[] = [];
	/** Ids of the calls with an open approval, by token. */
	readonly #open = new Map<string, string>();
	/** Ids of the calls that a client has approved. */
	readonly #approved = new Set<string>();
	readonly #stop: () => void;

	constructor(options: NeighbourOptions) {
		this.#options = options;
		this.#stop = options.t.runtime.observe(operator, ({ sessionId, event }) => {
			if (sessionId === options.session()) this.#receive(event);
		});
	}

	get hasHost(): boolean {
		return this.#host !== undefined;
	}

	get undecided(): readonly string[] {
		return [...this.#open.values()];
	}

	requested(tool: string, callId: string): void {
		if (tool !== "scan") this.faults.push(`the host got a call of ${tool}`);
		if (this.#requested.includes(callId)) this.faults.push(`the host got the call ${callId} twice`);
		this.#requested.push(callId);
	}

	approved(callId: string): void {
		this.#approved.add(callId);
	}

	async play(step: NeighbourStep): Promise<void> {
		const { t, random, session, openHost } = this.#options;
		const id = session();
		if (step === "host") {
			this.#host?.abandon();
			this.#host = this.#host ? undefined : openHost();
			await t.settle();
		} else if (step === "host result") {
			const isKnown = this.#requested.length > 0 && random.chance(0.9);
			this.#host?.answer(isKnown ? random.pick(this.#requested) : "unknown");
		} else if (id === "") return;
		else if (step === "other message") {
			await t.runtime.send(unkeyed(), id, { content: `Also ${random.pick(wordsOfOthers)}` });
		} else if (step === "other cancel") await t.runtime.cancel(unkeyed(), id, {});
		else await this.#decide();
	}

	/** Stops the clients, and returns the faults. `planted` contains the ids of the calls that ran. */
	end(planted: readonly string[]): readonly string[] {
		this.#host?.abandon();
		this.#stop();
		const unapproved = planted.filter((callId) => !this.#approved.has(callId));
		return [...this.faults, ...unapproved.map((callId) => `${callId} ran without an approval`)];
	}

	async #decide(): Promise<void> {
		const { t, random } = this.#options;
		const open = [...this.#open];
		if (open.length === 0) return;
		const [token, callId] = random.pick(open);
		const value = random.chance(0.6);
		if (value) this.approved(callId);
		await t.runtime.answer(unkeyed(), token, { value });
	}

	#receive(event: SessionEvent["event"]): void {
		if (event.type === "prompt.requested" && event.prompt.approval) {
			this.#open.set(event.prompt.token, event.prompt.approval.callId);
		}
		if (event.type === "prompt.answered" || event.type === "prompt.closed") this.#open.delete(event.token);
	}
}
