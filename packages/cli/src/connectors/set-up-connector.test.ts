import { expect, test } from "vitest";
import { run } from "../run.ts";
import { CapturedIo } from "../testing/captured-io.ts";

test.each([0, 80])("setup prints whole words on a terminal that reports %i columns", async (columns) => {
	const io = new CapturedIo({ DISCORD_TOKEN: "" });
	Object.assign(io.stdout, { isTTY: true, columns });
	expect(await run(["discord", "setup"], io)).toBe(1);
	const text = io.takeOut();
	expect(text).toContain("New Application");
	expect(Math.max(...text.split("\n").map((line) => line.trim().length))).toBeGreaterThan(40);
	expect(text.split("\n").length).toBeLessThan(20);
});
