import { DrainClient } from "./measure/drain-client.ts";
import { type Figure, type Gate, readOptions, report } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { startServer } from "./measure/server-process.ts";

/**
 * CPU cost of a token in the gateway, compared with a loop over the same SDK that only concatenates the text. The
 * gateway runs its store with synchronous=FULL, redaction, and one client that receives every delta. The two sides use
 * the same server alternately. The loop runs before and after each round of the gateway, and the ratio of both loop
 * runs shows the noise.
 */
const words = 20_000;
const inputBytes = 100 * 1024;
const streams = 50;
const options = readOptions(7);

const model = await startServer("model-server");
const url = `http://127.0.0.1:${model.port}`;
const gateway = await startServer("gateway-sdk", url);
const raw = await startServer("raw-sdk", url);

interface Side {
	readonly cpu: () => Promise<number>;
	/**
	 * Opens `streams` conversations. In the gateway, each conversation has one earlier message. The returned function
	 * runs an order in all conversations.
	 */
	readonly open: (streams: number) => Promise<(order: string) => Promise<unknown>>;
}

const floor: Side = { cpu: raw.cpu, open: async (count) => (order) => raw.ask({ order, streams: count }) };
const ours: Side = { cpu: gateway.cpu, open: openOverGateway };

async function openOverGateway(count: number): Promise<(order: string) => Promise<unknown>> {
	const clients = await Promise.all(Array.from({ length: count }, openConversation));
	return (order) => Promise.all(clients.map((client) => say(client, order)));
}

async function openConversation(): Promise<DrainClient> {
	const client = await DrainClient.open(gateway.port, "/api/ws");
	await openSession(client, {});
	await say(client, "words 1");
	return client;
}

async function say(client: DrainClient, order: string): Promise<void> {
	const ended = client.until('"event":"assistant.message"');
	client.send(request("send_message", { content: order }));
	await ended;
}

async function costOf({ cpu, open }: Side, { order, streams: count, units }: Case): Promise<number> {
	const carryOut = await open(count);
	const before = await cpu();
	await carryOut(order);
	return ((await cpu()) - before) / (units * count);
}

interface Case {
	readonly name: string;
	readonly unit: string;
	readonly order: string;
	readonly streams: number;
	readonly units: number;
	readonly atMost?: number;
}

const cases: readonly Case[] = [
	{ name: "bulk reply", unit: "µs/token", order: `words ${words}`, streams: 1, units: words, atMost: 2 },
	// A single stream is so short that one garbage collection would dominate the result.
	{ name: "100 KB tool input", unit: "µs", order: `input ${inputBytes}`, streams: 6, units: 1, atMost: 2 },
	{ name: "50 streams at 2 ms", unit: "µs/token", order: "paced 200 2", streams, units: 200 },
];

/** Tolerance for the difference between the medians of two runs of the same code. */
const noise = 1;
/** Number of unmeasured rounds, in which V8 compiles the code and caches are filled. */
const warmUp = 3;
const figures: Figure[] = [];
const gates: Gate[] = [];
for (const one of cases.filter(({ atMost }) => !options.ratios || atMost !== undefined)) {
	const { name, unit, atMost } = one;
	const rounds: { a: number; again: number; b: number }[] = [];
	for (let round = 0; round < warmUp + options.rounds; round++) {
		const a = await costOf(floor, one);
		const b = await costOf(ours, one);
		const repeated = await costOf(floor, one);
		if (round >= warmUp) rounds.push({ a, again: repeated, b });
	}
	const ratio = {
		name: `${name}: gateway ÷ SDK loop`,
		unit: "×",
		values: rounds.map(({ a, b, again: repeated }) => (2 * b) / (a + repeated)),
	};
	figures.push(
		{ name: `${name}: SDK loop`, unit, values: rounds.map(({ a }) => a) },
		{ name: `${name}: gateway`, unit, values: rounds.map(({ b }) => b) },
		{
			name: `${name}: SDK loop ÷ itself`,
			unit: "×",
			values: rounds.map(({ a, again: repeated }) => repeated / a),
		},
		ratio,
	);
	if (atMost !== undefined)
		gates.push({ figure: ratio, atMost, target: true }, { figure: ratio, atMost: atMost + noise });
}
await Promise.all([gateway.stop(), raw.stop(), model.stop()]);
report("token-cost", figures, gates, options);
