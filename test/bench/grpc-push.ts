import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { ClientHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { GrpcClient } from "./measure/grpc-client.ts";
import {
	begun,
	type GrpcWire,
	kontekst,
	ping,
	pong,
	registerTools,
	roz,
	type Talk,
} from "./measure/grpc-wires.ts";
import { type Figure, type Gate, median, readOptions, report, roundsOf } from "./measure/report.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * The kontekst and roz wires compared with grpc-js alone, in alternating rounds:
 * - Push: 100 streams whose models reply at the same time, compared with a server that sends the same messages,
 *   encoded in advance. The ratio is the CPU time of grpc-js for each text that a client receives, divided by the
 *   gateway's CPU time for such a text.
 * - First token: time from sending a message in a session to the first delta, including a durable commit. The time of
 *   the same reply from the SDK alone and the time of a grpc-js round trip are subtracted.
 * - Idle: resident memory of a connection with one session and one stream whose run has ended. For roz, also with
 *   tools that the client has registered.
 */
const options = readOptions(7);
const streams = 100;
const text = { ticks: 60, size: 40 };
/** Number of idle sessions. With fewer connections, the measured memory per connection is about a third lower. */
const idleSessions = options.ratios ? 300 : 1_000;
/** Maximum concurrent connection attempts. */
const atOnce = 50;
/** Number of unmeasured rounds, in which V8 compiles the code. */
const warmUp = 2;
/**
 * Number of turns. With `--ratios`, fewer turns are enough, because the time to the first token cannot fail the
 * bench.
 */
const turns = options.ratios ? 5 : 15;

interface Side {
	readonly server: ServerProcess;
	readonly clients: readonly GrpcClient[];
}

async function openAll(name: string, wire: GrpcWire, mark: string): Promise<Side> {
	const server = await startServer(name);
	const clients: GrpcClient[] = [];
	while (clients.length < streams) {
		const client = await GrpcClient.connect(server.port);
		const begun = client.until(mark);
		wire.begin(client, "speak");
		await begun;
		clients.push(client);
	}
	// The last run must also have started to stream.
	await settled(server);
	return { server, clients };
}

let parts = 0;

async function costOf({ server, clients }: Side, each: number): Promise<number> {
	parts += 1;
	const mark = `[part ${parts}]`;
	const arrived = Promise.all(clients.map((client) => client.until(mark)));
	const before = await server.cpu();
	await server.ask({ ...text, each, mark });
	await arrived;
	return ((await server.cpu()) - before) / (streams * text.ticks * each);
}

interface Costs {
	readonly floor: number;
	readonly ours: number;
	readonly floorBurst: number;
	readonly burst: number;
	readonly again: number;
}

async function measurePush(gateway: Side, floor: Side): Promise<Costs[]> {
	const rounds: Costs[] = [];
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
	return rounds;
}

/** Order for the model server: reply word by word, as a provider streams. */
const order = "paced 3 5";
const reply = "word word word";

/** Returns the milliseconds to the first token. Resolves after the end of the turn. */
async function timeTo(mark: string, client: GrpcClient, talk: Talk): Promise<number> {
	const ended = client.until(mark);
	const began = performance.now();
	await client.token(await talk.say(order));
	const elapsed = performance.now() - began;
	await ended;
	await talk.turnEnded();
	return elapsed;
}

async function measureFirstToken(wire: GrpcWire, floor: ServerProcess): Promise<number[]> {
	const model = await startServer("model-server");
	const url = `http://127.0.0.1:${model.port}`;
	const [gateway, sdk] = [await startServer("gateway-sdk", url), await startServer("raw-sdk", url)];
	const [ours, bare] = [await GrpcClient.connect(gateway.port), await GrpcClient.connect(floor.port)];
	const added: number[] = [];
	// Number of unmeasured warm-up rounds. The bench measures a warm gateway, like one that has answered many messages.
	const cold = options.ratios ? warmUp : 12;
	for (const round of roundsOf(options, cold)) {
		const samples: number[] = [];
		// A run sends all messages of its session to the model, so each round has a new session.
		const session = String(round).padStart(2, "0");
		const [talk, echo] = [wire.talk(ours, session), wire.talk(bare, session)];
		for (let turn = 0; turn < turns; turn++) {
			const first = await timeTo(wire.ended(reply), ours, talk);
			const alone = await sdk.ask({ order, streams: 1 });
			samples.push(first - alone - (await timeTo(order, bare, echo)));
		}
		await Promise.all([talk.close(), echo.close()]);
		if (round >= cold) added.push(median(samples));
	}
	ours.close();
	bare.close();
	await Promise.all([gateway.stop(), sdk.stop(), model.stop()]);
	return added;
}

async function settled(server: ServerProcess): Promise<void> {
	const [pauseMs, share] = [300, 0.05];
	for (let before = Number.NEGATIVE_INFINITY; ; ) {
		const cpu = await server.cpu();
		if (cpu - before < pauseMs * 1000 * share) return;
		before = cpu;
		await setTimeout(pauseMs);
	}
}

/**
 * Returns the resident kilobytes per connection: `idle` after a turn, and `withTools` after the roz client has also
 * registered tools. On kontekst, both are equal.
 */
async function measureIdle(wire: GrpcWire): Promise<{ readonly idle: number; readonly withTools: number }> {
	const directory = mkdtempSync(join(tmpdir(), "parley-grpc-"));
	const server = await startServer("gateway", directory);
	// Without a token, the gateway looks up the owner of each local connection, which takes longer with many
	// connections.
	const token = readFileSync(join(directory, "data", "tokens", "operator"), "utf8").trim();
	const delta = "x".repeat(8);
	const open = async (): Promise<readonly [GrpcClient, ClientHttp2Stream]> => {
		const client = await GrpcClient.connect(server.port, token);
		const answered = client.until(wire.ended(delta));
		const stream = wire.begin(client, `1 1 ${delta.length}`);
		await answered;
		return [client, stream];
	};
	const openMany = async (count: number): Promise<(readonly [GrpcClient, ClientHttp2Stream])[]> => {
		const sessions: (readonly [GrpcClient, ClientHttp2Stream])[] = [];
		while (sessions.length < count) {
			sessions.push(...(await Promise.all(Array.from({ length: atOnce }, open))));
		}
		return sessions;
	};
	// Makes the gateway load and compile its code before the measurement, because the memory per session must not
	// include the code.
	for (const [client] of await openMany((options.ratios ? 4 : 6) * atOnce)) client.close();
	await settled(server);
	const empty = await server.memory();
	const sessions = await openMany(idleSessions);
	await settled(server);
	const full = await server.memory();
	let equipped = full;
	if (wire === roz) {
		for (const [client, stream] of sessions) {
			const registered = client.until(pong);
			stream.write(registerTools);
			stream.write(ping);
			await registered;
		}
		await settled(server);
		equipped = await server.memory();
	}
	for (const [client] of sessions) client.close();
	await server.stop();
	rmSync(directory, { recursive: true });
	const each = (bytes: number): number => (bytes - empty) / idleSessions / 1024;
	return { idle: each(full), withTools: each(equipped) };
}

async function measure(wire: GrpcWire): Promise<{ readonly figures: Figure[]; readonly gates: Gate[] }> {
	const [gateway, floor] = await Promise.all([
		openAll("gateway-scatter", wire, wire.begun),
		openAll("raw-grpc", wire, begun),
	]);
	const rounds = await measurePush(gateway, floor);
	for (const { clients } of [gateway, floor]) for (const client of clients) client.close();
	await gateway.server.stop();
	const first = await measureFirstToken(wire, floor.server);
	await floor.server.stop();
	const memory = await measureIdle(wire);

	const figure = (name: string, unit: string, values: readonly number[]): Figure => {
		return { name: `${wire.name}: ${name}`, unit, values };
	};
	const each = (name: string, unit: string, read: (costs: Costs) => number): Figure => {
		return figure(name, unit, rounds.map(read));
	};
	const single = each("grpc-js alone ÷ gateway, 1 per tick", "×", ({ floor, ours }) => floor / ours);
	const burst = each(
		"grpc-js alone ÷ gateway, 16 per tick",
		"×",
		({ floorBurst, burst }) => floorBurst / burst,
	);
	const added = figure("added to the first token, commit included", "ms", first);
	const idle = figure("memory of an idle session", "KB", [memory.idle]);
	const equipped = figure("memory of 1,000 sessions with registered tools", "MB", [
		(memory.withTools * 1_000) / 1_024,
	]);
	return {
		figures: [
			each("grpc-js alone, 1 per tick", "µs CPU", ({ floor }) => floor),
			each("gateway, 1 per tick", "µs CPU", ({ ours }) => ours),
			each("grpc-js alone, 16 per tick", "µs CPU", ({ floorBurst }) => floorBurst),
			each("gateway, 16 per tick", "µs CPU", ({ burst }) => burst),
			each("noise: grpc-js ÷ grpc-js", "×", ({ again: repeated, floor }) => repeated / floor),
			...[single, burst, added, idle],
			...(wire === roz ? [equipped] : []),
		],
		// Unlike the floor, the gateway also redacts each text and adds it to the reply of its run. With one text per
		// tick, the ratio compares the redaction, the addition and a write with a write alone.
		gates: [
			{ figure: single, atLeast: 0.85, target: true },
			{ figure: single, atLeast: 0.3 },
			{ figure: burst, atLeast: 0.85, target: true },
			// The roz limit is lower, because each text delta of roz repeats the id of its message.
			{ figure: burst, atLeast: wire === roz ? 0.6 : 0.75 },
			{ figure: added, atMost: 5, ofMachine: true },
			{ figure: idle, atMost: 60 },
			...(wire === roz ? [{ figure: equipped, atMost: 80 }] : []),
		],
	};
}

const measured = [await measure(kontekst), await measure(roz)];
report(
	"grpc-push",
	measured.flatMap(({ figures }) => figures),
	measured.flatMap(({ gates }) => gates),
	options,
);
