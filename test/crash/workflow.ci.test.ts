import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { patienceMs } from "../gateway-process.ts";
import { KillSetup } from "../tasks/kill/kill-setup.ts";

/**
 * Skill whose commands append to their own files, which makes a repeated command visible. The files are plain `.txt`
 * files, because a write to such a file does not restrict later calls.
 */
const deploy = `---
steps:
  - {id: plan, prompt: "run: printf p >> plan.txt"}
  - {id: build, needs: plan, prompt: "run: printf b >> build.txt; sleep 60"}
  - {id: check, needs: plan, prompt: "say: checked"}
  - {id: ship, needs: [build, check], prompt: "run: printf s >> ship.txt; cat ship.txt", criteria: "contains: s"}
---
Deploys.
`;

test("a workflow continues after kills of the gateway, complete steps do not run again, and each event occurs once", {
	timeout: paced(patienceMs * 4),
}, async () => {
	await using directories = await KillSetup.create({ "skills/deploy.md": deploy });
	// The first process is killed while it records the result of a step.
	const first = await directories.start("skill-step-ended=kill@1");
	const session = await directories.open(true);
	const { run_id } = await directories.client.request(
		"send_message",
		{ content: "/deploy" },
		{ sessionId: session },
	);
	expect((await first.exited).signal).toBe("SIGKILL");
	// The second process is killed while a middle step runs.
	await directories.start();
	await directories.effect("build.txt");
	await directories.kill();
	// The third process is killed when the last step has started.
	const third = await directories.start("skill-step-started=kill@1");
	expect((await third.exited).signal).toBe("SIGKILL");
	await directories.start();
	const { content, error } = await directories.ended(String(run_id));

	expect([content, error]).toEqual([expect.stringContaining("run_command returned:\ns"), ""]);
	expect(["plan.txt", "build.txt", "ship.txt"].map((name) => directories.effects(name))).toEqual([
		"p",
		"b",
		"s",
	]);
	const events = directories.frames.flatMap(({ event, payload }) => {
		if (!event.startsWith("skill.")) return [];
		const { step_id = "" } = Object(payload);
		return [`${event} ${step_id}`.trim()];
	});
	const steps = ["plan", "build", "check", "ship"];
	expect(events.toSorted()).toEqual(
		[
			...["skill.started", "skill.completed"],
			...steps.flatMap((id) => [`skill.step.started ${id}`, `skill.step.completed ${id}`]),
		].toSorted(),
	);
	expect([events[0], events.at(-1)]).toEqual(["skill.started", "skill.completed"]);
	for (const id of steps) {
		expect(events.indexOf(`skill.step.started ${id}`)).toBeLessThan(
			events.indexOf(`skill.step.completed ${id}`),
		);
	}
	expect(directories.frames.filter(({ event }) => event === "assistant.message").length).toBe(1);
});
