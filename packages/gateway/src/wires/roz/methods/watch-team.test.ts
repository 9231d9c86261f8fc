import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { createOfflineModel, operator } from "@parley/core";
import { EventLog, TestRuntime, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import type { TeamEvent } from "../../../gen/roz/v1/agent.ts";
import { TeamWatch } from "./watch-team.ts";

test("workers are replayed one after the other, so that the events of one are in memory at a time", async () => {
	const clock = new ManualClock();
	await using t = await TestRuntime.open({ model: createOfflineModel({ clock }), clock });
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const names = ["A", "B", "C", "D"];
	const description = [...names.map((name) => `& spawn: ${name} <<< say: done`), "wait: all"].join("\n");
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, { title: "All", description });
	for (;;) if ((await log.next("task.completed")).taskId === id) break;

	let [reading, max] = [0, 0];
	const watch: typeof t.runtime.watch = async (...args) => {
		reading += 1;
		max = Math.max(max, reading);
		try {
			return await t.runtime.watch(...args);
		} finally {
			reading -= 1;
		}
	};
	const events: TeamEvent[] = [];
	const finished = Promise.withResolvers<void>();
	const team = new TeamWatch({
		runtime: { tasks: t.runtime.tasks, observe: (...args) => t.runtime.observe(...args), watch },
		principal: operator,
		log: new MemoryLogger(),
		send: (event) => events.push(event),
		finished: finished.resolve,
		deleted: () => finished.reject(new Error("the session is deleted")),
	});
	await team.begin(id);
	await finished.promise;
	expect(events.filter(({ event }) => event?.$case === "workerExited")).toHaveLength(5);
	// At most two sessions are read at the same time: the session of the task, and the session of one worker.
	expect(max).toBeLessThanOrEqual(2);
});
