import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

const plan = [
	{ title: "look", status: "completed" },
	{ title: "change", status: "in_progress" },
	{ title: "test", status: "pending" },
];
const progress = { current_step: 1, total_steps: 3, current_step_label: "change", percentage: 33, plan };

verifiesOn(
	"ozzie",
	["run.todo"],
	"the list of a run is sent to all clients, including clients that join later",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const content = "todo: x look | > change | test\nask: Which one?";
		const { run_id } = await client.call("send_message", { content });
		const { payload, transient } = await client.event("todo.updated");
		expect(payload).toEqual({ run_id, call_id: expect.any(String), ...progress });
		expect(transient).toBeUndefined();
		await client.event("tool.call", { status: "completed", call_id: payload["call_id"] });
		await client.event("prompt.request");
		await using late = await OzzieClient.connect(gateway.url);
		await late.open({ session_id: session });
		expect(await late.event("todo.updated")).toMatchObject({ payload, transient: true });
	},
);

verifiesOn("ozzie", ["run.todo", "task.progress"], "the list of a task is its progress", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const task_id = await submit(client, "todo: x look | > change | test");
	expect((await client.event("task.progress", { current_step: 1 })).payload).toMatchObject({
		task_id,
		...progress,
	});
	await client.event("task.completed", { task_id });
	expect((await client.call("check_task", { task_id }))["plan"]).toEqual(plan);
});
