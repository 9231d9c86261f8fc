import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";
import { ManualClock } from "./testing/manual-clock.ts";

test("of more than it may hold, those that were set last remain", () => {
	const map = new RecentMap<number, string | undefined>({ clock: new ManualClock(), most: 3 });
	for (const key of [1, 2, 3, 1, 4]) map.set(key, `${key}`);
	expect([1, 2, 3, 4].map((key) => map.get(key))).toEqual(["1", undefined, "3", "4"]);
	for (let key = 0; key < 1000; key++) map.set(key, undefined);
	expect(map.size).toBe(3);
	expect([map.has(999), map.has(996)]).toEqual([true, false]);
	map.delete(999);
	expect([map.has(999), map.size]).toEqual([false, 2]);
});

test("what is past is not found, and goes when another is set", () => {
	const clock = new ManualClock();
	const map = new RecentMap<string, number>({ clock, most: 100, keptMs: 1000 });
	map.set("a", 1);
	clock.advance(500);
	map.set("b", 2);
	clock.advance(499);
	expect(map.get("a")).toBe(1);
	clock.advance(1);
	expect([map.get("a"), map.get("b")]).toEqual([undefined, 2]);
	map.set("b", 3);
	expect(map.size).toBe(1);
	clock.advance(999);
	expect(map.get("b")).toBe(3);
});
