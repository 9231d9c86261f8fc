import type { Random } from "../random.ts";
import type { Reply, StreamedReply } from "../simulators/anthropic/reply.ts";
import { cutUp, speech } from "./cuts.ts";
import type { PassingTime } from "./passing-time.ts";

/** The faults of a `ModelError`. */
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
	/** The response in place of a reply. `now` is the time in milliseconds since the epoch. */
	readonly answer: (random: Random, now: number) => Reply;
	readonly fault: FaultName;
	/** Milliseconds that the provider requests to wait. */
	readonly retryAfterMs?: number;
	/** Milliseconds that the wait may be longer. */
	readonly spanMs?: number;
	/** Pattern of the message for people. */
	readonly message?: RegExp;
	/** Runs less often, because of its size or its many small time steps. */
	readonly large?: boolean;
	/** Advances the clock until the reply fails. */
	readonly pass?: (time: PassingTime) => Promise<void>;
}

/** Part of response bodies, which must not appear in any message. */
export const bodyCanary = "CANARY-of-a-body";

/** A stream of the speech in random pieces, with these fields replaced. */
export function speaking(random: Random, fields: Partial<StreamedReply>): StreamedReply {
	return cutUp({ content: [{ type: "text", text: speech }], ...fields }, random);
}
