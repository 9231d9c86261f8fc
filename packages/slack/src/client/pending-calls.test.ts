import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { PendingCalls } from "./slack-client.ts";

test("pending calls have five seconds after the end, also later ones, and no timer remains", async () => {
	const clock = new ManualClock();
	const calls = new PendingCalls(clock);
	const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const one = calls.run(() => first.promise);
	calls.end();
	clock.advance(4000);
	first.resolve();
	await one;
	expect(clock.pending).toBe(0);
	const two = calls.run(() => second.promise);
	clock.advance(999);
	expect(calls.signal.aborted).toBe(false);
	clock.advance(1);
	expect(calls.signal.reason).toMatchObject({ code: "cancelled" });
	second.reject(calls.signal.reason);
	await expect(two).rejects.toMatchObject({ code: "cancelled" });
	expect(clock.pending).toBe(0);
});
