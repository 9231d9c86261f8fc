import { type Clock, delay, ParleyError } from "@parley/base";

export interface NetworkFault {
	/**
	 * Point at which the request fails. `before`: the platform does not perform the request. `after-commit`: the
	 * platform performs the request. Without `status`, the connection ends without a response.
	 */
	readonly drop?: "before" | "after-commit";
	/**
	 * Status of the response. The platform performs the request only with `drop: "after-commit"`, and never with
	 * 429.
	 */
	readonly status?: number;
	/** `retry_after` of a 429, in milliseconds. */
	readonly retryAfter?: number;
	readonly delayMs?: number;
	/** Promise that must resolve before the response is sent. */
	readonly until?: Promise<void>;
}

interface Planned<Fault> {
	readonly pattern: RegExp;
	readonly fault: Fault;
}

/** Network between a connector and a simulated platform. Tests plan faults for requests by label. */
export class FaultyNetwork<Fault extends NetworkFault> {
	readonly #clock: Clock;
	#planned: Planned<Fault>[] = [];
	#each: (label: string) => Fault | undefined = () => undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Plans a fault for one request. `*` in `label` matches any text. */
	next(label: string, fault: Fault): void {
		const escaped = label.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
		this.#planned.push({ pattern: new RegExp(`^${escaped}$`), fault });
	}

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

	/**
	 * Resolves with the platform's response or, if a fault is planned for the request, with the fault's response.
	 * Rejects with `unavailable` if the fault has no response.
	 */
	protected async pass<Answer>(
		label: string,
		answer: () => Answer,
		suffer: (fault: Fault) => Answer | undefined,
	): Promise<Answer> {
		const fault = this.#nextFault(label);
		// A request takes at least one tick, so that no response arrives before the request has been sent.
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
