import { delay, systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { DrainClient } from "../bench/measure/drain-client.ts";
import { readMetric } from "../bench/measure/read-metric.ts";
import { openSession, request } from "../bench/measure/requests.ts";
import { startServer } from "../bench/measure/server-process.ts";
import { testScale } from "../random.ts";
import { StormClient } from "./storm-client.ts";

/** Number of clients that read. The bench `slow-reader` measures the speed of these clients without other load. */
const subscribers = 10 * testScale(10) - 1;
/** About 1 MB of deltas. The last frame repeats the text. */
const reply = "32 8 4000";
/** Duration of a pause in milliseconds, longer than the 5 s for which a client may exceed its budget. */
const patienceMs = 6_000;
/**
 * Limit of one client's buffer, in bytes. Above the limit, the gateway drops deltas. At twice the limit, the gateway
 * closes the connection immediately.
 */
const budget = 8 * 1024 * 1024;

test(`one of ${subscribers + 1} subscribers never reads: it is closed, and reconnects for the rest`, {
	timeout: paced(280_000),
}, async () => {
	const server = await startServer("gateway");
	await using _ = { [Symbol.asyncDispose]: () => server.stop() };
	const opener = await DrainClient.open(server.port, "/api/ws");
	const session = await openSession(opener, {});
	const clients = [opener];
	while (clients.length < subscribers) {
		const client = await DrainClient.open(server.port, "/api/ws");
		await openSession(client, { session_id: session });
		clients.push(client);
	}
	const sleeper = new StormClient(`ws://127.0.0.1:${server.port}/api/ws`, session);
	await sleeper.connect();
	await sleeper.reaches(1);
	sleeper.reading(false);
	let [replies, delayed] = [0, 0];
	for (let isOver = false; !isOver; ) {
		isOver = delayed > budget;
		const ended = Promise.all(clients.map((client) => client.until('"event":"assistant.message"')));
		opener.send(request("send_message", { content: reply }));
		await ended;
		replies += 1;
		delayed = await readMetric(server.port, "parley_outgoing_bytes");
		expect(delayed).toBeLessThan(2 * budget);
	}
	await catchUp(sleeper, replies);
	expect(await readMetric(server.port, "parley_slow_readers_closed_total")).toBe(1);
	for (const client of clients) client.close();
});

async function catchUp(sleeper: StormClient, replies: number): Promise<void> {
	// The client detects that it was too slow only after it has resumed reading.
	await delay(systemClock, patienceMs);
	sleeper.reading(true);
	expect(await sleeper.closed()).toBe(1013);
	// A message and its answer cause four events: user.message, internal.llm.call, usage.updated and assistant.message.
	const last = 1 + 4 * replies;
	expect(sleeper.seq).toBeLessThan(last);
	expect(await sleeper.connect()).toBe(true);
	await sleeper.reaches(last);
	expect(sleeper.faults).toEqual([]);
	sleeper.drop();
}
