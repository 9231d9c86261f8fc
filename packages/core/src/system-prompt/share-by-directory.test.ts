import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { shareByDirectory } from "./share-by-directory.ts";

test("those who ask together, or within five seconds, share one look", async () => {
	const clock = new ManualClock();
	let looks = 0;
	const look = shareByDirectory(async () => ++looks, clock);
	expect(await Promise.all([look("/a"), look("/a"), look("/b")])).toEqual([1, 1, 2]);
	clock.advance(4_999);
	expect(await look("/a")).toBe(1);
	clock.advance(1);
	expect(await look("/a")).toBe(3);
});

test("two looks are under way at a time, and the others get their turn", async () => {
	let running = 0;
	let most = 0;
	const look = shareByDirectory(async (directory) => {
		running += 1;
		most = Math.max(most, running);
		await new Promise(setImmediate);
		running -= 1;
		return directory;
	}, new ManualClock());
	const directories = Array.from({ length: 7 }, (_, n) => `/${n}`);
	expect(await Promise.all(directories.map(look))).toEqual(directories);
	expect(most).toBe(2);
});
