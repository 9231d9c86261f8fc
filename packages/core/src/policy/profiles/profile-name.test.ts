import { expect, test } from "vitest";
import { isProfileName } from "./profile.ts";

test.each(["default", "a", "code-review_2", "Ada", "v1.2", "日本語", "two words", "x".repeat(64)])(
	"%j can be the name of an agent",
	(name) => {
		expect(isProfileName(name)).toBe(true);
	},
);

test.each([
	...["", ".", "..", "../../x", "a/b", "/etc", "a\\b", "~", "-x", ".hidden", " x", "x "],
	...["a\0b", "a\nb", "a\u001bb", "a\u202eb", "a\u200bb", "\ud800", "x".repeat(65)],
])("%j cannot be the name of an agent", (name) => {
	expect(isProfileName(name)).toBe(false);
});
