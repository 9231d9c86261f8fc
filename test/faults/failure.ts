import type { Random } from "../random.ts";
import type { Reply, StreamedReply } from "../simulators/anthropic/reply.ts";
import { cutUp, speech } from "./cuts.ts";
import type { PassingTime } from "./passing-time.ts";

/** What a model port calls it. */
export type FaultName =
	| "rate-limited"
	| "overloaded"
	| "interrupted"
	| "timeout"
	| "unreachable"
	| "rejected"
	| "unauthenticated";

/** One way in which a reply cannot be had. */
export interface Failure {
	readonly name: string;
	/** What is said in place of a reply; `now` is the time in milliseconds since the epoch. */
	readonly answer: (random: Random, now: number) => Reply;
	readonly fault: FaultName;
	/** What the provider asks to wait, in milliseconds. */
	readonly retryAfterMs?: number;
	/** So much longer at most. */
	readonly spanMs?: number;
	/** Of the message for people. */
	readonly message?: RegExp;
	/** So many bytes, or so much time in small steps, that it runs less often. */
	readonly large?: boolean;
	/** The time that has to pass before it fails. */
	readonly pass?: (time: PassingTime) => Promise<void>;
}

/** Must never be seen: part of bodies that nobody may repeat. */
export const bodyCanary = "CANARY-of-a-body";

/** A stream that says the speech, cut up, but for what is told. */
export function speaking(random: Random, told: Partial<StreamedReply>): StreamedReply {
	return cutUp({ content: [{ type: "text", text: speech }], ...told }, random);
}
