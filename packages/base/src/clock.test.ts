import { afterEach, expect, test, vi } from "vitest";
import { delay, systemClock } from "./clock.ts";
import { ManualClock } from "./testing/manual-clock.ts";

afterEach(() => {
	vi.useRealTimers();
});

test("the system clock waits for longer than setTimeout can", () => {
	vi.useFakeTimers();
	const fired: number[] = [];
	const start = systemClock.now();
	systemClock.after(60 * 86_400_000, () => fired.push(systemClock.now() - start));
	vi.advanceTimersByTime(59 * 86_400_000);
	expect(fired).toEqual([]);
	vi.advanceTimersByTime(86_400_000);
	expect(fired).toEqual([60 * 86_400_000]);
});

test("a cancelled timer never fires, also after an extension", () => {
	vi.useFakeTimers();
	const timer = systemClock.after(60 * 86_400_000, () => expect.unreachable());
	vi.advanceTimersByTime(30 * 86_400_000);
	timer.cancel();
	expect(vi.getTimerCount()).toBe(0);
});

test("the monotonic clock does not go back", () => {
	const first = systemClock.monotonic();
	expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
});

test("a delay ends when its time has passed", async () => {
	const clock = new ManualClock();
	const ended = delay(clock, 100);
	clock.advance(99);
	expect(clock.pending).toBe(1);
	clock.advance(1);
	await expect(ended).resolves.toBeUndefined();
	expect(clock.pending).toBe(0);
});

test("an aborted delay rejects with the reason and leaves no timer", async () => {
	const clock = new ManualClock();
	const controller = new AbortController();
	const ended = delay(clock, 100, controller.signal);
	controller.abort(new Error("enough"));
	await expect(ended).rejects.toThrow("enough");
	expect(clock.pending).toBe(0);
	await expect(delay(clock, 100, controller.signal)).rejects.toThrow("enough");
	expect(clock.pending).toBe(0);
});

test("a manual clock runs timers at their due times, in that order", () => {
	const clock = new ManualClock(1000);
	const fired: string[] = [];
	clock.after(20, () => fired.push(`late ${clock.now()}`));
	clock.after(10, () => {
		fired.push(`early ${clock.now()}`);
		clock.after(5, () => fired.push(`chained ${clock.now()}`));
	});
	clock.after(10, () => fired.push("cancelled")).cancel();
	clock.advance(30);
	expect(fired).toEqual(["early 1010", "chained 1015", "late 1020"]);
	expect([clock.now(), clock.monotonic()]).toEqual([1030, 30]);
});
