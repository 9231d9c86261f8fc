import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Lookup } from "./lookup.ts";

test("a value is requested once until it expires", async () => {
	const clock = new ManualClock();
	const lookup = new Lookup<string | undefined>({ max: 2, retentionMs: 1000, clock });
	let requests = 0;
	const ask = async () => {
		requests += 1;
		return undefined;
	};
	await Promise.all([lookup.find("a", ask), lookup.find("a", ask)]);
	await lookup.find("a", ask);
	expect(requests).toBe(1);
	clock.advance(1000);
	await lookup.find("a", ask);
	expect(requests).toBe(2);
});

test("a response to a request from before a newer value is not stored", async () => {
	const lookup = new Lookup<string>({ max: 2, clock: new ManualClock() });
	const answer = Promise.withResolvers<string>();
	const found = lookup.find("a", () => answer.promise);
	lookup.note("a", "newer");
	answer.resolve("older");
	expect([await found, lookup.get("a")]).toEqual(["newer", "newer"]);
	const again = Promise.withResolvers<string>();
	const other = lookup.find("b", () => again.promise);
	lookup.forget("b");
	again.resolve("older");
	expect([await other, lookup.get("b")]).toEqual(["older", undefined]);
});

test("a failed request is not stored, and the value used least recently is evicted", async () => {
	const lookup = new Lookup<number>({ max: 2, clock: new ManualClock() });
	await expect(lookup.find("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
	expect(await lookup.find("a", async () => 1)).toBe(1);
	lookup.note("b", 2);
	expect(lookup.get("a")).toBe(1);
	lookup.note("c", 3);
	expect(["a", "b", "c"].map((key) => lookup.get(key))).toEqual([1, undefined, 3]);
});

test("a late response rejects the caller that waits, and is stored for the next caller", async () => {
	const clock = new ManualClock();
	const patience = { ms: 1000, message: "the service did not say" };
	const lookup = new Lookup<number>({ max: 2, patience, clock });
	const answer = Promise.withResolvers<number>();
	const found = lookup.find("a", () => answer.promise);
	clock.advance(1000);
	await expect(found).rejects.toMatchObject({ code: "unavailable", message: patience.message });
	answer.resolve(1);
	await answer.promise;
	expect(await lookup.find("a", () => Promise.reject(new Error("no")))).toBe(1);
});
