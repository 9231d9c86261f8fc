import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { RateLimits } from "./rate-limits.ts";

const post = { method: "chat.postMessage", channel: "C1" } as const;

test("three posts in a channel are sent at once, and the next waits; other channels do not wait", () => {
	const clock = new ManualClock();
	const limits = new RateLimits(clock);
	for (let n = 0; n < 3; n++) limits.count(post);
	const waits = { kind: "rate-limited", limit: { scope: "chat.postMessage C1", retryAfterMs: 3000 } };
	expect(() => limits.count(post)).toThrow(expect.objectContaining(waits));
	expect(limits.emptied(post)).toEqual([{ scope: "chat.postMessage C1", retryAfterMs: 3000 }]);
	limits.count({ ...post, channel: "C2" });
	clock.advance(3000);
	limits.count(post);
});

test("three tenths of the remaining calls are reserved for urgent ones", () => {
	const limits = new RateLimits(new ManualClock());
	const edit = { method: "chat.update" } as const;
	for (let n = 0; n < 35; n++) limits.count({ ...edit, lane: "progress" });
	const waits = { kind: "rate-limited", limit: { scope: "chat.update rest", retryAfterMs: 60_000 } };
	expect(() => limits.count({ ...edit, lane: "milestone" })).toThrow(expect.objectContaining(waits));
	expect(limits.emptied(edit)).toEqual([{ scope: "chat.update rest", retryAfterMs: 60_000 }]);
	for (let n = 0; n < 15; n++) limits.count({ ...edit, lane: "approval" });
	expect(() => limits.count({ ...edit, lane: "approval" })).toThrow(
		expect.objectContaining({ kind: "rate-limited" }),
	);
	limits.count({ ...edit, mustFollow: true });
});

test("no minute has more calls than Slack allows", () => {
	const clock = new ManualClock();
	const limits = new RateLimits(clock);
	const callTimes: number[] = [];
	for (let second = 0; second < 600; second++) {
		for (let n = 0; n < 5; n++) {
			try {
				limits.count({ method: "conversations.replies" });
				callTimes.push(clock.monotonic());
			} catch {
				break;
			}
		}
		clock.advance(1000);
	}
	const busiest = Math.max(
		...callTimes.map((at) => callTimes.filter((one) => one >= at && one < at + 60_000).length),
	);
	expect(busiest).toBe(50);
	expect(callTimes.length).toBe(500);
});

test("for a server without rate limits, no call waits", () => {
	const limits = new RateLimits(new ManualClock(), { unlimited: true });
	for (let n = 0; n < 500; n++) limits.count(post);
	expect(limits.emptied(post)).toEqual([]);
});

test("a channel without recent posts is no longer counted", () => {
	const clock = new ManualClock();
	const limits = new RateLimits(clock);
	for (let n = 0; n < 500; n++) {
		limits.count({ method: "chat.postMessage", channel: `C${n}` });
		clock.advance(1000);
	}
	expect(limits.size).toBeLessThanOrEqual(62);
});
