import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozTeam } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn("roz", ["roz.team"], "the workers of a task are replayed and followed to the end", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open({});
	const { task_id: taskId } = (await client.call("submit_task", {
		...{ title: "Dig", description: "list: ." },
	})) as { readonly task_id: string };
	await using live = new RozTeam(gateway.url, taskId);
	expect(await live.ended()).toMatchObject({ code: 0 });
	await using late = new RozTeam(gateway.url, taskId);
	expect(await late.ended()).toMatchObject({ code: 0 });
	expect(late.events).toEqual(live.events);
	const kinds = late.events.map(({ kind }) => kind);
	expect(kinds[0]).toBe("workerStarted");
	expect(kinds).toContain("workerToolCall");
	expect(kinds.slice(-2)).toEqual(["workerCompleted", "workerExited"]);
	expect(late.events.every(({ value }) => value["workerId"] === taskId)).toBe(true);
});

verifiesOn("roz", ["roz.team-unknown"], "an unknown task is NOT_FOUND", async () => {
	await using gateway = await TestGateway.start();
	await using team = new RozTeam(gateway.url, "task_abc123");
	expect(await team.ended()).toMatchObject({ code: 5 });
});
