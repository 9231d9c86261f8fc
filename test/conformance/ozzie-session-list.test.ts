import { parseJson } from "@parley/base";
import { expect } from "vitest";
import * as z from "zod";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const List = z.array(z.looseObject({ seq: z.int().optional(), id: z.string() }));

async function get(gateway: TestGateway, path: string) {
	const response = await fetch(gateway.url + path);
	const body = parseJson(await response.text());
	return { status: response.status, body, list: List.catch([]).parse(body) };
}

async function sessions(client: OzzieClient, params: object = {}) {
	const { sessions: matches } = await client.call("list_sessions", params);
	return z
		.array(z.looseObject({ session_id: z.string(), title: z.string(), state: z.string() }))
		.parse(matches);
}

verifiesOn(
	"ozzie",
	["list.title", "list.rename", "list.search"],
	"sessions have titles and are found by their words",
	async () => {
		await using gateway = await TestGateway.start({ config: { titles: true } });
		await using client = await OzzieClient.connect(gateway.url);
		const first = await client.open();
		await client.call("send_message", { content: "say: The Fountain" });
		await client.event("assistant.message");
		const renamed = await client.event("session.renamed");
		expect(renamed).toMatchObject({
			session_id: first,
			payload: { title: "say: The Fountain", by: "model" },
		});
		const second = await client.open({ join: true, title: "Café plans" });
		const matches = async (query: string) =>
			(await sessions(client, { query })).map(({ session_id }) => session_id);
		expect(await matches("FOUNT say")).toEqual([first]);
		expect(await matches("CAFÉ")).toEqual([second]);
		expect(await matches("fountain plans")).toEqual([]);

		await expect(client.call("rename_session", { session_id: first, title: "Mine" })).resolves.toEqual({
			title: "Mine",
		});
		expect(await client.event("session.renamed")).toMatchObject({ payload: { title: "Mine", by: "person" } });
		await client.call("send_message", { content: "say: more" });
		await client.event("assistant.message");
		expect((await client.arrived()).filter((frame) => frame.type === "event")).toEqual([]);
		await client.call("rename_session", { session_id: first, title: " " });
		await client.event("session.renamed", { title: "" });
		await client.call("send_message", { content: "say: again" });
		await client.event("session.renamed", { by: "model" });
	},
);

verifiesOn("ozzie", ["session.fork"], "a fork continues a session up to an answered message", async () => {
	await using gateway = await TestGateway.start({});
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open({ title: "Tides" });
	for (const word of ["one", "two"]) {
		await client.call("send_message", { content: `say: ${word}` });
		await client.event("assistant.message");
	}
	await client.call("send_message", { content: "ask: Sure?" });
	await client.event("prompt.request");
	expect(await client.refusal("fork_session", { at: 3 })).toMatch(/message 3 is not answered yet/);
	expect(await client.refusal("fork_session", { at: 0 })).toMatch(/^invalid params: at/);
	const fullFork = await client.call("fork_session", { key: "k" });
	expect(fullFork).toMatchObject({ title: "Tides (fork)", at: 2 });
	await expect(client.call("fork_session", { key: "k" })).resolves.toEqual(fullFork);
	const { session_id: fork, last_seq } = await client.call("fork_session", { at: 1, title: "Ebb" });
	await client.call("open_session", { session_id: fork, after_seq: 0, join: true });
	await expect(client.event("session.created")).resolves.toMatchObject({
		payload: { forked_from: { session_id: session, at: 1 } },
	});
	await expect(client.event("assistant.message")).resolves.toMatchObject({
		seq: last_seq,
		payload: { content: "[offline] one", imported: true },
	});
	const loaded = await client.request("load_messages", { session_id: fork });
	expect(loaded.ok && loaded.payload).toMatchObject([
		{ content: "say: one", imported: true },
		{ content: "[offline] one", imported: true },
	]);
	await client.call("delete_session", { session_id: session, force: true });
	await client.call("send_message", { content: "say: on" }, { session_id: fork });
	await expect(client.event("assistant.message", { error: "" })).resolves.toMatchObject({
		session_id: fork,
		payload: { content: "[offline] on" },
	});
});

verifiesOn(
	"ozzie",
	["list.delete", "list.delete-busy", "list.state"],
	"a session is deleted for all clients, and only by force if it is in use",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await using other = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await other.call("open_session", { session_id: session });
		await client.call("send_message", { content: "run: echo hi" });
		await client.event("prompt.request");
		expect(await sessions(client)).toMatchObject([{ session_id: session, state: "waiting" }]);
		expect(await client.refusal("delete_session")).toMatch(/^session busy: .*force/);
		await expect(client.call("delete_session", { force: true })).resolves.toEqual({ status: "deleted" });
		await client.event("assistant.message", { error: "cancelled" });
		for (const one of [client, other]) {
			await expect(one.event("session.deleted")).resolves.toMatchObject({
				...{ session_id: session, payload: {}, transient: true },
			});
			expect(await one.refusal("send_message", { content: "hi" })).toBe(`session not found: ${session}`);
			expect(await one.refusal("open_session", { session_id: session })).toBe(
				`session not found: ${session}`,
			);
		}
		expect(await sessions(client)).toEqual([]);
		expect((await get(gateway, "/api/events")).body).toEqual([]);
		expect(await client.open()).not.toBe(session);
	},
);

