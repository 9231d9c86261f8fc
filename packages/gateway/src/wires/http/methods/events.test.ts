import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { parseJson } from "@parley/base";
import { operator, type Principal } from "@parley/core";
import { EventLog, ScriptedModel, says, TestRuntime, testConnector, unkeyed } from "@parley/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { StreamCounts } from "../../../metrics/client-metrics.ts";
import { MetricRecorder } from "../../../metrics/recorder.ts";
import { metricValues } from "../../../testing/metric-values.ts";
import { EventStreams, wantsStream } from "./events.ts";

const Shown = z.looseObject({
	type: z.string(),
	session_id: z.string(),
	seq: z.int(),
	payload: z.looseObject({}),
	transient: z.boolean().optional(),
});

interface Block {
	readonly id: string | undefined;
	readonly event: string | undefined;
	readonly data: z.infer<typeof Shown> | undefined;
	readonly text: string;
}

class Reader {
	readonly response: IncomingMessage;
	readonly #text: AsyncIterator<string>;
	#rest = "";

	constructor(response: IncomingMessage) {
		this.response = response;
		response.setEncoding("utf8");
		// The test may close the server while the client does not read.
		response.on("error", () => undefined);
		this.#text = response[Symbol.asyncIterator]();
	}

	async next(): Promise<Block | undefined> {
		for (;;) {
			const end = this.#rest.indexOf("\n\n");
			if (end >= 0) {
				const text = this.#rest.slice(0, end);
				this.#rest = this.#rest.slice(end + 2);
				const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
				const data = field("data");
				return {
					id: field("id"),
					event: field("event"),
					data: data === undefined ? data : Shown.parse(parseJson(data)),
					text,
				};
			}
			const { value, done } = await this.#text.next();
			if (done) return undefined;
			this.#rest += value;
		}
	}

	/** Reads the next `count` events, without heartbeats. */
	async events(count: number): Promise<Block[]> {
		const received: Block[] = [];
		while (received.length < count) {
			const next = await this.next();
			if (!next) throw new Error(`ended after ${received.length} events`);
			if (next.event !== undefined) received.push(next);
		}
		return received;
	}
}

