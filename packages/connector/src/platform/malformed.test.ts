import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { Malformed } from "./malformed.ts";

test("each unreadable payload is counted, and each kind is logged once", () => {
	const log = new MemoryLogger();
	const malformed = new Malformed("Slack", log);
	const schema = z.object({ ts: z.string() });
	expect(malformed.read("message", schema, { ts: "1" })).toEqual({ ts: "1" });
	for (const data of [{ ts: 1 }, { ts: 2 }, null]) {
		expect(malformed.read("message", schema, data)).toBeUndefined();
	}
	expect(malformed.count).toBe(3);
	expect(log.records.map(({ message, fields }) => [message, fields["event"]])).toEqual([
		["an event from Slack cannot be read", "message"],
		["an event from Slack cannot be read", "message"],
	]);
});
