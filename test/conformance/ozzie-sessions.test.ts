import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const listed = async (client: OzzieClient): Promise<Readonly<Record<string, unknown>>[]> => {
	const { sessions } = await client.call("list_sessions");
	return Array.isArray(sessions) ? sessions : [];
};

verifiesOn(
	"ozzie",
	["session.create", "session.created"],
	"a session is created if the request has no id",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const ids = new Set();
		for (const params of [undefined, {}, { session_id: "" }, { session_id: null }]) {
			const answer = await client.call("open_session", params);
			expect(answer).toEqual({
				...{ session_id: expect.stringMatching(/^sess_[0-9a-z]{26}$/), status: "created", last_seq: 0 },
			});
			ids.add(answer["session_id"]);
			await expect(client.event()).resolves.toMatchObject({ event: "session.created", payload: {}, seq: 1 });
		}
		expect(ids.size).toBe(4);
	},
);

verifiesOn(
	"ozzie",
	["session.resume", "session.survives"],
	"a session continues, also after a restart",
	async () => {
		await using gateway = await TestGateway.start();
		let client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await client.call("send_message", { content: "say: before" });
		await client.event("assistant.message");
		await gateway.restart();
		client = await OzzieClient.connect(gateway.url);
		await expect(client.call("open_session", { session_id: session })).resolves.toMatchObject({
			...{ session_id: session, status: "resumed" },
		});
		await client.call("send_message", { content: "say: after" });
		await client.event("assistant.message", { content: "[offline] after" });
		await client.leave();
	},
);

verifiesOn(
	"ozzie",
	["session.unknown"],
	"an invalid session id is not found, and not looked up",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const ids = [
			"sess_xyz",
			"nope",
			"../../etc/passwd",
			"sess_a/../../b",
			"SESS_A",
			"sess_'; drop",
			"x".repeat(128),
		];
		for (const session_id of ids) {
			expect(await client.refusal("open_session", { session_id })).toBe(`session not found: ${session_id}`);
			expect(await client.refusal("send_message", { content: "hi" }, { session_id })).toBe(
				`session not found: ${session_id}`,
			);
		}
		await client.call("send_message", { content: "say: the current one stays" });
		await client.event("assistant.message", { content: "[offline] the current one stays" });
	},
);

verifiesOn("ozzie", ["session.implicit"], "a message or trust without a session creates one", async () => {
	await using gateway = await TestGateway.start();
	for (const method of ["send_message", "accept_all_tools"]) {
		await using client = await OzzieClient.connect(gateway.url);
		await client.call(method, { content: "say: hi" });
		const { session_id } = await client.event("session.created");
		await client.call("send_message", { content: "say: again" }, { session_id });
		await client.event("assistant.message", { content: "[offline] again" });
		expect(await listed(client)).toContainEqual(expect.objectContaining({ session_id }));
	}
	await using client = await OzzieClient.connect(gateway.url);
	expect(await listed(client)).toHaveLength(2);
});

verifiesOn("ozzie", ["session.replace"], "opening another session leaves the present one", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await using other = await OzzieClient.connect(gateway.url);
	const first = await client.open();
	await other.open({ session_id: first });
	const second = await client.open();
	await client.arrived();
	await other.call("send_message", { content: "say: to the first" });
	await other.event("assistant.message");
	expect(await client.arrived()).toEqual([]);
	await client.call("send_message", { content: "say: to the second" });
	await expect(client.event("assistant.message")).resolves.toMatchObject({ session_id: second });
	expect(await client.refusal("send_message", { content: "hi" }, { session_id: first })).toBe(
		`session not found: ${first}`,
	);
});

verifiesOn(
	"ozzie",
	["session.join", "session.address", "session.address-unjoined"],
	"a connection has several sessions, and each request names its session",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const first = await client.open();
		const second = await client.open({ join: true });
		await client.call("send_message", { content: "say: to the current" });
		await expect(client.event("assistant.message")).resolves.toMatchObject({ session_id: first });
		await client.call("send_message", { content: "say: to the other" }, { session_id: second });
		await expect(client.event("assistant.message")).resolves.toMatchObject({ session_id: second });
		await client.call("cancel_turn", {}, { session_id: second });
		const messages = await client.request("load_messages", {}, { session_id: second });
		expect(messages.ok && messages.payload).toMatchObject([{ role: "user" }, { role: "assistant" }]);
		await using other = await OzzieClient.connect(gateway.url);
		const third = await other.open();
		for (const method of ["send_message", "cancel_turn", "accept_all_tools", "load_messages"]) {
			expect(await client.refusal(method, { content: "hi" }, { session_id: third })).toBe(
				`session not found: ${third}`,
			);
		}
	},
);

verifiesOn(
	"ozzie",
	["session.resume-many"],
	"many sessions are joined in one request, each from its own number",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const ids: string[] = [];
		for (let n = 0; n < 3; n++) {
			ids.push(await client.open());
			await client.call("send_message", { content: `say: ${n}` });
			await client.event("assistant.message");
		}
		await using back = await OzzieClient.connect(gateway.url);
		const [a, b, c] = ids;
		const expected = [
			{ session_id: a, after_seq: 0 },
			{ session_id: b },
			{ session_id: "sess_gone", after_seq: 1 },
			{ session_id: c, after_seq: 99 },
		];
		const { sessions } = await back.call("resume", { sessions: expected });
		expect(sessions).toEqual([
			{ session_id: a, ok: true, status: "resumed", last_seq: 6 },
			{ session_id: b, ok: true, status: "resumed", last_seq: 6 },
			{ session_id: "sess_gone", ok: false, error: "session not found: sess_gone" },
			{ session_id: c, ok: false, error: "seq not available: 99" },
		]);
		expect(await back.upTo(6)).toMatchObject([1, 2, 3, 4, 5, 6].map((seq) => ({ session_id: a, seq })));
		await back.call("send_message", { content: "say: live" }, { session_id: b });
		await expect(back.event("assistant.message")).resolves.toMatchObject({ session_id: b });
		expect(await back.refusal("send_message", { content: "hi" }, { session_id: c })).toBe(
			`session not found: ${c}`,
		);
	},
);

