import type { Random } from "../random.ts";
import type { Reply, StreamedReply } from "../simulators/anthropic/reply.ts";
import { cutUp, speech } from "./cuts.ts";
import type { PassingTime } from "./passing-time.ts";

/** The fault names of a `ModelError`. */
export type FaultName =
	| "rate-limited"
	| "overloaded"
	| "interrupted"
	| "timeout"
	| "unreachable"
	| "rejected"
	| "unauthenticated";

export interface Failure {
	readonly name: string;
	/** The response that replaces a reply. `now` is the time in milliseconds since the epoch. */
	readonly answer: (random: Random, now: number) => Reply;
	readonly fault: FaultName;
	/** Wait that the provider requests, in milliseconds. */
	readonly retryAfterMs?: number;
	/** Tolerance of the wait, in milliseconds. */
	readonly spanMs?: number;
	/** Pattern of the error message for people. */
	readonly message?: RegExp;
	/** Whether the failure has fewer runs, because it has many bytes or many small time steps. */
	readonly large?: boolean;
	/** Advances the clock until the reply fails. */
	readonly pass?: (time: PassingTime) => Promise<void>;
}

/** Part of response bodies that must not appear in any error message. */
export const bodyCanary = "CANARY-of-a-body";

/** A stream of the default reply in random pieces, with these fields replaced. */
export function speaking(random: Random, fields: Partial<StreamedReply>): StreamedReply {
	return cutUp({ content: [{ type: "text", text: speech }], ...fields }, random);
}
