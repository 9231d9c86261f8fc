import { expect, test } from "vitest";
import { rootTexts } from "./texts.ts";

test("a text about one unprotected directory is in the singular", () => {
	expect(rootTexts.notProtected(1)).toMatch(/^not protected: 1 directory with /);
	expect(rootTexts.notProtected(2)).toMatch(/^not protected: 2 directories with /);
});
