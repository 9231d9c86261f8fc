import { expect, test } from "vitest";
import { decodeError, decodeResult } from "./gateway-client.ts";

test.each([
	["session not found: sess_1", "not_found"],
	["prompt not found", "not_found"],
	["forbidden", "permission_denied"],
	["session busy", "resource_exhausted"],
	["rate limited", "resource_exhausted"],
	["not available: there is no reply to make again", "unimplemented"],
	["the store could not commit", "unavailable"],
	["not available", "unimplemented"],
	["unknown method: fly", "unimplemented"],
	["invalid params: content", "invalid_argument"],
	["invalid id", "invalid_argument"],
	["duplicate id", "already_exists"],
	["draining", "unavailable"],
	["seq not available: 4", "data_loss"],
	["something new", "internal"],
])("%j is %s and keeps its message", (error, code) => {
	expect(decodeError(error)).toMatchObject({ message: error, code });
});

test("a result of another form is refused", () => {
	const answer = { ok: true, payload: { status: "gone" } } as const;
	expect(() => decodeResult("cancel_turn", answer)).toThrow(
		"answer to cancel_turn cannot be read: use the same version",
	);
	expect(decodeResult("cancel_turn", { ok: true, payload: { status: "idle" } })).toEqual({ status: "idle" });
});
