import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import { appMethods } from "./app-methods.ts";
import { chatMethods } from "./chat-methods.ts";
import { Contract } from "./contract.ts";
import { conversationMethods } from "./conversation-methods.ts";
import type { ApiRequest, ApiResponse } from "./exchange.ts";
import { fileMethods } from "./file-methods.ts";
import { demandScope, type Method } from "./method.ts";
import { peopleMethods } from "./people-methods.ts";
import { RateLimits } from "./rate-limits.ts";
import { reactionMethods } from "./reaction-methods.ts";
import { sessionMethods } from "./session-methods.ts";
import { streamMethods } from "./stream-methods.ts";
import { viewMethods } from "./view-methods.ts";

const methods = new Map<string, Method>(
	[
		...[...appMethods, ...chatMethods, ...conversationMethods, ...fileMethods],
		...[...peopleMethods, ...reactionMethods, ...sessionMethods],
		...[...streamMethods, ...viewMethods],
	].map((method) => [method.name, method]),
);

/** Simulated Web API of Slack. Answers each call synchronously. */
export class WebApi {
	readonly #state: State;
	readonly #contract = Contract.load();
	readonly #limits: RateLimits;

	constructor(state: State) {
		this.#state = state;
		this.#limits = new RateLimits(state);
	}

	answer(request: ApiRequest): ApiResponse {
		try {
			const body = this.#carryOut(request);
			// The body is a copy, so that later changes of the simulator do not change the response.
			return { status: 200, headers: {}, body: structuredClone({ ok: true, ...body }) };
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			return refused(error);
		}
	}

	/** Returns the arguments of a form, converted to the argument types of the method. */
	readForm(method: string, fields: Readonly<Record<string, string>>): Record<string, unknown> {
		return this.#contract.readForm(method, fields);
	}

	#carryOut({ method: name, args, token }: ApiRequest): Readonly<Record<string, unknown>> {
		const method = methods.get(name);
		if (!method) {
			this.#state.violations.push(`there is no method ${name}`);
			throw new Refusal("unknown_method", { body: { req_method: name } });
		}
		this.#authorize(method, token);
		this.#limits.count(method, args["channel"]);
		if (method.scope !== undefined) demandScope(this.#state, method.scope);
		this.#check(method, args);
		return method.handle({ state: this.#state, args });
	}

	/**
	 * Throws unless the token of a call is valid for the method:
	 * https://docs.slack.dev/reference/methods/auth.test#errors
	 */
	#authorize({ token: kind }: Method, token: string | undefined): void {
		const { app } = this.#state;
		if (token === undefined || token === "") throw new Refusal("not_authed");
		const kinds = { bot: app.botToken, app: app.appToken, configuration: app.configToken };
		const found = Object.entries(kinds).find(([, known]) => known === token)?.[0];
		if (found === undefined) throw new Refusal("invalid_auth");
		if (app.tokenError !== undefined) throw new Refusal(app.tokenError);
		if (found !== kind) throw new Refusal("not_allowed_token_type");
	}

	#check({ name }: Method, args: unknown): void {
		const faults = this.#contract.faults(name, args);
		if (faults.length === 0) return;
		this.#state.violations.push(...faults.map((fault) => `${name}${fault}`));
		throw faultyArguments(faults);
	}
}

/** Returns the refusal of invalid arguments. Slack has a separate error if only blocks are invalid. */
export function faultyArguments(faults: readonly string[]): Refusal {
	const isOfBlocks = faults.every((fault) => fault.startsWith("/blocks"));
	const body = { response_metadata: { messages: faults.map((fault) => `[ERROR] ${fault}`) } };
	return isOfBlocks
		? new Refusal("invalid_blocks", { body: { ...body, errors: faults } })
		: new Refusal("invalid_arguments", { body });
}

/** Returns an error response: https://docs.slack.dev/apis/web-api#errors */
export function refused({ error, details }: Refusal): ApiResponse {
	const { status = 200, body, retryAfterMs } = details;
	const headers =
		retryAfterMs === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
	return { status, headers, body: { ok: false, error, ...body } };
}
