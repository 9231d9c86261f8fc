import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { FakeClient } from "../../testing/fake-session.ts";
import { countWork, waitingRows } from "./status.ts";

const nothing = { questions: 0, grant_wishes: 0, pairing_requests: 0, suspended_tasks: 0 };

test("prints open work with the command that shows it", () => {
	expect(waitingRows(nothing)).toEqual([]);
	expect(waitingRows({ questions: 1, grant_wishes: 1, pairing_requests: 1, suspended_tasks: 1 })).toEqual([
		"1 session has a question: parley answer",
		"1 task waits for your answer: parley tasks",
		"1 request to trust a channel: parley trust list",
		"1 person requests access: parley people",
	]);
	expect(waitingRows({ ...nothing, questions: 2, pairing_requests: 3 })).toEqual([
		expect.stringMatching(/^2 sessions have questions: /),
		"3 people request access: parley people",
	]);
});

test("counts a request for trust once, and not also as a question", async () => {
	const client = new FakeClient();
	const counting = countWork(client);
	const states = { sess_asks: "waiting", sess_wishes: "waiting", sess_works: "running" };
	const sessions = Object.entries(states).map(([session_id, state]) => ({ session_id, state }));
	client.last("list_sessions").answer({ sessions });
	await setImmediate();
	client
		.last("list_grants")
		.answer({ grants: [], wishes: [{ token: "prompt_1", session_id: "sess_wishes" }] });
	await setImmediate();
	client.last("list_people").answer({ people: [], waiting: [] });
	await setImmediate();
	client.last("query_tasks").answer({ tasks: [] });
	expect(await counting).toEqual({ sessions: 3, waiting: { ...nothing, questions: 1, grant_wishes: 1 } });
});
