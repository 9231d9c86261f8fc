import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { RateLimits } from "./rate-limits.ts";
import { refusalOf } from "./refused.ts";

function answered(more: Record<string, string>) {
	const headers = {
		"x-ratelimit-bucket": "abc",
		"x-ratelimit-limit": "5",
		"x-ratelimit-reset-after": "1.5",
		...more,
	};
	return { status: 200, headers, body: null };
}

test("an exhausted limit has Discord's name, and applies to each channel separately", () => {
	const limits = new RateLimits(new ManualClock());
	expect(limits.scopes("create", "10", "final")).toEqual(["everything", "create 10"]);
	const empty = limits.learn("create", "10", answered({ "x-ratelimit-remaining": "0" }));
	expect(empty).toEqual([{ scope: "abc 10", retryAfterMs: 1500 }]);
	expect(limits.scopes("create", "10", "final")).toEqual(["everything", "abc 10"]);
	expect(limits.scopes("create", "11", "approval")).toEqual(["everything", "abc 11"]);
	expect(limits.scopes("edit", "10", "final")).toEqual(["everything", "edit 10"]);
});

test("a third of the remaining requests is reserved for urgent ones", () => {
	const limits = new RateLimits(new ManualClock());
	const learn = (remaining: string) =>
		limits.learn("edit", "10", answered({ "x-ratelimit-remaining": remaining }));
	expect(learn("2")).toEqual([]);
	expect(learn("1")).toEqual([{ scope: "abc 10 rest", retryAfterMs: 1500 }]);
	for (const lane of ["progress", "milestone", "typing"] as const) {
		expect(limits.scopes("edit", "10", lane)).toContain("abc 10 rest");
	}
	for (const lane of ["acknowledgement", "approval", "final", "error"] as const) {
		expect(limits.scopes("edit", "10", lane)).not.toContain("abc 10 rest");
	}
});

test("after the maximum of one second, the next request waits for the next second", () => {
	const clock = new ManualClock();
	const limits = new RateLimits(clock);
	const ask = () => limits.learn("create", "10", { status: 200, headers: {}, body: null });
	clock.advance(5000);
	for (let n = 1; n < 18; n++) expect(ask()).toEqual([]);
	clock.advance(400);
	expect(ask()).toEqual([{ scope: "everything", retryAfterMs: 600 }]);
	clock.advance(600);
	expect(ask()).toEqual([]);
});

test.each([
	[3, 1],
	[10, 4],
	[33, 11],
	[50, 18],
	[100, 68],
])(
	"with a global limit of %i requests, %i leave in each second before others wait",
	(perSecond, expected) => {
		const limits = new RateLimits(new ManualClock(), perSecond);
		const isFull = () => limits.learn("create", "10", { status: 200, headers: {}, body: null }).length > 0;
		let sent = 1;
		while (!isFull()) sent += 1;
		expect(sent).toBe(expected);
	},
);

const fault = { message: "You are being rate limited.", retry_after: 0.25 };

test.each([
	["its own bucket", { status: 429, headers: {}, body: fault }, { scope: "create 10", retryAfterMs: 250 }],
	[
		"a shared one",
		{ status: 429, headers: { "x-ratelimit-scope": "shared" }, body: fault },
		{ scope: "create 10", retryAfterMs: 250 },
	],
	[
		"all of it",
		{ status: 429, headers: {}, body: { ...fault, global: true } },
		{ scope: "everything", retryAfterMs: 250 },
	],
	[
		"what stands before Discord",
		{ status: 429, headers: { "retry-after": "30" }, body: null },
		{ scope: "everything", retryAfterMs: 30_000 },
	],
	[
		"edits of old messages",
		{ status: 400, headers: {}, body: { code: 30_046, message: "Maximum number of edits" } },
		{ scope: "create 10", retryAfterMs: 60_000 },
	],
])("a refusal by %s names the limited scope", (_name, response, limit) => {
	expect(refusalOf(response, "create 10")).toMatchObject({ kind: "rate-limited", limit });
});
