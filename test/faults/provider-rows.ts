import type { Random } from "../random.ts";
import type { Reply, StatusReply, WireEvent } from "../simulators/anthropic/reply.ts";
import type { Counted, ProviderReply, ProviderWire } from "../simulators/providers/wire.ts";
import { brokenStreams } from "./broken-streams.ts";
import { bodyCanary, type Failure, speaking } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";
import { statusFailures } from "./status-failures.ts";

export interface ProviderFailure extends Omit<Failure, "answer"> {
	readonly answer: (random: Random, now: number) => ProviderReply | StatusReply;
}

/** Removes the usage, because each service reports usage in its own format. */
function anywhere(reply: Reply): ProviderReply | StatusReply {
	if ("status" in reply) return reply;
	const { usage: _, ...same } = reply;
	return same;
}

/** Rows that apply to all services. */
const shared = [...statusFailures, ...brokenStreams].filter(
	({ name }) => !/^200, then error|^clean end (?:just before|in the middle)/.test(name),
);

/** Returns the rows of the fault table for one service: the shared rows, and rows in its own format. */
export function failuresOf(wire: ProviderWire): (ProviderFailure & Repeated)[] {
	const rows = [
		...shared,
		...rowOf<Failure>([
			sent("server_error", "overloaded"),
			sent("rate_limit_error", "rate-limited"),
			sent("invalid_request_error", "rejected"),
			sent("authentication_error", "unauthenticated"),
			{ ...sent("server_error", "overloaded", 40), name: "200, then error: server_error after 40 deltas" },
		]),
		...rowOf<Failure>([
			status(429, { code: "insufficient_quota", type: "insufficient_quota" }, "rejected", /billing/),
			status(400, { code: "context_length_exceeded" }, "rejected", /too large/),
			status(500, { code: "insufficient_quota" }, "overloaded", /500/),
		]),
		...rowOf<Failure>([
			edited("clean end without a reason", wire),
			encoded("clean end in the middle of an event", (stream, random) =>
				stream.slice(0, random.between(1, stream.indexOf(wire.completion))),
			),
			encoded("data that is no JSON", (stream) => stream.replace("\n\n", "\n\ndata: {nothing}\n\n")),
			encoded("NUL in an event", (stream) => stream.replace(/"(content|delta|text)":"L/, '"$1":"\0L')),
			{ ...encoded("a line of 9 MiB", (stream) => `: ${"x".repeat(9 << 20)}\n\n${stream}`), large: true },
		]),
	];
	return rows.map((row) => ({ ...row, answer: (random, now) => anywhere(row.answer(random, now)) }));
}

function sent(type: string, fault: Failure["fault"], at: number | "head" = "head"): Failure {
	return {
		name: `200, then error: ${type} as first event`,
		answer: (random) => speaking(random, { break: { at, how: { type, message: "as the test wants it" } } }),
		fault,
	};
}

function status(code: number, error: object, fault: Failure["fault"], message: RegExp): Failure {
	const body = JSON.stringify({ error: { message: "as the test wants it", ...error }, more: bodyCanary });
	return {
		name: `${code} with ${JSON.stringify(error)}`,
		answer: () => ({ status: code, body }),
		fault,
		message,
	};
}

/** Returns a failure of a stream without its end mark and without the event that completes the reply. */
function edited(name: string, { form, completion }: ProviderWire): Failure {
	const edit = (events: readonly WireEvent[]): readonly WireEvent[] =>
		events.filter((event) => !form.frame(event).includes(completion));
	const encode = (stream: string): Uint8Array =>
		Buffer.from(form.end === "" ? stream : stream.replace(form.end, ""));
	return { name, answer: (random) => speaking(random, { edit, encode }), fault: "interrupted" };
}

function encoded(name: string, change: (stream: string, random: Random) => string): Failure {
	return {
		name,
		answer: (random) => speaking(random, { encode: (stream) => Buffer.from(change(stream, random)) }),
		fault: "interrupted",
	};
}

export interface OddReport {
	readonly name: string;
	readonly usage: (wire: ProviderWire) => unknown;
}

const odd =
	(counts: Partial<Counted>): OddReport["usage"] =>
	(wire) =>
		wire.usage({ input: 10, cached: 0, output: 3, reasoning: 0, ...counts });

/** Row of the fault table for unusual token usage. */
export const oddReports: readonly (OddReport & Repeated)[] = rowOf<OddReport>([
	{ name: "missing", usage: () => undefined },
	{ name: "negative", usage: odd({ input: -3, output: -1, cached: -1 }) },
	{ name: "1e18", usage: odd({ input: 1e18, output: 1e18, cached: 1e18 }) },
	{ name: "the largest number", usage: odd({ input: Number.MAX_VALUE }) },
	{ name: "fractions", usage: odd({ input: 10.5, output: 0.1 }) },
]);
