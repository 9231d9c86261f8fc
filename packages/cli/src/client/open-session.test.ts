import { setImmediate } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { FakeClient, FakeSession } from "../testing/fake-session.ts";
import { lastSession, openSession } from "./open-session.ts";

const session = new FakeSession("sess_1");
const refused = new ParleyError("invalid params: root_dir: outside the roots", { code: "invalid_argument" });
const elsewhere = { sessionId: undefined, rootDir: "/elsewhere" };

test("opens a new session in the current directory", async () => {
	const client = new FakeClient();
	const opening = openSession(client, elsewhere);
	client.last("open_session").answer(session);
	expect(await opening).toBe(session);
	expect(client.requests.map(({ params }) => params)).toEqual([{ root_dir: "/elsewhere" }]);
});

test("keeps the directory of a named session", async () => {
	const client = new FakeClient();
	const opening = openSession(client, { ...elsewhere, sessionId: "sess_1" });
	client.last("open_session").answer(session);
	await opening;
	expect(client.requests.map(({ params }) => params)).toEqual([{ session_id: "sess_1" }]);
});

test("uses another directory and reports the reason if the gateway does not allow the current one", async () => {
	const client = new FakeClient();
	const notice = Promise.withResolvers<string>();
	const opening = openSession(client, { ...elsewhere, onOtherDirectory: notice.resolve });
	client.last("open_session").refuse(refused);
	expect(await notice.promise).toBe("outside the roots");
	client.last("open_session").answer(session);
	expect(await opening).toBe(session);
	expect(client.requests.at(-1)?.params).toEqual({});
});

test("opens no session if the caller rejects another directory", async () => {
	const client = new FakeClient();
	const onOtherDirectory = (reason: string): never => {
		throw new Error(`not here: ${reason}`);
	};
	const opening = openSession(client, { ...elsewhere, onOtherDirectory });
	client.last("open_session").refuse(refused);
	await expect(opening).rejects.toThrow("not here: outside the roots");
	expect(client.requests).toHaveLength(1);
});

test("fails without a callback for another directory", async () => {
	const client = new FakeClient();
	const opening = openSession(client, elsewhere);
	client.last("open_session").refuse(refused);
	await expect(opening).rejects.toBe(refused);
});

test("opens the session with the profile, also in another directory, and then sets the model", async () => {
	const client = new FakeClient();
	const choice = { ...elsewhere, profile: "reviewer", model: "max", onOtherDirectory: () => undefined };
	const opening = openSession(client, choice);
	await setImmediate();
	client.last("open_session").refuse(refused);
	await setImmediate();
	client.last("open_session").answer(session);
	await setImmediate();
	client.last("set_model").answer({ model: "claude-opus-5-1" });
	expect(await opening).toBe(session);
	expect(client.requests.map(({ params }) => params)).toEqual([
		{ root_dir: "/elsewhere", profile: "reviewer" },
		{ profile: "reviewer" },
		{ model: "max" },
	]);
	expect(client.requests.at(-1)?.sessionId).toBe("sess_1");
});

const models = [{ name: "claude-haiku-5-5" }];
const fresh = { sessionId: undefined, rootDir: undefined };

test("rejects an unknown model before it opens a session", async () => {
	const client = new FakeClient();
	const opening = openSession(client, { ...fresh, model: "gpt-5" });
	client.last("list_models").answer({ default: "claude-sonnet-5-5", models });
	await setImmediate();
	client.last("list_agents").answer({ agents: [{ name: "default" }, { name: "local", server: "http://x" }] });
	await expect(opening).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringMatching(/^unknown model "gpt-5"; `parley models`/),
	});
	expect(client.requests.map(({ method }) => method)).toEqual(["list_models", "list_agents"]);
});

test.each([
	[{ model: "claude-haiku-5-5" }, { default: "a", models }],
	[{ model: "a" }, { default: "a", models }],
	[{ model: "gemma" }, { default: "a", models, any_model: true }],
])("accepts the model: %j", async (requested, list) => {
	const client = new FakeClient();
	const opening = openSession(client, { ...fresh, ...requested });
	client.last("list_models").answer(list);
	await setImmediate();
	client.last("open_session").answer(session);
	await setImmediate();
	client.last("set_model").answer({ model: requested.model });
	expect(await opening).toBe(session);
});

test("accepts any model for a profile with its own server", async () => {
	const client = new FakeClient();
	const opening = openSession(client, { ...fresh, profile: "local", model: "gemma" });
	client.last("list_models").answer({ default: "a", models });
	await setImmediate();
	client.last("list_agents").answer({ agents: [{ name: "local", server: "http://x" }] });
	await setImmediate();
	client.last("open_session").answer(session);
	await setImmediate();
	client.last("set_model").answer({ model: "gemma" });
	expect(await opening).toBe(session);
});

function listed(session_id: string, root_dir: string, external_key?: string): object {
	return { session_id, root_dir, ...(external_key === undefined ? {} : { external_key }) };
}

test("continues the newest session of the directory that belongs to no channel", async () => {
	const client = new FakeClient();
	const finding = lastSession(client, "/work");
	const sessions = [
		listed("sess_1", "/other"),
		listed("sess_2", "/work", "slack:T1:C1"),
		listed("sess_3", "/work"),
		listed("sess_4", "/work"),
	];
	client.last("list_sessions").answer({ sessions });
	expect(await finding).toBe("sess_3");
});

test("explains that a directory has no session", async () => {
	const client = new FakeClient();
	const finding = lastSession(client, "/work");
	client.last("list_sessions").answer({ sessions: [listed("sess_1", "/other")] });
	await expect(finding).rejects.toThrow(
		"found no session to continue in /work; start a session without --continue, or use --session",
	);
});

test("does not search a gateway of another machine for a directory of this one", async () => {
	await expect(lastSession(new FakeClient(), undefined)).rejects.toThrow("use --session");
});
