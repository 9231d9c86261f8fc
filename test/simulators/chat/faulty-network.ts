import { type Clock, delay, ParleyError } from "@parley/base";

export interface NetworkFault {
	/** The connection ends before the platform has read the request, or after it has performed it. */
	readonly drop?: "before" | "after-commit";
	/**
	 * The platform responds with this status and does not perform the request. With `drop: "after-commit"` it performs it.
	 */
	readonly status?: number;
	/** `retry_after` of a 429, in milliseconds. */
	readonly retryAfter?: number;
	readonly delayMs?: number;
	/** The response waits for this promise. */
	readonly until?: Promise<void>;
}

interface Planned<Fault> {
	readonly pattern: RegExp;
	readonly fault: Fault;
}

/** The network between an app and a platform, in which tests plan faults. Each request has a label. */
export class FaultyNetwork<Fault extends NetworkFault> {
	readonly #clock: Clock;
	#planned: Planned<Fault>[] = [];
	#each: (label: string) => Fault | undefined = () => undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Plans a fault for the next request with this label, `*` for any. */
	next(label: string, fault: Fault): void {
		const escaped = label.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
		this.#planned.push({ pattern: new RegExp(`^${escaped}$`), fault });
	}

	/** Calls `choose` for the fault of each request without a planned one. */
	each(choose: (label: string) => Fault | undefined): void {
		this.#each = choose;
	}

	heal(): void {
		this.#planned = [];
		this.#each = () => undefined;
	}

	get pending(): number {
		return this.#planned.length;
	}

	/** The platform's response, or that of a fault. Rejects with `unavailable` if no response arrives. */
	protected async pass<Answer>(
		label: string,
		answer: () => Answer,
		suffer: (fault: Fault) => Answer | undefined,
	): Promise<Answer> {
		const fault = this.#nextFault(label);
		// A request takes at least one tick, so no response arrives before the request was sent.
		await Promise.resolve();
		if (!fault) return answer();
		const suffered = suffer(fault);
		if (fault.delayMs !== undefined) await delay(this.#clock, fault.delayMs);
		await fault.until;
		if (suffered !== undefined) return suffered;
		throw new ParleyError("the connection ended without an answer", { code: "unavailable" });
	}

	#nextFault(label: string): Fault | undefined {
		const index = this.#planned.findIndex(({ pattern }) => pattern.test(label));
		if (index < 0) return this.#each(label);
		return this.#planned.splice(index, 1)[0]?.fault;
	}
}
