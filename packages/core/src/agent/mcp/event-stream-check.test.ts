import { expect, test } from "vitest";
import { EventStreamCheck } from "./event-stream-check.ts";

test.each([1, 2, 3, 1_000])(
	"messages are found in parts of %i bytes, with every kind of line end",
	(size) => {
		const found: string[] = [];
		const check = new EventStreamCheck(100, (text) => found.push(text));
		const stream = Buffer.from(
			": hello\r\n\r\ndata: ä\r\ndata:b\r\n\r\nevent: ping\ndata: no\n\nevent: message\rdata: c\r\rdata: unfinished",
		);
		for (let at = 0; at < stream.length; at += size) check.receive(stream.subarray(at, at + size));
		expect(found).toEqual(["ä\nb", "c"]);
	},
);

test("an event that is too long is refused before its end, also if it has many lines", () => {
	const check = new EventStreamCheck(100, () => undefined);
	check.receive(Buffer.from(`data: ${"x".repeat(90)}\n\n`));
	check.receive(Buffer.from(`data: ${"x".repeat(44)}\n`));
	check.receive(Buffer.from(`data: ${"x".repeat(44)}\n`));
	expect(() => check.receive(Buffer.from("x"))).toThrow("it sent a message of more than 100 bytes");
});
