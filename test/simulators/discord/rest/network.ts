import { type Clock, delay, ParleyError } from "@parley/base";
import type { Refusal } from "../world/refusal.ts";
import type { State } from "../world/state.ts";
import type { RestRequest, RestResponse } from "./exchange.ts";
import { limited } from "./rate-limits.ts";
import { findRoute, labelOf, type RestApi, refused } from "./rest-api.ts";

/** What goes wrong with a request on its way. */
export interface Fault {
	/** The connection ends before Discord has read it, or after Discord has done it. */
	readonly drop?: "before" | "after-commit";
	/** Discord answers so and does nothing; with `drop: "after-commit"` it has done it all the same. */
	readonly status?: number;
	/** Of a 429, in milliseconds. */
	readonly retryAfter?: number;
	/** Of a 429: a bucket, all of them, or what others have used up. */
	readonly scope?: "user" | "global" | "shared";
	/** How long the answer takes. */
	readonly delayMs?: number;
}

interface Planned {
	readonly pattern: RegExp;
	readonly fault: Fault;
}

/** Between an app and Discord: where tests make things go wrong. */
export class Network {
	readonly #api: RestApi;
	readonly #state: State;
	readonly #clock: Clock;
	#planned: Planned[] = [];
	#each: (label: string) => Fault | undefined = () => undefined;

	constructor(state: State, api: RestApi) {
		this.#state = state;
		this.#clock = state.clock;
		this.#api = api;
	}

	/** Breaks the next request of that route: `POST /channels/{channel_id}/messages`, with `*` for anything. */
	next(route: string, fault: Fault): void {
		const escaped = route.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
		this.#planned.push({ pattern: new RegExp(`^${escaped}$`), fault });
	}

	/** Asks for every request for which nothing is planned what goes wrong with it. */
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
	async carry(request: RestRequest): Promise<RestResponse> {
		const route = findRoute(request.method, request.path)?.route;
		const fault = this.#take(labelOf(route ?? request));
		// A request is always on its way for a moment: nobody hears of its answer before it was sent.
		await Promise.resolve();
		if (!fault) return this.#api.answer(request);
		const answer = this.#suffer(request, fault);
		if (fault.delayMs !== undefined) await delay(this.#clock, fault.delayMs);
		if (answer === undefined)
			throw new ParleyError("the connection ended without an answer", { code: "unavailable" });
		return answer;
	}

	#take(label: string): Fault | undefined {
		const index = this.#planned.findIndex(({ pattern }) => pattern.test(label));
		if (index < 0) return this.#each(label);
		return this.#planned.splice(index, 1)[0]?.fault;
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
