import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Files } from "../../files/files.ts";
import type { Run } from "../run/run.ts";
import { CallOutput } from "./call-output.ts";

const mebibyte = 1024 * 1024;

test("without a tool that reads stored results, the output of a call is not stored in memory", async () => {
	setFlagsFromString("--expose-gc");
	const collect: () => void = runInNewContext("gc");
	const bufferedBytes = (): number => {
		collect();
		return process.memoryUsage().arrayBuffers;
	};
	// The cast is safe because an output without a reader uses only these fields.
	const run = { session: { id: "sess_1" }, settings: { tools: [] } } as unknown as Run;
	// The cast is safe because an output without a reader stores no file.
	await using output = new CallOutput(run, "c1", {} as Files);
	const before = bufferedBytes();
	for (let count = 0; count < 25; count++) output.write(Buffer.alloc(4 * mebibyte, 0x78));
	// The garbage collector frees memory in the background, which takes longer on a busy machine.
	for (let tries = 0; tries < 10 && bufferedBytes() - before > 20 * mebibyte; tries++) await sleep(20);
	expect(bufferedBytes() - before).toBeLessThan(20 * mebibyte);
});
