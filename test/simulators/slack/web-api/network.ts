import { type Clock, delay, ParleyError } from "@parley/base";
import { rateLimited } from "../world/refusal.ts";
import type { State } from "../world/state.ts";
import type { ApiResponse } from "./exchange.ts";
import { refused } from "./web-api.ts";

/** What goes wrong with a call on its way. */
export interface Fault {
	/** The connection ends before Slack has read it, or after Slack has done it. */
	readonly drop?: "before" | "after-commit";
	/** Slack answers so and does nothing; with `drop: "after-commit"` it has done it all the same. */
	readonly status?: number;
	/** Of a 429, in milliseconds. */
	readonly retryAfter?: number;
	/** Slack refuses with this word and does nothing; with `drop: "after-commit"` it has done it all the same. */
	readonly error?: string;
	/** How long the answer takes. */
	readonly delayMs?: number;
	/** The answer waits for it. */
	readonly until?: Promise<void>;
}

interface Planned {
	readonly pattern: RegExp;
	readonly fault: Fault;
}

/**
 * Between an app and Slack: where tests make things go wrong. What goes over it is named by its method, or is
 * `response_url`, `upload` or `download`.
 */
export class Network {
	readonly #clock: Clock;
	#planned: Planned[] = [];
	#each: (label: string) => Fault | undefined = () => undefined;

	constructor(state: State) {
		this.#clock = state.clock;
	}

	/** Breaks the next call of that name: `chat.postMessage`, with `*` for anything. */
	next(label: string, fault: Fault): void {
		const escaped = label.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
		this.#planned.push({ pattern: new RegExp(`^${escaped}$`), fault });
	}

	/** Asks for every call for which nothing is planned what goes wrong with it. */
	each(choose: (label: string) => Fault | undefined): void {
		this.#each = choose;
	}

	/** Nothing goes wrong any more. */
	heal(): void {
		this.#planned = [];
		this.#each = () => undefined;
	}

	/** What is planned and has not happened. */
	get pending(): number {
		return this.#planned.length;
	}

	/** Rejects with `unavailable` where no answer comes. */
	async carry(label: string, answer: () => ApiResponse): Promise<ApiResponse> {
		const fault = this.#take(label);
		// A call is always on its way for a moment: nobody hears of its answer before it was sent.
		await Promise.resolve();
		if (!fault) return answer();
		const response = suffer(fault, answer);
		if (fault.delayMs !== undefined) await delay(this.#clock, fault.delayMs);
		await fault.until;
		if (response) return response;
		throw new ParleyError("the connection ended without an answer", { code: "unavailable" });
	}

	#take(label: string): Fault | undefined {
		const index = this.#planned.findIndex(({ pattern }) => pattern.test(label));
		if (index < 0) return this.#each(label);
		return this.#planned.splice(index, 1)[0]?.fault;
	}
}

function suffer(
	{ drop, status, error, retryAfter }: Fault,
	answer: () => ApiResponse,
): ApiResponse | undefined {
	if (status === 429) return refused(rateLimited(retryAfter ?? 1000));
	const isInstead = status !== undefined || error !== undefined;
	const isDone = drop === "after-commit" || (drop === undefined && !isInstead);
	const done = isDone ? answer() : undefined;
	if (error !== undefined) return { status: status ?? 200, headers: {}, body: { ok: false, error } };
	if (status !== undefined) return { status, headers: {}, body: {} };
	return drop === undefined ? done : undefined;
}
