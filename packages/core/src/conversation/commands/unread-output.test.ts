import { expect, test } from "vitest";
import { UnreadOutput } from "./unread-output.ts";

test("each read returns the output since the last one, with whole characters", () => {
	const output = new UnreadOutput(1_000);
	expect([output.isEmpty, output.take()]).toEqual([true, ""]);
	const [first, rest] = [Buffer.from("café").subarray(0, 4), Buffer.from("café").subarray(4)];
	output.write(first);
	expect(output.take()).toBe("caf");
	output.write(rest);
	expect([output.isEmpty, output.take(), output.isEmpty]).toEqual([false, "é", true]);
});

test("from much output the beginning and the end are kept", () => {
	const output = new UnreadOutput(20);
	for (let n = 0; n < 100; n++) output.write(Buffer.from(`line ${n}\n`));
	expect(output.take()).toMatch(/^line 0\nlin\n\[… \d+ bytes left out …\]\n.*line 99\n$/s);
	expect(output.take()).toBe("");
});
