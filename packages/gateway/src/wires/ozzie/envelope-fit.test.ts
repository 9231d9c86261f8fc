import { expect, test } from "vitest";
import { capStrings } from "./envelope-fit.ts";

test("all strings of a value are cut, however deep, and say what is missing", () => {
	const mark = (missing: number): string => `…${missing}`;
	const long = "x".repeat(20);
	const value = { a: long, b: [long, 1, null, { c: "short", d: long }], e: true };
	const cut = "xxxxxxxxxx…10";
	expect(capStrings(value, 10, mark)).toEqual({ a: cut, b: [cut, 1, null, { c: "short", d: cut }], e: true });
	expect(capStrings("12345678901", 10, mark)).toBe("12345678901");
});
