import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClient, FakeSession } from "../testing/fake-session.ts";
import { deleteUnused } from "./delete-unused.ts";

const empty = { message_count: 0, title: "", state: "idle" };

async function deleted(
	facts: Partial<typeof empty>,
	work: { readonly tasks?: readonly object[]; readonly schedules?: readonly object[] } = {},
): Promise<boolean> {
	const client = new FakeClient();
	const ending = deleteUnused(client, [new FakeSession("sess_1")]);
	const { tasks = [], schedules = [] } = work;
	client.last("list_sessions").answer({ sessions: [{ session_id: "sess_1", ...empty, ...facts }] });
	await setImmediate();
	client.requests.find(({ method }) => method === "query_tasks")?.answer({ tasks });
	client.requests.find(({ method }) => method === "list_schedules")?.answer({ schedules });
	await setImmediate();
	const request = client.requests.find(({ method }) => method === "delete_session");
	request?.answer({});
	await ending;
	return request !== undefined;
}

test("deletes an unused session", async () => {
	expect(await deleted({})).toBe(true);
});

test.each([
	["a message", { message_count: 1 }, {}],
	["a title", { title: "Plans" }, {}],
	["running work", { state: "running" }, {}],
	["a task", {}, { tasks: [{}] }],
	["a schedule", {}, { schedules: [{}] }],
])("does not delete a session with %s", async (_name, facts, work) => {
	expect(await deleted(facts, work)).toBe(false);
});

test("asks nothing if the chat created no session", async () => {
	const client = new FakeClient();
	await deleteUnused(client, []);
	expect(client.requests).toEqual([]);
});
