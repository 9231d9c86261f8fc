import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DrainClient } from "./measure/drain-client.ts";
import { readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession } from "./measure/requests.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * Cost of 10,000 idle sessions, compared in alternating rounds with a `ws` server that has the same number of
 * clients. Measures resident memory per session after garbage collection, with and without connected clients. Also
 * measures the CPU time with all clients connected.
 */
const sessions = 10_000;
/** Maximum concurrent connection attempts. */
const atOnce = 50;
/** Milliseconds of rest, long enough for one round of pings, because pings are part of the idle cost. */
const restMs = 20_000;
const options = readOptions(1);

interface Measured {
	/** Memory in bytes per session, like `disconnected`. */
	readonly connected: number;
	readonly disconnected: number;
	readonly idle: number;
	readonly perSecond: number;
}

async function measure(
	server: ServerProcess,
	open: (server: ServerProcess) => Promise<DrainClient>,
): Promise<Measured> {
	// Makes the server load and compile its code before the measurement, because the memory per session must not
	// include the code.
	for (const client of await openMany(server, open, 10 * atOnce)) client.close();
	await settled(server);
	const empty = await server.memory();
	const began = performance.now();
	const clients = await openMany(server, open, sessions);
	const perSecond = sessions / ((performance.now() - began) / 1000);
	await settled(server);
	const before = await server.cpu();
	await setTimeout(restMs);
	const idle = ((await server.cpu()) - before) / (restMs * 1000);
	const full = await server.memory();
	for (const client of clients) client.close();
	await settled(server);
	const after = await server.memory();
	await server.stop();
	const each = (bytes: number): number => (bytes - empty) / sessions;
	return { connected: each(full), disconnected: each(after), idle: 100 * idle, perSecond };
}

async function openMany(
	server: ServerProcess,
	open: (server: ServerProcess) => Promise<DrainClient>,
	count: number,
): Promise<DrainClient[]> {
	const clients: DrainClient[] = [];
	while (clients.length < count) {
		clients.push(...(await Promise.all(Array.from({ length: atOnce }, () => open(server)))));
	}
	return clients;
}

/**
 * Waits until the server is nearly idle, because the gateway records a join or a leave only after it has notified
 * the client.
 */
async function settled(server: ServerProcess): Promise<void> {
	const [pauseMs, share] = [300, 0.03];
	for (let before = Number.NEGATIVE_INFINITY; ; ) {
		const cpu = await server.cpu();
		if (cpu - before < pauseMs * 1000 * share) return;
		before = cpu;
		await setTimeout(pauseMs);
	}
}

async function openGateway({ port }: ServerProcess): Promise<DrainClient> {
	// Without a token, the gateway looks up the owner of each local connection, which takes longer with many
	// connections.
	token ??= readFileSync(join(directory, "data", "tokens", "operator"), "utf8").trim();
	const client = await DrainClient.open(port, "/api/ws", token);
	await openSession(client, {});
	return client;
}

const openRaw = ({ port }: ServerProcess): Promise<DrainClient> => DrainClient.open(port, "/");

let directory = "";
let token: string | undefined;
const rounds: { ours: Measured; floor: Measured }[] = [];
for (const _ of roundsOf(options, 0)) {
	const floor = await measure(await startServer("raw-ws"), openRaw);
	directory = mkdtempSync(join(tmpdir(), "parley-idle-"));
	token = undefined;
	rounds.push({ ours: await measure(await startServer("gateway", directory), openGateway), floor });
	rmSync(directory, { recursive: true });
}
const kilobytes = (bytes: number): number => bytes / 1024;
const connected = {
	name: "gateway: memory per session with its client",
	unit: "KB",
	values: rounds.map(({ ours }) => kilobytes(ours.connected)),
};
const idle = {
	name: "gateway: CPU while idle",
	unit: "% of a core",
	values: rounds.map(({ ours }) => ours.idle),
};
report(
	"idle",
	[
		connected,
		{
			name: "raw ws: memory per client",
			unit: "KB",
			values: rounds.map(({ floor }) => kilobytes(floor.connected)),
		},
		{
			name: "gateway ÷ raw ws",
			unit: "×",
			values: rounds.map(({ ours, floor }) => ours.connected / floor.connected),
		},
		{
			name: "gateway: memory per session without client",
			unit: "KB",
			values: rounds.map(({ ours }) => kilobytes(ours.disconnected)),
		},
		{
			name: "raw ws: memory per disconnected client",
			unit: "KB",
			values: rounds.map(({ floor }) => kilobytes(floor.disconnected)),
		},
		idle,
		{ name: "gateway: opened sessions", unit: "per s", values: rounds.map(({ ours }) => ours.perSecond) },
		{ name: "raw ws: accepted clients", unit: "per s", values: rounds.map(({ floor }) => floor.perSecond) },
	],
	[
		{ figure: connected, atMost: 10 },
		{ figure: idle, atMost: 1, ofMachine: true },
	],
	options,
);
