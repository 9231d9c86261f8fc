import { FaultyNetwork, type NetworkFault } from "../../chat/faulty-network.ts";
import { rateLimited } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import type { ApiResponse } from "./exchange.ts";
import { refused } from "./web-api.ts";

export interface Fault extends NetworkFault {
	/**
	 * Error with which Slack refuses the call, except with the status 429. Slack performs the call only with `drop:
	 * "after-commit"`, and never with the status 429.
	 */
	readonly error?: string;
}

/**
 * Network between the app and the simulated Slack. The label of a call is its method, or `response_url`,
 * `upload` or `download`.
 */
export class Network extends FaultyNetwork<Fault> {
	constructor(state: State) {
		super(state.clock);
	}

	/** Returns the response. Rejects with `unavailable` if no response arrives. */
	carry(label: string, answer: () => ApiResponse): Promise<ApiResponse> {
		return this.pass(label, answer, (fault) => suffer(fault, answer));
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
