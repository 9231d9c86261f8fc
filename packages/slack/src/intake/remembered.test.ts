import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Remembered } from "./remembered.ts";

function open(ask: (id: string) => Promise<string>) {
	const clock = new ManualClock();
	const lookups: string[] = [];
	const remembered = new Remembered({
		what: "a word",
		clock,
		retentionMs: 1000,
		maximum: 2,
		ask: (id) => {
			lookups.push(id);
			return ask(id);
		},
	});
	return { clock, lookups, remembered };
}

test("an answer is cached for its time, and requested once by concurrent callers", async () => {
	const { clock, lookups, remembered } = open(async (id) => `${id}!`);
	expect(await Promise.all([remembered.find("a"), remembered.find("a")])).toEqual(["a!", "a!"]);
	clock.advance(999);
	expect(await remembered.find("a")).toBe("a!");
	expect(lookups).toEqual(["a"]);
	clock.advance(1);
	expect(remembered.get("a")).toBeUndefined();
	await remembered.find("a");
	expect(lookups).toEqual(["a", "a"]);
	expect(clock.pending).toBe(0);
});

test("the least recently used value is evicted", async () => {
	const { lookups, remembered } = open(async (id) => id);
	for (const id of ["a", "b", "a", "c"]) await remembered.find(id);
	expect([remembered.get("a"), remembered.get("b")]).toEqual(["a", undefined]);
	expect(lookups).toEqual(["a", "b", "c"]);
});

test("a caller waits at most a second, and a later answer is cached for the next one", async () => {
	const answer = Promise.withResolvers<string>();
	const { clock, lookups, remembered } = open(() => answer.promise);
	const found = remembered.find("a");
	clock.advance(1000);
	await expect(found).rejects.toMatchObject({ code: "unavailable" });
	answer.resolve("late");
	await answer.promise;
	expect(await remembered.find("a")).toBe("late");
	expect(lookups).toEqual(["a"]);
});

test("a value that changes during its request is not cached", async () => {
	const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
	const { lookups, remembered } = open(() => answers[lookups.length - 1]?.promise ?? Promise.reject());
	const [source, first] = [remembered.find("a"), remembered.find("b")];
	remembered.note("a", "new");
	remembered.forget("b");
	answers[0]?.resolve("old");
	answers[1]?.resolve("old");
	expect(await source).toBe("new");
	await first;
	expect([remembered.get("a"), remembered.get("b")]).toEqual(["new", undefined]);
});

test("a failed request is repeated", async () => {
	const { lookups, remembered } = open(async () => {
		if (lookups.length === 1) throw new Error("lost");
		return "here";
	});
	await expect(remembered.find("a")).rejects.toThrow("lost");
	expect(await remembered.find("a")).toBe("here");
});
