import { expect, test } from "vitest";
import { createCache } from "./cache.ts";
import { ManualClock } from "./testing/manual-clock.ts";

test("the most recently used values remain when the cache is full", () => {
	const cache = createCache<number, string>({ clock: new ManualClock(), max: 3 });
	for (const key of [1, 2, 3, 1, 4]) cache.set(key, `${key}`);
	expect([1, 2, 3, 4].map((key) => cache.get(key))).toEqual(["1", undefined, "3", "4"]);
	for (let key = 0; key < 1000; key++) cache.set(key, "");
	expect(cache.size).toBe(3);
	expect([cache.has(999), cache.has(996)]).toEqual([true, false]);
	cache.delete(999);
	expect([cache.has(999), cache.size]).toEqual([false, 2]);
});

test("an expired value is not found, also one that was set when the clock started", () => {
	const clock = new ManualClock();
	const cache = createCache<string, number>({ clock, max: 100, retentionMs: 1000 });
	cache.set("a", 1);
	clock.advance(500);
	cache.set("b", 2);
	clock.advance(499);
	expect(cache.get("a")).toBe(1);
	clock.advance(1);
	expect([cache.get("a"), cache.get("b")]).toEqual([undefined, 2]);
	cache.set("b", 3);
	expect(cache.size).toBe(1);
	clock.advance(999);
	expect(cache.get("b")).toBe(3);
});
