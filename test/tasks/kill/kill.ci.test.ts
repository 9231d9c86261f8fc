import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { KillSetup } from "./kill-setup.ts";

const timeout = paced(120_000);
const endings = ["task.completed", "task.failed", "task.cancelled"];

test("a gateway killed with tasks in every state continues all of them", { timeout }, async () => {
	await using setup = await KillSetup.create();
	await setup.start();
	const trusting = await setup.open(true);
	const untrusted = await setup.open(false);
	const submit = (title: string, ...lines: string[]) => setup.submit(trusting, title, lines.join("\n"));
	const suspended = await submit("suspended", "review: May I?", "say: went on");
	const replied = await submit("replied", "review: Sure?", "say: went on");
	const cancelled = await submit("cancelled", "review: Really?", "say: never");
	const tokens = new Map<string, unknown>();
	for (const id of [suspended, replied, cancelled]) {
		tokens.set(id, (await setup.event("task.suspended", id))["token"]);
	}
	const completed = await submit("completed", "say: done");
	await setup.event("task.completed", completed);

	const questioned = await setup.submit(untrusted, "asked", "run: printf x >> asked\nsay: done");
	const prompt = await setup.event("prompt.request", questioned);
	// The command appends to a `.txt` file, because a change of another kind of file would make the gateway refuse the
	// pending call.
	const working = await submit("working", "run: printf x >> worked.txt; sleep 60", "say: done");
	await setup.effect("worked.txt");
	const long = "long: 120 tokens at 20 per second";
	const waiting = await submit("waiting", `spawn: Helper <<< ${long}`, "wait: all", "say: had help");
	const speaking = await submit("speaking", long);
	const busy = await submit("busy", long);
	for (const id of [speaking, busy]) await setup.event("task.started", id);
	const helper = await setup.titled("task.started", "Helper");
	// Four tasks use a worker: working, helper, speaking and busy. Tasks that wait for an approval or a helper use none.
	// Further tasks are pending until a worker is free.
	const pending = await submit("pending", "say: at last");
	await setup.reply(replied, "approved");
	await setup.client.request("cancel_task", { task_id: cancelled, reason: "enough" });
	const open = {
		suspended,
		replied,
		questioned,
		working,
		waiting,
		helper,
		speaking,
		busy,
		pending,
	};
	expect(await setup.states({ ...open, completed, cancelled })).toEqual({
		...{ suspended: "suspended", replied: "pending", questioned: "running", working: "running" },
		...{ waiting: "running", helper: "running", speaking: "running", busy: "running", pending: "pending" },
		...{ completed: "completed", cancelled: "cancelled" },
	});
	await setup.kill();

	await setup.start();
	await setup.client.request("prompt_response", { token: String(prompt["token"]), value: true });
	const rechecked = await setup.check(suspended);
	expect([rechecked.status, rechecked.suspension?.token]).toEqual(["suspended", tokens.get(suspended)]);
	await setup.reply(suspended, "revise");
	for (const id of Object.values(open)) await setup.event("task.completed", id);
	expect(setup.effects("asked")).toBe("x");
	expect(setup.effects("worked.txt")).toBe("x");
	expect((await setup.check(waiting)).output).toContain("had help");
	expect((await setup.check(speaking)).output).toMatch(/t1 .* t120$/);
	expect((await setup.check(cancelled)).status).toBe("cancelled");
	for (const id of [...Object.values(open), completed, cancelled]) {
		expect([id, setup.countOf(id, endings), setup.countOf(id, ["task.created"])]).toEqual([id, 1, 1]);
	}
});

test("a running task that is cancelled just before the gateway dies stays cancelled, and its run ends", {
	timeout,
}, async () => {
	await using setup = await KillSetup.create();
	await setup.start();
	const session = await setup.open(true);
	const id = await setup.submit(session, "work", "run: printf x >> effect; sleep 60\nsay: never");
	await setup.effect("effect");
	const cancelling = { task_id: id, reason: "enough" };
	expect((await setup.client.request("cancel_task", cancelling)).status).toBe("cancelled");
	await setup.kill();
	await setup.start();
	expect(await setup.authors(id)).toEqual(["user", "assistant"]);
	expect(await setup.check(id)).toMatchObject({ status: "cancelled", error: "enough" });
	expect([setup.effects("effect"), setup.countOf(id, endings)]).toEqual(["x", 1]);
});

test.each(["task-submitted", "model-done", "tool-exit", "ended"])(
	"a task runs once if the gateway dies at %s",
	{ timeout },
	async (failpoint) => {
		await using setup = await KillSetup.create();
		const gateway = await setup.start(`${failpoint}=kill@1`);
		const session = await setup.open(true);
		// If the gateway is killed before it has acknowledged this request, the client repeats the request.
		const submitting = setup.submit(session, "write", "run: printf x >> effect\nsay: done");
		submitting.catch(() => undefined);
		expect(await gateway.exited).toMatchObject({ signal: "SIGKILL" });
		await setup.start();
		const id = await submitting;
		await setup.event("task.completed", id);
		const tasks = await setup.client.request("list_tasks", {}, { sessionId: session });
		expect(tasks.map((task) => [task.id, task.status])).toEqual([[id, "completed"]]);
		expect(setup.effects("effect")).toBe("x");
		expect(setup.countOf(id, endings)).toBe(1);
	},
);
