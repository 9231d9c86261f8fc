import { expect, test } from "vitest";
import { wireId } from "./call-ids.ts";

test("an id stays unchanged if the provider accepts it", () => {
	expect(wireId("call_1-a", "any")).toBe("call_1-a");
	expect(wireId("aB3dE6gH9", "short")).toBe("aB3dE6gH9");
});

test.each(["a/b c", "", "x".repeat(41), "toolu_0123456789012345678901234567890123456789"])(
	"the id %j gets a form that all providers accept, the same each time",
	(id) => {
		expect(wireId(id, "any")).toMatch(/^[\w-]{1,40}$/);
		expect(wireId(id, "short")).toMatch(/^[a-z0-9]{9}$/);
		expect(wireId(id, "any")).toBe(wireId(id, "any"));
		expect(wireId(`${id}2`, "short")).not.toBe(wireId(id, "short"));
	},
);
