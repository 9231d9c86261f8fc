import { expect, test } from "vitest";
import { ParleyError } from "./errors.ts";

test("an error of Parley passes unchanged", () => {
	const error = new ParleyError('unknown session "s_1"', { code: "not_found" });
	expect(ParleyError.from(error)).toBe(error);
	expect(Object.hasOwn(error, "cause")).toBe(false);
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
