import { bodyCanary, type Failure, type FaultName, speaking } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";

const page = `<html><head><title>Bad gateway</title></head><body>${bodyCanary} nginx</body></html>`;

/** Rows of the fault table for error responses of the service. */
export const statusFailures: readonly (Failure & Repeated)[] = [
	...rowOf([
		limited("retry-after: 7", () => "7", 7_000),
		// HTTP dates have a resolution of one second.
		{
			...limited("retry-after as a date", (now) => new Date(now + 7_999).toUTCString(), 7_000),
			spanMs: 999,
		},
		limited("no retry-after", () => undefined),
		limited("retry-after: 0", () => "0"),
		limited("retry-after: negative", () => "-5"),
		limited("retry-after: 1e9", () => "1e9", 1e12),
		limited("retry-after: 1000000000", () => "1000000000", 1e12),
		limited("retry-after: garbage", () => "in a while"),
	]),
	...rowOf([
		overloaded(529),
		overloaded(503),
		{
			...overloaded(529),
			name: "529 with retry-after",
			answer: () => ({ status: 529, headers: { "retry-after": "3" } }),
			retryAfterMs: 3_000,
		},
	]),
	...rowOf([
		refused(400, "rejected", /refused/),
		refused(401, "unauthenticated", /key/),
		refused(403, "rejected", /refuses access/),
		refused(404, "rejected", /model/),
		refused(413, "rejected", /large/),
	]),
	...rowOf<Failure>([
		{ ...html(500), fault: "overloaded" },
		{ ...html(502), fault: "overloaded" },
		{ ...html(401), fault: "unauthenticated", message: /key/ },
	]),
	...rowOf([
		sent("overloaded_error", "overloaded"),
		sent("api_error", "overloaded"),
		sent("rate_limit_error", "rate-limited"),
		sent("invalid_request_error", "rejected"),
		sent("authentication_error", "unauthenticated"),
	]),
	...rowOf<Failure>([
		{
			name: "200, then error: overloaded_error after 40 deltas",
			answer: (random) =>
				speaking(random, { break: { at: 40, how: { type: "overloaded_error", message: "Overloaded" } } }),
			fault: "overloaded",
		},
	]),
];

function limited(name: string, value: (now: number) => string | undefined, retryAfterMs?: number): Failure {
	return {
		name: `429, ${name}`,
		answer(_random, now) {
			const header = value(now);
			// By default, `x-should-retry` makes the client library retry by itself.
			const headers = { "x-should-retry": "true", ...(header !== undefined && { "retry-after": header }) };
			return { status: 429, headers };
		},
		fault: "rate-limited",
		...(retryAfterMs !== undefined && { retryAfterMs }),
	};
}

function overloaded(status: number): Failure {
	return {
		name: `${status} overloaded`,
		answer: () => ({ status, headers: { "x-should-retry": "true" } }),
		fault: "overloaded",
	};
}

function refused(status: number, fault: FaultName, message: RegExp): Failure {
	return { name: `${status}`, answer: () => ({ status }), fault, message };
}

function html(status: number): Omit<Failure, "fault"> {
	return {
		name: `${status} with a page`,
		answer: (random) => ({
			status,
			headers: { "content-type": random.pick(["text/html", "application/json"]) },
			body: page.repeat(random.pick([1, 5_000])),
		}),
	};
}

function sent(type: string, fault: FaultName): Failure {
	return {
		name: `200, then error: ${type} as first event`,
		answer: (random) =>
			speaking(random, { break: { at: "head", how: { type, message: "as the test wants it" } } }),
		fault,
	};
}
