import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Files } from "../../files/files.ts";
import { readFile } from "../../tools/files/read-file.ts";
import type { Run } from "../run/run.ts";
import { CallOutput } from "./call-output.ts";

function writePart(output: CallOutput): WeakRef<Uint8Array> {
	const part = new Uint8Array(1024);
	output.write(part);
	return new WeakRef(part);
}

test.each([
	["with a tool that reads stored results, a part of the output stays in memory", [readFile], true],
	["without such a tool, no part of the output stays in memory", [], false],
] as const)("%s", async (_, tools, isReachable) => {
	setFlagsFromString("--expose-gc");
	const collect: () => void = runInNewContext("gc");
	// The casts are safe because an output that stays in memory uses only these fields.
	const run = { session: { id: "sess_1" }, settings: { tools } } as unknown as Run;
	await using output = new CallOutput(run, "c1", {} as Files);
	const part = writePart(output);
	// A WeakRef keeps its object until the end of the current job: https://tc39.es/ecma262/#sec-weakref-objects
	await setImmediate();
	collect();
	expect(part.deref() !== undefined).toBe(isReachable);
});
