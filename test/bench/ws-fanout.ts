import { DrainClient } from "./measure/drain-client.ts";
import { median, readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * 100 subscribers of one session, each of which receives every delta. The gateway and a plain loop over `ws` clients
 * send texts of the same length alternately. CPU is the time of the server's process. The clients only drain their
 * sockets.
 */
const subscribers = 100;
const ticksPerRun = 100;
const deltaText = 40;
/** Characters in the gateway's frame for a delta of 40 characters. */
const frameText = 213;
/** One frame for each of the first eight deltas of a tick, and one for all further deltas. */
const maxFrames = 9;
const endMark = "assistant.message";

interface Side {
	readonly server: ServerProcess;
	readonly clients: readonly DrainClient[];
	order(each: number): string;
}

async function openGateway(): Promise<Side> {
	const server = await startServer("gateway");
	const opener = await DrainClient.open(server.port, "/api/ws");
	const id = await openSession(opener, {});
	const clients = [opener];
	while (clients.length < subscribers) {
		const client = await DrainClient.open(server.port, "/api/ws");
		await openSession(client, { session_id: id });
		clients.push(client);
	}
	const order = (each: number): string =>
		request("send_message", { content: `${ticksPerRun} ${each} ${deltaText}` });
	return { server, clients, order };
}

async function openRaw(): Promise<Side> {
	const server = await startServer("raw-ws");
	const clients: DrainClient[] = [];
	while (clients.length < subscribers) clients.push(await DrainClient.open(server.port, "/"));
	return { server, clients, order: (each) => `${ticksPerRun} ${each} ${frameText}` };
}

interface Measured {
	readonly cpuPerDelivery: number;
	readonly deliveriesPerSecond: number;
}

async function measure({ server, clients, order }: Side, each: number): Promise<Measured> {
	const runs = each === 1 ? 6 : 2;
	const cpuBefore = await server.cpu();
	const began = performance.now();
	for (let run = 0; run < runs; run++) {
		const ended = Promise.all(clients.map((client) => client.until(endMark)));
		clients[0]?.send(order(each));
		await ended;
	}
	const seconds = (performance.now() - began) / 1000;
	const cpu = (await server.cpu()) - cpuBefore;
	const deliveries = runs * ticksPerRun * Math.min(each, maxFrames) * subscribers;
	return { cpuPerDelivery: cpu / deliveries, deliveriesPerSecond: deliveries / seconds };
}

const options = readOptions(5);
const gateway = await openGateway();
const raw = await openRaw();
const rounds: { ours: Measured; burst: Measured; floor: Measured; again: Measured }[] = [];
for (const round of roundsOf(options, 1)) {
	const sides = { ours: gateway, floor: raw };
	const order = round % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const);
	const single: Partial<Record<"ours" | "floor", Measured>> = {};
	for (const side of order) single[side] = await measure(sides[side], 1);
	const repeated = await measure(raw, 1);
	const burst = await measure(gateway, 16);
	if (round > 0 && single.ours && single.floor) {
		rounds.push({ ours: single.ours, floor: single.floor, again: repeated, burst });
	}
}
await Promise.all([gateway.server.stop(), raw.server.stop()]);
for (const client of [...gateway.clients, ...raw.clients]) client.close();

const cpu = {
	name: "CPU per delivery, gateway ÷ raw ws",
	unit: "×",
	values: rounds.map(({ ours, floor }) => ours.cpuPerDelivery / floor.cpuPerDelivery),
};
const burst = {
	name: "deliveries/s, gateway at 16 per tick ÷ raw ws plain loop",
	unit: "×",
	values: rounds.map((round) => round.burst.deliveriesPerSecond / round.floor.deliveriesPerSecond),
};
report(
	"ws-fanout",
	[
		{ name: "gateway, 1 per tick", unit: "µs CPU", values: rounds.map(({ ours }) => ours.cpuPerDelivery) },
		{ name: "raw ws, 1 per tick", unit: "µs CPU", values: rounds.map(({ floor }) => floor.cpuPerDelivery) },
		{
			name: "gateway, 16 per tick",
			unit: "µs CPU",
			values: rounds.map((round) => round.burst.cpuPerDelivery),
		},
		{
			name: "raw ws, 1 per tick",
			unit: "deliveries/s",
			values: rounds.map(({ floor }) => floor.deliveriesPerSecond),
		},
		{
			name: "gateway, 16 per tick",
			unit: "deliveries/s",
			values: rounds.map((round) => round.burst.deliveriesPerSecond),
		},
		{
			name: "noise: raw ws ÷ raw ws",
			unit: "×",
			values: rounds.map(({ floor, again: repeated }) => repeated.cpuPerDelivery / floor.cpuPerDelivery),
		},
		cpu,
		burst,
	],
	[
		{ figure: cpu, atMost: 1.15 },
		{ figure: burst, atLeast: 5, target: true },
		{ figure: burst, atLeast: 4 },
	],
	options,
);
if (Number.isNaN(median(cpu.values))) throw new Error("nothing was measured");
