import { createIds, systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { Command } from "../../vocabulary/sandbox.ts";
import { CommandRuns } from "./command-runs.ts";

const command: Command = {
	executable: "/bin/true",
	args: [],
	cwd: "/",
	timeoutMs: paced(20_000),
	maxOutputBytes: 1_024,
	signal: new AbortController().signal,
};

function prepared(cwd = "/") {
	return { argv: ["/bin/true"], cwd, environment: {}, contained: false };
}

test("a command without a sandbox is counted before any other task can see its process", async () => {
	const runs = new CommandRuns({ clock: systemClock, ids: createIds() });
	const seen = Promise.withResolvers<readonly [number, number]>();
	const run = runs.run(command, async () => {
		// The callback is queued before the process starts, so the callback runs before the code that awaits the process.
		process.nextTick(() => seen.resolve([runs.started, runs.processes().length]));
		return prepared();
	});
	expect(await seen.promise).toEqual([1, 1]);
	expect(await run).toMatchObject({ code: 0 });
	expect(runs.started).toBe(1);
});

test("a command that cannot start is not counted", async () => {
	const runs = new CommandRuns({ clock: systemClock, ids: createIds() });
	const failed = runs.run(command, async () => prepared("/nowhere"));
	await expect(failed).rejects.toMatchObject({ code: "failed_precondition" });
	expect([runs.started, runs.processes()]).toEqual([0, []]);
});
