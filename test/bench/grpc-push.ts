import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { GrpcClient } from "./measure/grpc-client.ts";
import { type Figure, median, readOptions, report, roundsOf } from "./measure/report.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * The kontekst wire against grpc-js alone. Push: 100 streams whose models speak at once, against a server that sends the
 * same messages, encoded before; CPU is that of the server's process for one text that reaches its client, and the ratio
 * is floor ÷ gateway. First token: from a start on a session to its first delta, minus the same reply by the SDK alone,
 * minus a round trip of grpc-js alone; the durable commit is part of it. Idle: resident memory of a connection with a
 * stream whose run has ended, and its session. Rounds of gateway and floor alternate.
 */
const streams = 100;
const text = { ticks: 60, size: 40 };
const idleSessions = 1_000;
/** Connections that are opened at a time: more would wait for each other at the gateway's door. */
const atOnce = 50;
/** Rounds that are not counted: code is compiled there. */
const warmUp = 2;
const options = readOptions(7);
/** Turns of a round. With `--ratios` the time of the first token is shown, and fails nothing. */
const turns = options.ratios ? 5 : 15;

interface Side {
	readonly server: ServerProcess;
	readonly clients: readonly GrpcClient[];
}

async function openAll(name: string, mark: string): Promise<Side> {
	const server = await startServer(name);
	const clients: GrpcClient[] = [];
	while (clients.length < streams) {
		const client = await GrpcClient.open(server.port);
		const begun = client.until(mark);
		client.run({ prompt: "speak" });
		await begun;
		clients.push(client);
	}
	// The voice of the last run has begun then, too.
	await settled(server);
	return { server, clients };
}

let parts = 0;

/** Microseconds of CPU for one text that reaches its client. Resolves when all of them have. */
async function costOf({ server, clients }: Side, each: number): Promise<number> {
	parts += 1;
	const mark = `[part ${parts}]`;
	const heard = Promise.all(clients.map((client) => client.until(mark)));
	const before = await server.cpu();
	await server.ask({ ...text, each, mark });
	await heard;
	return ((await server.cpu()) - before) / (streams * text.ticks * each);
}

/** Milliseconds from a start on a new stream of a connection to its first token. The stream goes on to the mark. */
async function timeTo(mark: string, client: GrpcClient, prompt: string, sessionId = ""): Promise<number> {
	const ended = client.until(mark);
	const began = performance.now();
	const stream = client.run({ prompt, sessionId });
	await client.token(stream);
	const taken = performance.now() - began;
	await ended;
	stream.end();
	await new Promise((resolve) => stream.once("close", resolve));
	return taken;
}

/** A reply whose words come one by one, as from a provider. */
const order = "paced 3 5";
/** What the last event of a run repeats. */
const ended = "word word word";

async function measureFirstToken(floor: ServerProcess): Promise<number[]> {
	const model = await startServer("model-server");
	const url = `http://127.0.0.1:${model.port}`;
	const [gateway, sdk] = [await startServer("gateway-sdk", url), await startServer("raw-sdk", url)];
	const [ours, bare] = [await GrpcClient.open(gateway.port), await GrpcClient.open(floor.port)];
	const added: number[] = [];
	// As in `ttft`: a gateway that has answered some hundred messages is what people talk to.
	const cold = options.ratios ? warmUp : 12;
	for (const round of roundsOf(options, cold)) {
		const taken: number[] = [];
		// A run of a long session sends all that was said: each round has a session of its own.
		const session = `sess_${"b".repeat(24)}${String(round).padStart(2, "0")}`;
		for (let turn = 0; turn < turns; turn++) {
			const first = await timeTo(ended, ours, order, session);
			const alone = await sdk.ask({ order, streams: 1 });
			taken.push(first - alone - (await timeTo(order, bare, order)));
		}
		if (round >= cold) added.push(median(taken));
	}
	ours.close();
	bare.close();
	await Promise.all([gateway.stop(), sdk.stop(), model.stop()]);
	return added;
}

