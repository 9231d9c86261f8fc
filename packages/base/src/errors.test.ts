import { expect, test } from "vitest";
import { CorrectableError, ParleyError } from "./errors.ts";

test("an error of Parley passes unchanged", () => {
	const error = new ParleyError('unknown session "s_1"', { code: "not_found" });
	expect(ParleyError.from(error)).toBe(error);
	expect(Object.hasOwn(error, "cause")).toBe(false);
});

test("an error with a correction has both texts, and a message of both", () => {
	const texts = { what: "the file a: move b is open", fix: "chmod 600 'a: move b'", separator: "; run: " };
	const error = new CorrectableError(texts, { code: "failed_precondition" });
	expect(ParleyError.from(error)).toBe(error);
	expect([error.what, error.fix]).toEqual([texts.what, texts.fix]);
	expect(error.message).toBe("the file a: move b is open; run: chmod 600 'a: move b'");
	expect(new CorrectableError({ what: "a", fix: "b" }, { code: "internal" }).message).toBe("a: b");
});

test("an abort gets the error code cancelled, and a timeout gets deadline_exceeded", () => {
	expect(ParleyError.from(AbortSignal.abort().reason)).toMatchObject({ code: "cancelled" });
	const timeout = new DOMException("took too long", "TimeoutError");
	expect(ParleyError.from(timeout)).toMatchObject({ code: "deadline_exceeded", cause: timeout });
});

test.each([new TypeError("password is hunter2"), "text", undefined, null, { name: "AbortError" }])(
	"%s becomes an internal error that reveals no details",
	(reason) => {
		const error = ParleyError.from(reason);
		expect(error).toMatchObject({ code: "internal", message: "internal error" });
		expect(error.cause).toBe(reason);
	},
);
