import { expect, test } from "vitest";
import { shownName } from "./people.ts";

test.each([
	["Ada", "Ada"],
	["  Ada \n Lovelace ", "Ada Lovelace"],
	["Ada\u{202e}evil", "Ada\\u{202e}evil"],
	["\u{1b}[31mred", "\\u{1b}[31mred"],
	["", ""],
])("the name %j is shown as %j", (name, shown) => {
	expect(shownName(name)).toBe(shown);
});

test("a long name is cut between two characters", () => {
	expect(shownName("😀".repeat(500))).toBe(`${"😀".repeat(79)}…`);
});
