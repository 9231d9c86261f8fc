import { setImmediate } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import type { SessionFacts } from "../client/find-session.ts";
import { FakeClient, FakeSession } from "../testing/fake-session.ts";
import { deleteUnused } from "./delete-unused.ts";

const empty: SessionFacts = {
	id: "sess_1",
	title: "",
	state: "idle",
	created_at: "2026-01-01T00:00:00Z",
	updated_at: "2026-01-01T00:00:00Z",
	message_count: 0,
	token_usage: { input: 0, output: 0 },
	cost_usd: 0,
	root_dir: "/work",
	profile: "default",
};

interface Work {
	readonly tasks?: readonly object[];
	readonly schedules?: readonly object[];
}

/**
 * Ends a chat that created one session. `facts`, the tasks and the schedules are the gateway's responses about
 * the session.
 */
async function ended(facts: Partial<SessionFacts>, { tasks = [], schedules = [] }: Work = {}) {
	const client = new FakeClient();
	const created = [new FakeSession("sess_1")];
	const ending = deleteUnused({ client, created, find: async () => ({ ...empty, ...facts }) });
	await setImmediate();
	client.requests.find(({ method }) => method === "query_tasks")?.answer({ tasks });
	client.requests.find(({ method }) => method === "list_schedules")?.answer({ schedules });
	await setImmediate();
	return { ending, request: client.requests.find(({ method }) => method === "delete_session") };
}

test("deletes an unused session and reports it", async () => {
	const { ending, request } = await ended({});
	expect(request?.params).toEqual({ session_id: "sess_1", force: false });
	request?.answer({});
	expect(await ending).toEqual(["sess_1"]);
});

test.each<[string, Partial<SessionFacts>, Work]>([
	["a message", { message_count: 1 }, {}],
	["a title", { title: "Plans" }, {}],
	["running work", { state: "running" }, {}],
	["a task", {}, { tasks: [{}] }],
	["a schedule", {}, { schedules: [{}] }],
])("does not delete a session with %s", async (_name, facts, work) => {
	const { ending, request } = await ended(facts, work);
	expect(request).toBeUndefined();
	expect(await ending).toEqual([]);
});

test.each(["failed_precondition", "not_found", "unavailable"] as const)(
	"leaves a session that cannot be deleted: %s",
	async (code) => {
		const { ending, request } = await ended({});
		request?.refuse(new ParleyError("it works", { code }));
		expect(await ending).toEqual([]);
	},
);

test("reports other errors", async () => {
	const { ending, request } = await ended({});
	request?.refuse(new ParleyError("no right", { code: "permission_denied" }));
	await expect(ending).rejects.toThrow("no right");
});

test("asks nothing if the chat created no session", async () => {
	const client = new FakeClient();
	const find = () => Promise.reject(new Error("asked"));
	expect(await deleteUnused({ client, created: [], find })).toEqual([]);
	expect(client.requests).toEqual([]);
});
