import { Refusal, refusals } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { appRoutes } from "./app-routes.ts";
import { channelRoutes } from "./channel-routes.ts";
import { Contract } from "./contract.ts";
import type { RestRequest, RestResponse } from "./exchange.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { interactionRoutes } from "./interaction-routes.ts";
import { messageRoutes } from "./message-routes.ts";
import { LimitedRefusal, RateLimits } from "./rate-limits.ts";
import type { Reply, Route } from "./route.ts";

const routes: readonly { readonly route: Route; readonly pattern: readonly string[] }[] = [
	...appRoutes,
	...gatewayRoutes,
	...channelRoutes,
	...messageRoutes,
	...interactionRoutes,
].map((route) => ({ route, pattern: route.path.split("/") }));

interface Match {
	readonly route: Route;
	readonly params: Record<string, string>;
}

/** Returns the method and route of an operation, for example `POST /channels/{channel_id}/messages`. */
export function labelOf({ method, path }: { readonly method: string; readonly path: string }): string {
	return `${method} ${path}`;
}

function matches(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
	if (pattern.length !== parts.length) return undefined;
	const params: Record<string, string> = {};
	for (const [index, name] of pattern.entries()) {
		const part = parts[index] ?? "";
		if (name.startsWith("{")) params[name.slice(1, -1)] = part;
		else if (name !== part) return undefined;
	}
	return params;
}

/** Finds the route of a request. Among several matches, returns the route with the fewest parameters. */
export function findRoute(method: string, path: string): Match | undefined {
	const parts = path.split("/").map(decodeURIComponent);
	const found = routes.flatMap(({ route, pattern }) => {
		const params = route.method === method ? matches(pattern, parts) : undefined;
		return params ? [{ route, params }] : [];
	});
	return found.sort((one, other) => Object.keys(one.params).length - Object.keys(other.params).length)[0];
}

/** Simulated REST API of Discord, version 10. Answers each request synchronously. */
export class RestApi {
	readonly limits: RateLimits;
	readonly #state: State;
	readonly #contract = Contract.load();

	constructor(state: State) {
		this.#state = state;
		this.limits = new RateLimits(state);
	}

	answer(request: RestRequest): RestResponse {
		// A banned app receives an HTML page from Cloudflare instead of JSON.
		if (this.limits.banned) return { status: 429, headers: { "retry-after": "600" }, body: null };
		const headers: Record<string, string> = {};
		try {
			const reply = this.#reply(request, headers);
			return { ...reply, headers };
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			this.limits.countInvalid(error);
			return refused(error, headers);
		}
	}

	#reply(request: RestRequest, headers: Record<string, string>): Reply {
		const found = findRoute(request.method, request.path);
		if (!found) {
			this.#state.violations.push(`there is no ${request.method} ${request.path}`);
			throw refusals.notFound();
		}
		const { route, params } = found;
		const open = route.open === true;
		Object.assign(headers, this.limits.count({ label: labelOf(route), params, open }));
		if (!open && request.authorization !== `Bot ${this.#state.app.token}`) throw refusals.unauthorized();
		this.#check(route, params, request);
		const { query, body, files } = request;
		const reply = route.handle({ state: this.#state, params, query, body, files });
		// The response contains a copy, so that later changes of the simulator do not affect it.
		const settled = { ...reply, body: structuredClone(reply.body) };
		this.#checkAnswer(route, settled);
		return settled;
	}

	#check(route: Route, params: Record<string, string>, { query, body }: RestRequest): void {
		const faults = this.#contract?.faultsOfRequest(route, { query, body, params }) ?? [];
		if (faults.length === 0) return;
		this.#state.violations.push(...faults.map((fault) => `${labelOf(route)}: ${fault}`));
		throw refusals.invalidForm(faults);
	}

	/** Records the faults of a response as violations, because they are faults of the simulator. */
	#checkAnswer({ method, path }: Route, { status, body }: Reply): void {
		const faults = this.#contract?.faultsOfAnswer(method, path, status, body) ?? [];
		this.#state.violations.push(
			...faults.map((fault) => `the simulator's answer to ${method} ${path}: ${fault}`),
		);
	}
}

/** Returns an error response: https://discord.com/developers/docs/reference#error-messages */
export function refused(refusal: Refusal, headers: Readonly<Record<string, string>>): RestResponse {
	const { status, code, message, details } = refusal;
	const { retryAfter, scope, faults } = details;
	const bucket = refusal instanceof LimitedRefusal ? refusal.headers : headers;
	if (retryAfter === undefined) {
		const errors = faults && {
			errors: { _errors: faults.map((fault) => ({ code: "INVALID", message: fault })) },
		};
		return { status, headers: bucket, body: { message, code, ...errors } };
	}
	const limit = {
		"retry-after": String(Math.ceil(retryAfter)),
		"x-ratelimit-scope": scope ?? "user",
		...(scope === "global" && { "x-ratelimit-global": "true" }),
	};
	const body = { message, code, retry_after: retryAfter, global: scope === "global" };
	return { status, headers: { ...bucket, ...limit }, body };
}
