import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { WriteBatch } from "./frame-writer.ts";

test("writers of a tick are flushed once at its end, in the order of their first writes", async () => {
	const batch = new WriteBatch();
	const flushed: string[] = [];
	batch.add({ flush: () => flushed.push("a") });
	batch.add({ flush: () => flushed.push("b") });
	await Promise.resolve();
	batch.add({ flush: () => flushed.push("c") });
	expect(flushed).toEqual([]);
	await tick();
	expect(flushed).toEqual(["a", "b", "c"]);
	await tick();
	expect(flushed).toHaveLength(3);
});

test("writes during a flush are flushed too", async () => {
	const batch = new WriteBatch();
	const flushed: string[] = [];
	const late = { flush: () => flushed.push("late") };
	batch.add({
		flush: () => {
			flushed.push("first");
			batch.add(late);
		},
	});
	await tick();
	expect(flushed).toEqual(["first", "late"]);
});
