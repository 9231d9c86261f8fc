import { expect, test } from "vitest";
import { title } from "./params.ts";

test("the error for a long title names the limit", () => {
	expect(title.parse(` ${"x".repeat(200)} `)).toHaveLength(200);
	expect(title.safeParse("x".repeat(201)).error?.issues[0]?.message).toBe("must have at most 200 characters");
});