verifiesOn(
	"ozzie",
	["list.delete-once"],
	"keys outlive a deletion, and a repeated request restores no session",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open({ key: "open" });
		const params = { session_id: session, key: "delete" };
		await client.call("delete_session", params);
		await using reconnected = await OzzieClient.connect(gateway.url);
		await expect(reconnected.call("delete_session", params)).resolves.toEqual({ status: "deleted" });
		expect(await reconnected.refusal("open_session", { key: "open" })).toBe(`session not found: ${session}`);
		expect(await reconnected.refusal("delete_session", { session_id: session })).toBe(
			`session not found: ${session}`,
		);
	},
);

verifiesOn(
	"ozzie",
	["list.http-after", "list.http-sessions"],
	"over HTTP, the history has pages and sessions are filtered",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open({ title: "Garden" });
		await client.open({ join: true });
		await client.call("send_message", { content: "say: hi" });
		await client.event("assistant.message");
		const page = async (query: string) =>
			(await get(gateway, `/api/events?session=${session}&${query}`)).list.map(({ seq }) => seq);
		expect(await page("after=0&limit=2")).toEqual([1, 2]);
		expect(await page("after=2&limit=2")).toEqual([3, 4]);
		expect(await page("after=5")).toEqual([]);
		expect(await page("after=0&type=assistant.message&type=session.created")).toEqual([1, 5]);
		for (const query of ["after=1", `session=${session}&after=-1`, `session=${session}&after=x`]) {
			expect((await get(gateway, `/api/events?${query}`)).status, query).toBe(400);
		}
		const matches = async (query: string) => (await get(gateway, `/api/sessions?${query}`)).list;
		expect(await matches("query=GARDEN")).toMatchObject([
			{ id: session, cost_usd: 0, state: "idle", profile: "default" },
		]);
		expect(await matches("query=hi&limit=1")).toHaveLength(1);
		expect(await matches(`id=${session.slice(0, 12)}`)).toMatchObject([{ id: session }]);
		expect((await get(gateway, "/api/sessions?query=nothing")).body).toEqual([]);
		expect((await get(gateway, `/api/sessions?query=${"x".repeat(201)}`)).status).toBe(400);
		expect((await get(gateway, "/api/sessions?id=%25")).status).toBe(400);
	},
);

interface Received {
	readonly id: string | undefined;
	readonly event: string | undefined;
	readonly data: string;
}

/** Yields the events of a response. Omits events without data. */
async function* receivedFrom({ body }: Response): AsyncGenerator<Received> {
	let text = "";
	for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
		const blocks = (text + piece).split("\n\n");
		text = blocks.pop() ?? "";
		for (const block of blocks) {
			const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
			const data = field("data");
			if (data !== undefined) yield { id: field("id"), event: field("event"), data };
		}
	}
}

verifiesOn(
	"ozzie",
	["list.stream"],
	"a reader of the event stream continues after a restart without a gap",
	async () => {
		await using gateway = await TestGateway.start();
		const seen: Received[] = [];
		const read = async (count: number, lastId?: string): Promise<void> => {
			const headers = {
				accept: "text/event-stream",
				...(lastId !== undefined && { "last-event-id": lastId }),
			};
			const response = await fetch(`${gateway.url}/api/events?limit=1000`, { headers });
			expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
			for await (const received of receivedFrom(response)) {
				seen.push(received);
				if (seen.length === count) return;
			}
		};
		let client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await client.call("send_message", { content: "say: one" });
		await client.event("assistant.message");
		await read(3);
		await gateway.restart();
		client = await OzzieClient.connect(gateway.url);
		await client.call("open_session", { session_id: session });
		const rest = read(10, seen.at(-1)?.id);
		await client.call("send_message", { content: "say: two" });
		await rest;
		const { list } = await get(gateway, "/api/events");
		expect(seen.map(({ data }) => parseJson(data))).toEqual(list.slice(0, 10));
		expect(seen.map(({ event }) => event)).toEqual(list.slice(0, 10).map(({ type }) => type));
		expect(list.map(({ seq }) => seq)).toEqual(list.map((_, index) => index + 1));
		await client.leave();
	},
);
