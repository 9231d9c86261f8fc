import type { EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";

/** Submits a task with a prompt for the offline model, by default without tools. Returns the task id. */
export async function submit(
	client: OzzieClient,
	description: string | readonly string[],
	more: object = {},
): Promise<string> {
	const requested = { title: "A task", description: [description].flat().join("\n"), tools: [], ...more };
	const { task_id } = await client.call("submit_task", requested);
	return String(task_id);
}

export async function untilEnd(client: OzzieClient, id: string): Promise<EventFrame[]> {
	const events: EventFrame[] = [];
	for (;;) {
		const event = await client.event();
		if (event.payload["task_id"] !== id) continue;
		events.push(event);
		const failed = event.event === "task.failed" && event.payload["will_retry"] === false;
		if (failed || ["task.completed", "task.cancelled"].includes(event.event)) return events;
	}
}