verifiesOn(
	"ozzie",
	["session.external-key"],
	"the same external key is the same session for all clients",
	async () => {
		await using gateway = await TestGateway.start();
		const clients = await Promise.all([1, 2, 3, 4].map(() => OzzieClient.connect(gateway.url)));
		const answers = await Promise.all(
			clients.map((client) => client.call("open_session", { external_key: "discord:1:2" })),
		);
		expect(new Set(answers.map(({ session_id }) => session_id)).size).toBe(1);
		expect(answers.map(({ status }) => status).sort()).toEqual(["created", "resumed", "resumed", "resumed"]);
		const [first] = clients;
		const another = await first?.call("open_session", { external_key: "discord:1:3" });
		expect(another).toMatchObject({ status: "created" });
		await Promise.all(clients.map((client) => client.leave()));
	},
);

verifiesOn("ozzie", ["session.list"], "the list has the title and the state of each session", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	expect(await listed(client)).toEqual([]);
	const session = await client.open({ title: "My garden", external_key: "k1" });
	await client.call("send_message", { content: "say: hi" });
	await client.event("assistant.message");
	const bare = await client.open();
	const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
	const times = { created_at: time, updated_at: time };
	const where = { root_dir: gateway.path("work"), profile: "default", state: "idle", ...times };
	expect((await listed(client)).toSorted((one) => (one["session_id"] === session ? -1 : 1))).toEqual([
		{
			...{ session_id: session, title: "My garden", external_key: "k1", ...where },
			...{ status: "closed", message_count: 2, last_seq: 6 },
		},
		{ session_id: bare, title: "", ...where, status: "active", message_count: 0, last_seq: 1 },
	]);
	const { sessions } = await client.call("list_sessions", { limit: 1 });
	expect(sessions).toHaveLength(1);
});

verifiesOn("ozzie", ["session.messages"], "messages are read in pages from the newest back", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	expect(await client.refusal("load_messages")).toMatch(/^invalid params/);
	await client.open();
	const load = async (params: object) => {
		const answer = await client.request("load_messages", params);
		return answer.ok && Array.isArray(answer.payload) ? answer.payload : [];
	};
	expect(await load({})).toEqual([]);
	for (let n = 1; n <= 7; n++) {
		await client.call("send_message", { content: `say: ${n}` });
		await client.event("assistant.message");
	}
	const newest = await load({});
	expect(newest).toHaveLength(10);
	expect(Object.keys(newest[0]).sort()).toEqual(["content", "role", "seq", "ts"]);
	expect(newest.slice(-2)).toMatchObject([
		{ role: "user", content: "say: 7" },
		{ role: "assistant", content: "[offline] 7" },
	]);
	const older = await load({ before: newest[0].seq, limit: 50 });
	expect(older.map(({ content }) => content)).toEqual(["say: 1", "[offline] 1", "say: 2", "[offline] 2"]);
	expect(await load({ before: 1 })).toEqual([]);
	for (const limit of [0, 51, -1, 1.5]) {
		expect(await client.refusal("load_messages", { limit })).toMatch(/^invalid params: limit\b/);
	}
});

verifiesOn(
	"ozzie",
	["session.closed"],
	"a session is closed with its last client, and opened by the next",
	async () => {
		await using gateway = await TestGateway.start();
		await using watcher = await OzzieClient.connect(gateway.url);
		const status = async () => (await listed(watcher)).map((entry) => entry["status"]);
		const one = await OzzieClient.connect(gateway.url);
		const two = await OzzieClient.connect(gateway.url);
		const session = await one.open();
		await two.open({ session_id: session });
		await one.leave();
		expect(await status()).toEqual(["active"]);
		expect(await two.arrived()).toEqual([]);
		await two.leave();
		while (!(await (await fetch(`${gateway.url}/api/sessions`)).text()).includes("closed"));
		await using three = await OzzieClient.connect(gateway.url);
		await three.call("open_session", { session_id: session, after_seq: 0 });
		expect(await three.upTo(2)).toMatchObject([
			{ event: "session.created", seq: 1 },
			{ event: "session.closed", payload: {}, seq: 2 },
		]);
		expect(await status()).toEqual(["active"]);
	},
);

verifiesOn("ozzie", ["session.goes-on"], "work and questions continue without a client", async () => {
	await using gateway = await TestGateway.start();
	const client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	await client.call("send_message", { content: "run: echo hi\nsay: done" });
	const { payload } = await client.event("prompt.request");
	await client.leave();
	await using back = await OzzieClient.connect(gateway.url);
	await back.open({ session_id: session });
	await expect(back.event("prompt.request")).resolves.toMatchObject({ payload, transient: true });
	await back.call("send_message", { content: "say: queued" });
	await back.call("prompt_response", { token: payload["token"], value: true });
	await back.leave();
	await using later = await OzzieClient.connect(gateway.url);
	await later.open({ session_id: session, after_seq: 0 });
	await later.event("assistant.message", { error: "" });
	await later.event("assistant.message", { content: "[offline] queued" });
});
