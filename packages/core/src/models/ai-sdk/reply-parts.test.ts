import { expect, test } from "vitest";
import { ReplyParts } from "./reply-parts.ts";

const facts = { host: "models.test", model: "m", now: 0 };

test("a second call with the id of an open one damages the reply, and no call is lost", () => {
	const parts = new ReplyParts("acme", facts);
	parts.receive({ type: "tool-input-start", id: "c1", toolName: "look" });
	parts.receive({ type: "tool-input-delta", id: "c1", delta: '{"a":' });
	expect(() => parts.receive({ type: "tool-input-start", id: "c1", toolName: "look" })).toThrow(
		expect.objectContaining({ fault: "interrupted", message: expect.stringMatching(/the same id/) }),
	);
});
