import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Ground } from "./ground.ts";

const timeout = paced(120_000);
const endings = ["task.completed", "task.failed", "task.cancelled"];

test("a gateway killed with tasks in every state continues all of them", { timeout }, async () => {
	await using ground = await Ground.create();
	await ground.start();
	const trusting = await ground.open(true);
	const asking = await ground.open(false);
	const submit = (title: string, ...lines: string[]) => ground.submit(trusting, title, lines.join("\n"));
	const suspended = await submit("suspended", "review: May I?", "say: went on");
	const replied = await submit("replied", "review: Sure?", "say: went on");
	const cancelled = await submit("cancelled", "review: Really?", "say: never");
	const tokens = new Map<string, unknown>();
	for (const id of [suspended, replied, cancelled]) {
		tokens.set(id, (await ground.event("task.suspended", id))["token"]);
	}
	const completed = await submit("completed", "say: done");
	await ground.event("task.completed", completed);

	const questioned = await ground.submit(asking, "asked", "run: printf x >> asked\nsay: done");
	const prompt = await ground.event("prompt.request", questioned);
	// A document, because the call that waits for its approval would be refused if the file of another type changed.
	const working = await submit("working", "run: printf x >> worked.txt; sleep 60", "say: done");
	await ground.effect("worked.txt");
	const long = "long: 120 tokens at 20 per second";
	const waiting = await submit("waiting", `spawn: Helper <<< ${long}`, "wait: all", "say: had help");
	const speaking = await submit("speaking", long);
	const busy = await submit("busy", long);
	for (const id of [speaking, busy]) await ground.event("task.started", id);
	const helper = await ground.titled("task.started", "Helper");
	// Four tasks run, and the task that waits for an approval occupies no place. The next tasks wait for a free place.
	const pending = await submit("pending", "say: at last");
	await ground.reply(replied, "approved");
	await ground.client.request("cancel_task", { task_id: cancelled, reason: "enough" });
	const open = {
		suspended,
		replied,
		questioned: questioned,
		working,
		waiting,
		helper,
		speaking,
		busy,
		pending,
	};
	expect(await ground.states({ ...open, completed, cancelled })).toEqual({
		...{ suspended: "suspended", replied: "pending", questioned: "running", working: "running" },
		...{ waiting: "running", helper: "running", speaking: "running", busy: "running", pending: "pending" },
		...{ completed: "completed", cancelled: "cancelled" },
	});
	await ground.kill();

	await ground.start();
	await ground.client.request("prompt_response", { token: String(prompt["token"]), value: true });
	const again = await ground.check(suspended);
	expect([again.status, again.suspension?.token]).toEqual(["suspended", tokens.get(suspended)]);
	await ground.reply(suspended, "revise");
	for (const id of Object.values(open)) await ground.event("task.completed", id);
	expect(ground.effects("asked")).toBe("x");
	expect(ground.effects("worked.txt")).toBe("x");
	expect((await ground.check(waiting)).output).toContain("had help");
	expect((await ground.check(speaking)).output).toMatch(/t1 .* t120$/);
	expect((await ground.check(cancelled)).status).toBe("cancelled");
	for (const id of [...Object.values(open), completed, cancelled]) {
		expect([id, ground.countOf(id, endings), ground.countOf(id, ["task.created"])]).toEqual([id, 1, 1]);
	}
});

test("a running task that is cancelled just before the gateway dies stays cancelled, and its run ends", {
	timeout,
}, async () => {
	await using ground = await Ground.create();
	await ground.start();
	const session = await ground.open(true);
	const id = await ground.submit(session, "work", "run: printf x >> effect; sleep 60\nsay: never");
	await ground.effect("effect");
	const cancelling = { task_id: id, reason: "enough" };
	expect((await ground.client.request("cancel_task", cancelling)).status).toBe("cancelled");
	await ground.kill();
	await ground.start();
	expect(await ground.authors(id)).toEqual(["user", "assistant"]);
	expect(await ground.check(id)).toMatchObject({ status: "cancelled", error: "enough" });
	expect([ground.effects("effect"), ground.countOf(id, endings)]).toEqual(["x", 1]);
});

test.each(["task-submitted", "model-done", "tool-exit", "ended"])(
	"a task runs once if the gateway dies at %s",
	{ timeout },
	async (failpoint) => {
		await using ground = await Ground.create();
		const gateway = await ground.start(`${failpoint}=kill@1`);
		const session = await ground.open(true);
		// Sent again if the gateway dies before its acknowledgement.
		const submitting = ground.submit(session, "write", "run: printf x >> effect\nsay: done");
		submitting.catch(() => undefined);
		expect(await gateway.exited).toMatchObject({ signal: "SIGKILL" });
		await ground.start();
		const id = await submitting;
		await ground.event("task.completed", id);
		const tasks = await ground.client.request("list_tasks", {}, { sessionId: session });
		expect(tasks.map((task) => [task.id, task.status])).toEqual([[id, "completed"]]);
		expect(ground.effects("effect")).toBe("x");
		expect(ground.countOf(id, endings)).toBe(1);
	},
);
