import { expect, test } from "vitest";
import { readFrame } from "./frame.ts";

test("a greeting, a goodbye and an envelope are frames", () => {
	expect(readFrame('{"type":"hello","num_connections":2,"debug_info":{}}')).toMatchObject({
		num_connections: 2,
	});
	expect(readFrame('{"type":"disconnect","reason":"refresh_requested"}')).toMatchObject({
		type: "disconnect",
	});
	const envelope = { envelope_id: "e1", type: "events_api", payload: { event: {} }, retry_attempt: 1 };
	expect(readFrame(JSON.stringify(envelope))).toEqual(envelope);
});

test.each([
	"null",
	"1",
	"[]",
	"{",
	"",
	'{"type":"events_api"}',
	'{"type":"events_api","envelope_id":"e","payload":null}',
	'{"type":"events_api","envelope_id":1,"payload":{}}',
	'{"type":"goodbye"}',
	'{"type":"error","error":{"code":1}}',
	'{"type":"hello","__proto__":{}}',
])("%s is not a frame, and is reported without ending the process", (text) => {
	expect(() => readFrame(text)).toThrow();
});
