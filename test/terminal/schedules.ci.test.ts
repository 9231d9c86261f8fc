import { expect } from "vitest";
import { test } from "./terminal-test.ts";

test("schedules are added, listed and removed", async ({ setup }) => {
	const when = "every weekday at 9:00";
	const added = setup.run(
		"schedules",
		"add",
		"--key",
		"ops",
		"--tz",
		"UTC",
		"--",
		when,
		"Count",
		"the issues",
	);
	expect(await added.ended()).toBe(0);
	const [id = ""] = /sched_[0-9a-z]{26}/.exec(added.text) ?? [];
	expect(added.text).toMatch(/^added sched_\S+, next due \d{4}-\S+T09:00:00\.000Z/);
	const listed = setup.run("schedules");
	expect(await listed.ended()).toBe(0);
	expect(listed.text.replace(/\s+/g, " ")).toMatch(
		/^sched_\S+ cron 0 9 \* \* 1-5 \(UTC\) next due \S+ 09:00 UTC, post, by operator Count the issues$/,
	);
	const refused = setup.run("schedules", "add", "soon", "Report");
	expect(await refused.ended()).not.toBe(0);
	expect(refused.text).toContain('when: "soon" is not understood');
	const removed = setup.run("schedules", "remove", id);
	expect(await removed.ended()).toBe(0);
	expect(removed.text).toBe("removed 1 schedule");
	const remaining = setup.run("schedules");
	expect(await remaining.ended()).toBe(0);
	expect(remaining.text).toBe("no schedules");
});
