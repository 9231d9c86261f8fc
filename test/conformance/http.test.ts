import { connect } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { parseJson } from "@parley/base";
import { readOperatorToken } from "@parley/gateway";
import { expect } from "vitest";
import * as z from "zod";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const Item = z.record(z.string(), z.unknown());

async function get(gateway: TestGateway, path: string) {
	const response = await fetch(gateway.url + path);
	expect(response.headers.get("content-type")).toBe("application/json");
	const text = await response.text();
	return { status: response.status, text, list: z.array(Item).catch([]).parse(parseJson(text)) };
}

verifiesOn("ozzie", ["http.health"], "the gateway reports its health", async () => {
	await using gateway = await TestGateway.start();
	await expect(get(gateway, "/api/health")).resolves.toMatchObject({ status: 200, text: '{"status":"ok"}' });
});

verifiesOn("ozzie", ["http.no-tunnel"], "CONNECT is answered and its connection closed", async () => {
	await using gateway = await TestGateway.start();
	const { hostname, port, host } = new URL(gateway.url);
	const socket = connect(Number(port), hostname);
	socket.write(`CONNECT example.org:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
	const answer = await readText(socket);
	expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
	expect(answer).toMatch(/^allow: GET, HEAD, POST\r$/m);
	expect(answer).toContain('"error":"method not allowed"');
});

verifiesOn("ozzie", ["http.health-verbose"], "callers with a token get more details", async () => {
	await using gateway = await TestGateway.start({ config: { auth: "token" } });
	expect((await fetch(`${gateway.url}/api/health?verbose`)).status).toBe(401);
	const token = await readOperatorToken(join(gateway.directory, "data"));
	const headers = { authorization: `Bearer ${token}` };
	const received = await fetch(`${gateway.url}/api/health?verbose`, { headers });
	expect(parseJson(await received.text())).toMatchObject({
		...{
			status: "ok",
			auth: "token",
			local_trust: false,
			insecure_lan: false,
			sandbox: { mode: "off", state: "unused" },
		},
		...{ provider: { name: "offline", model: "offline" }, storage: { state: "ok" } },
		...{ listeners: [{ url: gateway.url, tls: false }], uptime_s: expect.any(Number) },
	});
});

verifiesOn(
	"ozzie",
	["http.websocket"],
	"only one path accepts WebSockets, and it accepts nothing else",
	async () => {
		await using gateway = await TestGateway.start();
		expect((await get(gateway, "/api/ws")).status).toBe(426);
		await expect(OzzieClient.connect(`${gateway.url}/other`)).rejects.toThrow("400");
		await using client = await OzzieClient.connect(gateway.url);
		await client.call("list_sessions");
	},
);

verifiesOn("ozzie", ["http.tasks", "http.never-null"], "lists without entries are empty", async () => {
	await using gateway = await TestGateway.start();
	for (const path of ["/api/tasks", "/api/tasks?session_id=&status=", "/api/sessions", "/api/events"]) {
		await expect(get(gateway, path)).resolves.toMatchObject({ status: 200, text: "[]" });
	}
	await expect(get(gateway, "/api/events?type=session.closed")).resolves.toMatchObject({ text: "[]" });
});

verifiesOn(
	"ozzie",
	["http.events", "http.events-filter", "http.discreet"],
	"the newest events are listed",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await client.call("send_message", { content: "run: echo hi" });
		const { payload } = await client.event("prompt.request");
		await client.call("prompt_response", { token: payload["token"], value: true });
		await client.event("assistant.message");
		const other = await client.open({ join: true });
		const all = await get(gateway, "/api/events");
		expect(all.list.map(({ type }) => type)).toEqual([
			...["session.created", "user.message", "internal.llm.call", "tool.call", "prompt.request"],
			...["prompt.response", "tool.call", "internal.llm.call", "usage.updated", "assistant.message"],
			"session.created",
		]);
		expect(all.list[1]).toEqual({
			...{
				id: expect.any(String),
				session_id: session,
				type: "user.message",
				source: expect.any(String),
				seq: 2,
			},
			timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			payload: { content: "run: echo hi", run_id: expect.any(String) },
		});
		expect(all.text).not.toContain(String(payload["token"]));
		expect((await get(gateway, "/api/events?limit=2")).list).toEqual(all.list.slice(-2));
		expect((await get(gateway, `/api/events?session=${other}`)).list).toEqual(all.list.slice(-1));
		expect((await get(gateway, "/api/events?session=sess_x")).status).toBe(404);
		const typed = async (query: string) => (await get(gateway, `/api/events?${query}`)).list;
		expect(await typed("type=tool.call")).toEqual([all.list[3], all.list[6]]);
		expect(await typed(`type=session.created&session=${session}`)).toEqual([all.list[0]]);
		expect(await typed("type=prompt.request&type=assistant.message")).toEqual([all.list[4], all.list[9]]);
		expect(await typed("type=tool.call&limit=1")).toEqual([all.list[6]]);
		expect(await typed("type=internal.llm.call")).toEqual([all.list[2], all.list[7]]);
	},
);

verifiesOn(
	"ozzie",
	["http.events", "http.limit"],
	"limits are integers from 1 to 1000, 50 by default",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		for (let n = 0; n < 60; n++) await client.open();
		expect((await get(gateway, "/api/events")).list).toHaveLength(50);
		expect((await get(gateway, "/api/events?limit=1000")).list).toHaveLength(119);
		expect((await get(gateway, "/api/events?limit=1")).list).toHaveLength(1);
		for (const path of ["/api/events", "/api/sessions", "/api/tasks"]) {
			for (const limit of ["0", "-1", "1001", "1.5", "1e2", "ten", "", "0x10", "99999999999999999999"]) {
				expect((await get(gateway, `${path}?limit=${limit}`)).status, limit).toBe(400);
			}
		}
	},
);

verifiesOn("ozzie", ["http.sessions"], "sessions are listed with their usage", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open({ title: "Garden", external_key: "k" });
	await client.call("send_message", { content: "say: hi" });
	await client.event("assistant.message");
	const { list } = await get(gateway, "/api/sessions");
	const time = expect.stringMatching(/Z$/);
	expect(list).toEqual([
		{
			...{ id: session, title: "Garden", status: "active", created_at: time, updated_at: time },
			...{ message_count: 2, root_dir: gateway.path("work"), external_key: "k" },
			...{ token_usage: { input: expect.any(Number), output: 3 }, cost_usd: 0 },
			...{ state: "idle", profile: "default" },
		},
	]);
	expect(list[0]?.["token_usage"]).not.toMatchObject({ input: 0 });
});

verifiesOn("ozzie", ["http.tasks", "http.discreet"], "tasks are listed and filtered", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const submit = async (title: string, description: string): Promise<unknown> => {
		const { task_id } = await client.call("submit_task", { title, description, tools: [] });
		return task_id;
	};
	const session = await client.open();
	const suspended = await submit("Ask", "review: May I?");
	const { payload } = await client.event("task.suspended");
	const other = await client.open();
	const done = await submit("Do", "say: done");
	await client.event("task.completed");
	const idsOf = async (query: string) => (await get(gateway, `/api/tasks${query}`)).list.map(({ id }) => id);
	await expect(idsOf("")).resolves.toEqual([done, suspended]);
	await expect(idsOf("?limit=1")).resolves.toEqual([done]);
	await expect(idsOf(`?session_id=${session}`)).resolves.toEqual([suspended]);
	await expect(idsOf(`?session_id=${other}`)).resolves.toEqual([done]);
	await expect(idsOf("?status=suspended&status=failed")).resolves.toEqual([suspended]);
	await expect(idsOf("?status=running")).resolves.toEqual([]);
	const { list, text } = await get(gateway, `/api/tasks?session_id=${session}`);
	expect(list).toMatchObject([{ title: "Ask", suspension: { reason: "May I?", plan_content: "May I?" } }]);
	expect(text).not.toContain(String(payload["token"]));
	expect((await get(gateway, "/api/events")).text).not.toContain(String(payload["token"]));
	await expect(get(gateway, "/api/tasks?session_id=sess_x")).resolves.toMatchObject({ status: 404 });
	await expect(get(gateway, "/api/tasks?status=waiting")).resolves.toMatchObject({
		status: 400,
		text: expect.stringContaining(
			"is not allowed: use one of pending, running, suspended, completed, failed, cancelled",
		),
	});
});
