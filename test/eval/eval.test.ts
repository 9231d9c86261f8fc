import { paced } from "@parley/base/testing";
import { ScriptedModel, type ScriptedReply } from "@parley/core/testing";
import { expect, test } from "vitest";
import { type Places, playTask } from "./play-task.ts";
import { lineOf, tableOf, totalsOf } from "./results.ts";
import { kinds, type Task } from "./task.ts";
import { tasks } from "./tasks.ts";

const limitMs = paced(20_000);

function configOf({ data, work }: Places) {
	return {
		...{ listen: [{ host: "127.0.0.1", port: 0 }], data, root: [work], provider: "offline" as const },
		...{ auth: "none" as const, logLevel: "silent" as const, allowedHosts: [], titles: false },
		sandbox: "off" as const,
	};
}

function play(task: Task, replies: readonly ScriptedReply[]) {
	return playTask(task, { configOf, model: new ScriptedModel(...replies), limitMs });
}

test("there are 30 tasks with different names, some of each kind", () => {
	expect(tasks).toHaveLength(30);
	expect(new Set(tasks.map(({ name }) => name)).size).toBe(30);
	expect(new Set(tasks.map(({ kind }) => kind))).toEqual(new Set(kinds));
});

test.each(tasks)(
	"a model that solves the task succeeds, and one that does not fails: $kind, $name",
	async (task) => {
		expect((await play(task, task.good)).faults).toEqual([]);
		expect((await play(task, task.bad)).faults).not.toEqual([]);
	},
);

test("a failed run is a fault", async () => {
	const [task] = tasks;
	if (!task) throw new Error("there is no task");
	const { faults } = await play({ ...task, check: () => [] }, []);
	expect(faults).toEqual([expect.stringMatching(/^the run failed: .*the script is at its end/)]);
});

test("the results are one line for each task and a table of the kinds", async () => {
	const [task] = tasks;
	if (!task) throw new Error("there is no task");
	const good = await play(task, task.good);
	const bad = await play(task, task.bad);
	expect(lineOf({ ...good, ms: 1234 })).toBe("✓ files: read one value (2 calls, 1.2 s)");
	expect(lineOf({ ...bad, ms: 0 })).toBe(
		'✗ files: read one value (1 calls, 0.0 s): the answer does not contain "4711"',
	);
	expect(tableOf(totalsOf([good, bad]))).toEqual([
		"                             succeeded  calls  tokens in  tokens out      US $",
		"files                              1/2      3         30          15    0.0000",
		"all                                1/2      3         30          15    0.0000",
	]);
});
