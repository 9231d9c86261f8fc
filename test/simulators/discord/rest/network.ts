import { FaultyNetwork, type NetworkFault } from "../../chat/faulty-network.ts";
import type { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import type { RestRequest, RestResponse } from "./exchange.ts";
import { limited } from "./rate-limits.ts";
import { findRoute, labelOf, type RestApi, refused } from "./rest-api.ts";

export interface Fault extends NetworkFault {
	/**
	 * Scope of a 429:
	 * - `user`: a bucket of the app.
	 * - `global`: the limit of all requests of the app.
	 * - `shared`: a limit that other apps share.
	 */
	readonly scope?: "user" | "global" | "shared";
}

/**
 * Network between the app and the simulated Discord. The label of a request is its route, for example `POST
 * /channels/{channel_id}/messages`.
 */
export class Network extends FaultyNetwork<Fault> {
	readonly #api: RestApi;
	readonly #state: State;

	constructor(state: State, api: RestApi) {
		super(state.clock);
		this.#state = state;
		this.#api = api;
	}

	/** Returns the response. Rejects with `unavailable` if no response arrives. */
	carry(request: RestRequest): Promise<RestResponse> {
		const route = findRoute(request.method, request.path)?.route;
		return this.pass(
			labelOf(route ?? request),
			() => this.#api.answer(request),
			(fault) => this.#suffer(request, fault),
		);
	}

	#suffer(request: RestRequest, { drop, status, retryAfter, scope }: Fault): RestResponse | undefined {
		if (status === 429) return this.#limit(limited(retryAfter ?? 1000, scope ?? "user"));
		const done =
			drop === "before" || (status !== undefined && drop === undefined)
				? undefined
				: this.#api.answer(request);
		if (status !== undefined)
			return { status, headers: {}, body: { message: `${status}: Simulated`, code: 0 } };
		return drop === undefined ? done : undefined;
	}

	#limit(refusal: Refusal): RestResponse {
		this.#api.limits.countInvalid(refusal);
		const state = this.#state;
		const wait = refusal.details.retryAfter ?? 0;
		return refused(refusal, {
			...{ "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0" },
			"x-ratelimit-reset": (state.now() / 1000 + wait).toFixed(3),
			...{ "x-ratelimit-reset-after": wait.toFixed(3), "x-ratelimit-bucket": "simulated" },
		});
	}
}
