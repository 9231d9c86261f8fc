import { DrainClient } from "./measure/drain-client.ts";
import { readMetric } from "./measure/read-metric.ts";
import { readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { startServer } from "./measure/server-process.ts";

/**
 * CPU time of the gateway's process per reply and client, for 99 subscribers of one session. The bench alternates
 * between two cases: without a slow client, and with an additional client that has stopped reading and has a full
 * buffer.
 */
const readers = 99;
const replies = 2;
/** Ticks of the event loop, deltas per tick, characters per delta. The last frame repeats the complete text. */
const reply = "32 8 4000";
/**
 * Limit of one client's buffer, in bytes. Above the limit, the gateway drops deltas. At twice the limit, the gateway
 * closes the connection.
 */
const budget = 8 * 1024 * 1024;
const endMark = '"event":"assistant.message"';

const options = readOptions(4);
const server = await startServer("gateway");
const opener = await DrainClient.open(server.port, "/api/ws");
const session = await openSession(opener, {});
const clients = [opener];
while (clients.length < readers) {
	const client = await DrainClient.open(server.port, "/api/ws");
	await openSession(client, { session_id: session });
	clients.push(client);
}

/** Returns the bytes in the gateway's buffers for all clients. */
const waiting = (): Promise<number> => readMetric(server.port, "parley_outgoing_bytes");

/** Opens a client that reads nothing. Fills its buffer through a second session, which has only one other client. */
async function openSleeper(): Promise<DrainClient> {
	const [sleeper, helper] = [
		await DrainClient.open(server.port, "/api/ws"),
		await DrainClient.open(server.port, "/api/ws"),
	];
	await openSession(sleeper, { session_id: session });
	await openSession(sleeper, { session_id: await openSession(helper, {}) });
	sleeper.sleep();
	while ((await waiting()) < budget) {
		const ended = helper.until(endMark);
		helper.send(request("send_message", { content: reply }));
		await ended;
	}
	helper.close();
	return sleeper;
}

interface Measured {
	/** CPU time in microseconds. */
	readonly cpu: number;
	readonly seconds: number;
	/** Maximum number of buffered bytes, sampled after each reply. */
	readonly usedBytes: number;
}

async function measure(): Promise<Measured> {
	const [cpuBefore, began] = [await server.cpu(), performance.now()];
	let usedBytes = 0;
	for (let n = 0; n < replies; n++) {
		const ended = Promise.all(clients.map((client) => client.until(endMark)));
		opener.send(request("send_message", { content: reply }));
		await ended;
		usedBytes = Math.max(usedBytes, await waiting());
	}
	const seconds = (performance.now() - began) / 1000;
	return { cpu: (await server.cpu()) - cpuBefore, seconds, usedBytes };
}

async function measureAsleep(): Promise<Measured> {
	const sleeper = await openSleeper();
	const measured = await measure();
	sleeper.close();
	return measured;
}

const rounds: { readonly alone: Measured; readonly slow: Measured }[] = [];
for (const round of roundsOf(options, 1)) {
	const first = round % 2 === 0 ? await measure() : undefined;
	const slow = await measureAsleep();
	const alone = first ?? (await measure());
	if (round > 0) rounds.push({ alone, slow });
}
await server.stop();
for (const client of clients) client.close();

const deliveries = replies * readers;
const cpu = {
	name: `CPU per reply and client, ${readers} alone ÷ with a client that never reads`,
	unit: "×",
	values: rounds.map(({ alone, slow }) => alone.cpu / slow.cpu),
};
const usedBytes = {
	name: "peak buffer of the client that never reads",
	unit: "MiB",
	values: rounds.map(({ slow }) => slow.usedBytes / 1024 / 1024),
};
report(
	"slow-reader",
	[
		{ name: "alone", unit: "µs CPU", values: rounds.map(({ alone }) => alone.cpu / deliveries) },
		{
			name: "with a client that never reads",
			unit: "µs CPU",
			values: rounds.map(({ slow }) => slow.cpu / deliveries),
		},
		cpu,
		{
			name: "wall-clock time",
			unit: "×",
			values: rounds.map(({ alone, slow }) => alone.seconds / slow.seconds),
		},
		usedBytes,
	],
	[
		{ figure: cpu, atLeast: 0.855 },
		{ figure: usedBytes, atMost: (2 * budget) / 1024 / 1024 },
	],
	options,
);