/** Resolves when the process has nothing left to do. */
async function settled(server: ServerProcess): Promise<void> {
	const [pauseMs, share] = [300, 0.05];
	for (let before = Number.NEGATIVE_INFINITY; ; ) {
		const cpu = await server.cpu();
		if (cpu - before < pauseMs * 1000 * share) return;
		before = cpu;
		await setTimeout(pauseMs);
	}
}

/** Kilobytes for each connection with its stream and its session. */
async function measureIdle(): Promise<number> {
	const directory = mkdtempSync(join(tmpdir(), "parley-grpc-"));
	const server = await startServer("gateway", directory);
	// To look up the owner of a local connection takes longer the more there are.
	const token = readFileSync(join(directory, "data", "tokens", "operator"), "utf8").trim();
	const open = async (): Promise<GrpcClient> => {
		const client = await GrpcClient.open(server.port, token);
		const answered = client.until("xxxxxxxx");
		client.run({ prompt: "1 1 8" });
		await answered;
		return client;
	};
	const openMany = async (count: number): Promise<GrpcClient[]> => {
		const clients: GrpcClient[] = [];
		while (clients.length < count) {
			clients.push(...(await Promise.all(Array.from({ length: atOnce }, open))));
		}
		return clients;
	};
	// Code that is loaded and compiled for the first clients is no cost of a session.
	for (const client of await openMany(6 * atOnce)) client.close();
	await settled(server);
	const empty = await server.memory();
	const clients = await openMany(idleSessions);
	await settled(server);
	const full = await server.memory();
	for (const client of clients) client.close();
	await server.stop();
	rmSync(directory, { recursive: true });
	return (full - empty) / idleSessions / 1024;
}

const [gateway, floor] = await Promise.all([
	openAll("gateway-scatter", "sess_"),
	openAll("raw-grpc", "begun"),
]);
const rounds: Record<"ours" | "burst" | "floor" | "floorBurst" | "again", number>[] = [];
for (const round of roundsOf(options, warmUp)) {
	const costs = {
		floor: await costOf(floor, 1),
		ours: await costOf(gateway, 1),
		floorBurst: await costOf(floor, 16),
		burst: await costOf(gateway, 16),
		again: await costOf(floor, 1),
	};
	if (round >= warmUp) rounds.push(costs);
}
for (const { clients } of [gateway, floor]) for (const client of clients) client.close();
await gateway.server.stop();
const first = await measureFirstToken(floor.server);
await floor.server.stop();
const idle: Figure = { name: "memory of an idle session", unit: "KB", values: [await measureIdle()] };

const single: Figure = {
	name: "grpc-js alone ÷ gateway, 1 a tick",
	unit: "×",
	values: rounds.map((costs) => costs.floor / costs.ours),
};
const burst: Figure = {
	name: "grpc-js alone ÷ gateway, 16 a tick",
	unit: "×",
	values: rounds.map((costs) => costs.floorBurst / costs.burst),
};
const added: Figure = { name: "added to the first token, commit included", unit: "ms", values: first };
report(
	"grpc-push",
	[
		{ name: "grpc-js alone, 1 a tick", unit: "µs CPU", values: rounds.map((costs) => costs.floor) },
		{ name: "gateway, 1 a tick", unit: "µs CPU", values: rounds.map((costs) => costs.ours) },
		{ name: "grpc-js alone, 16 a tick", unit: "µs CPU", values: rounds.map((costs) => costs.floorBurst) },
		{ name: "gateway, 16 a tick", unit: "µs CPU", values: rounds.map((costs) => costs.burst) },
		{ name: "noise: grpc-js ÷ grpc-js", unit: "×", values: rounds.map((costs) => costs.again / costs.floor) },
		...[single, burst, added, idle],
	],
	// Each text of the gateway is also searched for secrets and becomes part of a reply of its own run. The floor does
	// nothing of this, so what the gateway does once for a text of a tick is measured against one write.
	[
		{ figure: single, atLeast: 0.85, goal: true },
		{ figure: single, atLeast: 0.3 },
		{ figure: burst, atLeast: 0.85, goal: true },
		{ figure: burst, atLeast: 0.75 },
		{ figure: added, atMost: 5, ofMachine: true },
		{ figure: idle, atMost: 60 },
	],
	options,
);
