import type { Clock } from "@parley/base";
import type {
	Client,
	MethodInput,
	MethodResult,
	OpenSession,
	RequestMethod,
	SessionClient,
} from "@parley/protocol";

/**
 * Age of a pending request, in milliseconds, after which `state` is `waiting`. Even a busy gateway responds earlier.
 */
const patienceMs = 5000;

/**
 * Client for the gateway. Its requests are aborted when the connector stops. `state` reports whether the gateway
 * responds.
 */
export class GatewayWatch implements SessionClient {
	readonly #gateway: Client;
	readonly #clock: Clock;
	readonly #stopping: AbortSignal;
	/** Runs before each request. If it returns a promise, the request waits for the promise. */
	readonly #before: () => Promise<void> | undefined;
	/** Start times of pending requests in milliseconds since the epoch, the oldest first. */
	readonly #pending = new Set<{ readonly at: number }>();
	#changedAt: number;

	constructor(
		gateway: Client,
		clock: Clock,
		stopping: AbortSignal,
		before: () => Promise<void> | undefined = () => undefined,
	) {
		this.#gateway = gateway;
		this.#before = before;
		this.#clock = clock;
		this.#stopping = stopping;
		this.#changedAt = clock.now();
	}

	request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		options: Parameters<Client["request"]>[2] = {},
	): Promise<MethodResult<Name>> {
		return this.#watch(() =>
			this.#gateway.request(method, params, { ...options, signal: this.#signal(options.signal) }),
		);
	}

	open(...[params, options = {}]: Parameters<Client["open"]>): Promise<OpenSession> {
		return this.#watch(() =>
			this.#gateway.open(params, { ...options, signal: this.#signal(options.signal) }),
		);
	}

	/** Returns whether the gateway answers requests, and since when. */
	get state(): { readonly state: "reached" | "waiting"; readonly since: number } {
		const [oldest] = this.#pending;
		const isLate = oldest !== undefined && this.#clock.now() - oldest.at > patienceMs;
		return isLate ? { state: "waiting", since: oldest.at } : { state: "reached", since: this.#changedAt };
	}

	#signal(signal: AbortSignal | undefined): AbortSignal {
		return signal ? AbortSignal.any([signal, this.#stopping]) : this.#stopping;
	}

	async #watch<Value>(work: () => Promise<Value>): Promise<Value> {
		const pending = { at: this.#clock.now() };
		this.#pending.add(pending);
		try {
			const before = this.#before();
			if (before !== undefined) await before;
			return await work();
		} finally {
			if (this.state.state === "waiting") this.#changedAt = this.#clock.now();
			this.#pending.delete(pending);
		}
	}
}