class Place implements AsyncDisposable {
	readonly t: TestRuntime;
	readonly streams: EventStreams;
	principal: Principal = operator;
	readonly #recorder: MetricRecorder;
	readonly #server = createServer((request, response) => {
		const url = new URL(`http://gateway${request.url}`);
		if (!wantsStream(request, url)) response.writeHead(406).end();
		else void this.streams.serve({ request, response, url, principal: this.principal });
	});

	private constructor(t: TestRuntime) {
		this.t = t;
		const { runtime, clock, log } = t;
		this.#recorder = new MetricRecorder(log);
		this.streams = new EventStreams({ runtime, clock, log, counts: new StreamCounts(this.#recorder) });
	}

	static async open(...replies: readonly string[]): Promise<Place> {
		const model = new ScriptedModel(...replies.map((text) => [says(text)]));
		const place = new Place(await TestRuntime.open({ model }));
		place.#server.listen(0, "127.0.0.1");
		await once(place.#server, "listening");
		return place;
	}

	metrics(): Promise<Record<string, number>> {
		return metricValues(this.#recorder, "parley_event_stream");
	}

	async read(query = "", headers: Readonly<Record<string, string>> = {}): Promise<Reader> {
		// The cast is safe because the server listens on a port.
		const { port } = this.#server.address() as AddressInfo;
		const accept = "text/event-stream";
		const requested = get({
			host: "127.0.0.1",
			port,
			path: `/api/events${query}`,
			headers: { accept, ...headers },
		});
		const [response] = await once(requested, "response");
		return new Reader(response);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		this.#server.close();
		await once(this.#server, "close");
		await this.t[Symbol.asyncDispose]();
	}
}

const types = (received: readonly Block[]): (string | undefined)[] => received.map(({ event }) => event);

test("events of all sessions are sent live, each with its position", async () => {
	await using place = await Place.open("hi");
	const { t } = place;
	await t.create();
	const reader = await place.read();
	expect(reader.response.headers).toMatchObject({
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-store",
		"x-accel-buffering": "no",
		"last-event-id": "1",
	});
	expect((await reader.next())?.text).toBe("id: 1\nretry: 1000");
	const session = await t.create();
	await t.send(session, "hello");
	const received = await reader.events(5);
	expect(types(received)).toEqual([
		...["session.created", "user.message", "internal.llm.call", "usage.updated", "assistant.message"],
	]);
	expect(received.map(({ data }) => data?.seq)).toEqual([1, 2, 3, 4, 5]);
	expect(received.map(({ id }) => Number(id))).toEqual([2, 3, 4, 5, 6]);
	expect(received[1]?.data).toMatchObject({
		type: "user.message",
		payload: { content: "hello" },
		session_id: session,
	});
});

test("a client that reconnects resumes at its position, without gap or repeat", async () => {
	await using place = await Place.open(...Array.from({ length: 40 }, (_, n) => `reply ${n}`));
	const { t } = place;
	const seen: string[] = [];
	let last = "0";
	const sessions = [await t.create(), await t.create()];
	for (let round = 0; round < 5; round++) {
		const reader = await place.read("", { "last-event-id": last });
		// The reader reads only a part of the events, while further events are recorded.
		await Promise.all([
			...sessions.map((session) => t.send(session, `message ${round}`)),
			reader.events(3 + round).then((arrived) => {
				for (const { id = "" } of arrived) seen.push(id);
				last = arrived.at(-1)?.id ?? last;
			}),
		]);
		reader.response.destroy();
		await t.settle();
	}
	const all = await t.runtime.history.from(operator, 0, { limit: 1_000 });
	const rest = await (await place.read("", { "last-event-id": last })).events(all.length - seen.length);
	const ids = [...seen, ...rest.map(({ id = "" }) => id)];
	expect(ids).toEqual(all.map(({ position }) => String(position)));
});

test("a position beyond the newest event, as after an older backup, continues with later events", async () => {
	await using place = await Place.open();
	await place.t.create();
	const reader = await place.read("", { "last-event-id": "4711" });
	await reader.next();
	await place.t.create();
	expect(await reader.events(1)).toMatchObject([{ id: "2", event: "session.created" }]);
});

test("filters limit the stream, and it can begin with existing events", async () => {
	await using place = await Place.open("one", "two");
	const { t } = place;
	const first = await t.create();
	const second = await t.create();
	const log = await EventLog.join(t.runtime, second);
	await t.send(second, "before");
	await log.next("assistant.message");
	const newest = await (await place.read("?limit=2")).events(2);
	expect(types(newest)).toEqual(["usage.updated", "assistant.message"]);
	const after = await (await place.read(`?session=${second}&after=4`)).events(1);
	expect(after.map(({ data }) => data?.seq)).toEqual([5]);
	const typed = await place.read(`?type=user.message&type=session.renamed&limit=1&session=${second}`);
	expect(await typed.events(1)).toMatchObject([{ data: { payload: { content: "before" } } }]);
	await t.runtime.rename(unkeyed(), first, "not this");
	await t.send(second, "now");
	await log.next("assistant.message");
	await t.runtime.rename(unkeyed(), second, "this");
	const later = await typed.events(2);
	expect(types(later)).toEqual(["user.message", "session.renamed"]);
	await log.leave();
});

test("clients that request transient events get deltas at their place, without an id", async () => {
	await using place = await Place.open("a b c");
	const { t } = place;
	const session = await t.create();
	const plain = await place.read(`?session=${session}`);
	const reader = await place.read(`?session=${session}&transient=true`);
	await reader.next();
	await plain.next();
	await t.send(session, "go");
	const arrived = await reader.events(8);
	const order = arrived.map(({ event, data }) => `${data?.transient ? "~" : ""}${event}`);
	expect(order).toEqual([
		...["user.message", "~internal.llm.call", "~assistant.stream", "~assistant.stream", "~assistant.stream"],
		...["internal.llm.call", "usage.updated", "assistant.message"],
	]);
	expect(arrived.every(({ id, data }) => (id === undefined) === (data?.transient === true))).toBe(true);
	expect(types(await plain.events(4))).toEqual([
		...["user.message", "internal.llm.call", "usage.updated", "assistant.message"],
	]);
});

test("the deletion of a session ends its stream, and all streams report it", async () => {
	await using place = await Place.open();
	const { t } = place;
	const session = await t.create();
	const own = await place.read(`?session=${session}&limit=1`);
	const all = await place.read("?type=user.message");
	await all.next();
	await own.events(1);
	await t.runtime.remove(unkeyed(), session, false);
	expect(await own.events(1)).toMatchObject([{ event: "session.deleted", id: undefined }]);
	expect(await own.next()).toBeUndefined();
	expect(await all.events(1)).toMatchObject([{ event: "session.deleted", data: { session_id: session } }]);
	expect((await place.read(`?session=${session}`)).response.statusCode).toBe(404);
});

test("a client that may only see its own sessions gets no events of others", async () => {
	await using place = await Place.open();
	const { t } = place;
	const foreign = await t.create();
	const acting = testConnector("member", "slack");
	// A stream does not act for a person.
	const { person: _, ...connector } = acting;
	place.principal = connector;
	const reader = await place.read("?limit=10");
	await reader.next();
	await t.runtime.rename(unkeyed(), foreign, "secret");
	const own = await t.create(acting);
	expect(await reader.events(1)).toMatchObject([{ data: { session_id: own } }]);
	expect((await place.read(`?session=${foreign}`)).response.statusCode).toBe(404);
});

test.each([
	["?limit=0", {}, /^limit: "0" is not allowed: use a whole number from 1 to 1000$/],
	["?type=assistant.stream", {}, /^type: "assistant.stream" is not the type of a recorded event; allowed: /],
	["?after=1", {}, /^after: "1" needs a session/],
	["?transient=yes", {}, /^transient: "yes" is not a Boolean: use true or false$/],
	[
		"",
		{ "last-event-id": "abc" },
		/^last-event-id: "abc" is not allowed: use a whole number of at most 15 digits$/,
	],
])("%s %j is refused with the allowed values", async (query, headers, words) => {
	await using place = await Place.open();
	const { response } = await place.read(query, headers);
	expect(response.statusCode).toBe(400);
	let text = "";
	for await (const piece of response) text += piece;
	expect(parseJson(text)).toEqual({ error: expect.stringMatching(words) });
});

test("a silent stream gets heartbeats, and a stream that its client does not read is ended", async () => {
	await using place = await Place.open();
	const { t } = place;
	const reader = await place.read();
	await reader.next();
	t.clock.advance(15_000);
	expect((await reader.next())?.text).toBe(":");
	t.clock.advance(15_000);
	expect((await reader.next())?.text).toBe(":");

	const session = await t.create();
	const slow = await place.read(`?session=${session}`);
	const cut = Promise.withResolvers<string>();
	slow.response.on("error", ({ message }) => cut.resolve(message));
	slow.response.socket.pause();
	for (let n = 0; n < 20; n++) await t.runtime.rename(unkeyed(), session, "x".repeat(1_000_000));
	await t.settle();
	expect([place.streams.clients, place.streams.waitingBytes]).toEqual([2, expect.any(Number)]);
	expect(place.streams.waitingBytes).toBeGreaterThan(1_000_000);
	t.clock.advance(30_000);
	await t.settle();
	slow.response.socket.resume();
	slow.response.resume();
	expect(await cut.promise).toBe("aborted");
	expect(await place.metrics()).toEqual({
		parley_event_streams_slow_closed_total: 2,
		parley_event_stream_events_lost_total: 0,
	});
	expect(t.log.records).toContainEqual(
		expect.objectContaining({
			level: "warn",
			message: "closing a client that reads too slowly",
			fields: expect.objectContaining({ wire: "events", principal: "operator" }),
		}),
	);
});

test("transient events that a slow client did not receive are counted", async () => {
	await using place = await Place.open("a b c");
	const { t } = place;
	const session = await t.create();
	const slow = await place.read(`?session=${session}&transient=true`);
	slow.response.on("error", () => undefined);
	slow.response.socket.pause();
	for (let n = 0; n < 20; n++) await t.runtime.rename(unkeyed(), session, "x".repeat(1_000_000));
	await t.settle();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	await log.next("assistant.message");
	await log.leave();
	t.clock.advance(30_000);
	await t.settle();
	// The lost events are the start of a model call and three parts of its text.
	expect(await place.metrics()).toEqual({
		parley_event_streams_slow_closed_total: 1,
		parley_event_stream_events_lost_total: 4,
	});
});

test("a stop sends the rest, ends all streams, and starts none", async () => {
	await using place = await Place.open();
	const reader = await place.read();
	await reader.next();
	await place.t.create();
	await place.streams.close();
	expect(types(await reader.events(1))).toEqual(["session.created"]);
	expect(await reader.next()).toBeUndefined();
	expect((await place.read()).response.statusCode).toBe(503);
	expect(await place.metrics()).toMatchObject({ "parley_event_streams_refused_total draining": 1 });
});

test("the number of open streams is limited, and the end of one allows another", async () => {
	await using place = await Place.open();
	const requested = await Promise.all(Array.from({ length: 140 }, () => place.read()));
	const readers = requested.filter(({ response }) => response.statusCode === 200);
	expect(readers).toHaveLength(128);
	expect(place.streams.clients).toBe(128);
	expect(await place.metrics()).toMatchObject({ "parley_event_streams_refused_total too_many": 12 });
	readers[0]?.response.destroy();
	let status: number | undefined = 503;
	while (status === 503) ({ statusCode: status } = (await place.read()).response);
	expect(status).toBe(200);
});
