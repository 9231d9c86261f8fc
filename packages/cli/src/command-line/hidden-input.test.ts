import { expect, test } from "vitest";
import { withoutKeys } from "./hidden-input.ts";

test.each([
	["hunter2", "hunter2"],
	["hunx\u007fter2", "hunter2"],
	["\u007f\bhunter2", "hunter2"],
	["wrong\u0015hunter2", "hunter2"],
	["left\u0003hunter2", "hunter2"],
	["schlüsselé\u007f", "schlüssel"],
])("keys in the hidden line %j have their effect", (line, text) => {
	expect(withoutKeys(line)).toBe(text);
});
