import type { Random } from "../random.ts";
import type { Reply, StreamedReply } from "../simulators/anthropic/reply.ts";
import { cutUp, speech } from "./cuts.ts";
import type { PassingTime } from "./passing-time.ts";

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
	/** Returns the failing reply. `now` is in milliseconds since the epoch. */
	readonly answer: (random: Random, now: number) => Reply;
	readonly fault: FaultName;
	/** Expected wait from the provider's response, in milliseconds. If undefined, no wait is expected. */
	readonly retryAfterMs?: number;
	/** Tolerance of the wait in milliseconds. By default, 0. */
	readonly spanMs?: number;
	readonly message?: RegExp;
	/** Whether the failure has fewer runs, because it has many bytes or many small time steps. */
	readonly large?: boolean;
	/** Advances the clock until the call fails. If undefined, the call fails without a timeout. */
	readonly pass?: (time: PassingTime) => Promise<void>;
}

/** Part of response bodies. No error message may contain it. */
export const bodyCanary = "CANARY-of-a-body";

/** Returns the default reply in random pieces, with these `fields` replaced. */
export function speaking(random: Random, fields: Partial<StreamedReply>): StreamedReply {
	return cutUp({ content: [{ type: "text", text: speech }], ...fields }, random);
}
