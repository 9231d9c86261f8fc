import { expect, test } from "vitest";
import { chanceOf, createIds } from "./ids.ts";
import { seededIds } from "./testing/seeded-ids.ts";

test("an id is its prefix and 26 characters", () => {
	expect(createIds().create("sess")).toMatch(/^sess_[0-9a-z]{26}$/);
});

test("random numbers are at least 0, below 1, and evenly distributed", () => {
	const chanceFrom = (byte: number) => chanceOf(createIds((bytes) => new Uint8Array(bytes).fill(byte)));
	expect(chanceFrom(0)).toBe(0);
	expect(chanceFrom(0x80)).toBeCloseTo(0.5, 2);
	expect(chanceFrom(0xff)).toBeCloseTo(1, 8);
	expect(chanceFrom(0xff)).toBeLessThan(1);
	const ids = seededIds(1);
	const drawn = Array.from({ length: 1000 }, () => chanceOf(ids));
	expect(drawn.reduce((sum, one) => sum + one, 0) / drawn.length).toBeCloseTo(0.5, 1);
});

test("a uuid has the version and the variant of RFC 9562", () => {
	const ids = createIds((bytes) => new Uint8Array(bytes).fill(0xff));
	expect(ids.uuid()).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
	expect(createIds().uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("ids do not repeat", () => {
	const ids = createIds();
	const created = Array.from({ length: 10_000 }, () => [ids.create("x"), ids.uuid()]).flat();
	expect(new Set(created).size).toBe(20_000);
});

test("seeded ids are the same for the same seed only", () => {
	const [first, again, other] = [seededIds(1), seededIds(1), seededIds(2)].map((ids) => [
		ids.create("run"),
		ids.create("run"),
		ids.uuid(),
	]);
	expect(first).toEqual(again);
	expect(first).not.toEqual(other);
	expect(new Set(first).size).toBe(3);
});
