import { expect, expectTypeOf, test } from "vitest";
import { defined, definedItems } from "./defined.ts";

test("omits fields that are undefined, and keeps null, false and empty values", () => {
	const title = undefined as string | undefined;
	const result = defined({ id: "s1", title, closed: false, note: "", parent: null });
	expect(Object.entries(result)).toEqual([
		["id", "s1"],
		["closed", false],
		["note", ""],
		["parent", null],
	]);
	expectTypeOf(result.title).toEqualTypeOf<string | undefined>();
});

test("a field that may be undefined is optional in the result", () => {
	interface Row {
		readonly id: string;
		readonly title?: string;
	}
	const row: Row = defined({ id: "s1", title: "Plan" as string | undefined });
	expect(row).toEqual({ id: "s1", title: "Plan" });
});

test("omits items that are undefined, and keeps null, false and empty values", () => {
	const note = undefined as string | undefined;
	const items = definedItems(["a", note, "", null, false, "b"]);
	expect(items).toEqual(["a", "", null, false, "b"]);
	expectTypeOf(items).toEqualTypeOf<(string | boolean | null)[]>();
});
