import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { UnreadOutput } from "./unread-output.ts";

test("each read returns the output since the last read, with complete characters", () => {
	const output = new UnreadOutput(1_000, new Redactor().stream());
	expect([output.isEmpty, output.take()]).toEqual([true, ""]);
	const [first, rest] = [Buffer.from("café").subarray(0, 4), Buffer.from("café").subarray(4)];
	output.write(first);
	expect(output.take()).toBe("caf");
	output.write(rest);
	expect([output.isEmpty, output.take(), output.isEmpty]).toEqual([false, "é", true]);
});

test("from much output the beginning and the end are kept", () => {
	const output = new UnreadOutput(20, new Redactor().stream());
	for (let n = 0; n < 100; n++) output.write(Buffer.from(`line ${n}\n`));
	expect(output.take()).toMatch(/^line 0\nlin\n\[… \d+ bytes left out …\]\n.*line 99\n$/s);
	expect(output.take()).toBe("");
});

test("a secret that arrives in two reads is not returned, and the end returns the delayed text", () => {
	const redactor = new Redactor();
	redactor.add("hunter2-correct-horse");
	const output = new UnreadOutput(1_000, redactor.stream());
	output.write(Buffer.from("password: hunter2-co"));
	const first = output.take();
	output.write(Buffer.from("rrect-horse\nbye hu"));
	const second = output.take();
	output.end();
	expect(first + second + output.take()).toBe("password: [redacted]\nbye hu");
	expect(first).toBe("password: ");
});

test("the end returns the replacement of a character that is cut off", () => {
	const output = new UnreadOutput(1_000, new Redactor().stream());
	output.write(Buffer.from("caf\u00e9").subarray(0, 4));
	output.end();
	expect(output.take()).toBe("caf\ufffd");
});
