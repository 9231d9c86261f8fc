import { DrainClient } from "./measure/drain-client.ts";
import { readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * 1,000 sessions with one subscriber each. The models of all sessions reply at the same time. The gateway and `ws`
 * alone run alternately. `ws` sends the texts of the same streams one by one in frames of the same length. CPU is the
 * time of the server's process during the replies. The clients only drain their sockets.
 */
const sessions = 1_000;
/** Maximum concurrent connection attempts. */
const atOnce = 50;
const text = { ticks: 10, size: 40 };
const options = readOptions(11);

interface Side {
	readonly server: ServerProcess;
	readonly clients: readonly DrainClient[];
}

async function openAll(name: string, open: (server: ServerProcess) => Promise<DrainClient>): Promise<Side> {
	const server = await startServer(name);
	const clients: DrainClient[] = [];
	while (clients.length < sessions) {
		clients.push(...(await Promise.all(Array.from({ length: atOnce }, () => open(server)))));
	}
	return { server, clients };
}

async function openGateway({ port }: ServerProcess): Promise<DrainClient> {
	const client = await DrainClient.open(port, "/api/ws");
	await openSession(client, {});
	const speaking = client.until("internal.llm.call");
	client.send(request("send_message", { content: "speak" }));
	await speaking;
	return client;
}

async function openRaw({ port }: ServerProcess): Promise<DrainClient> {
	const client = await DrainClient.open(port, "/");
	client.send("{}");
	return client;
}

let parts = 0;

async function costOf({ server, clients }: Side, each: number): Promise<number> {
	parts += 1;
	const mark = `[part ${parts}]`;
	const arrived = Promise.all(clients.map((client) => client.until(mark)));
	const cpu = await server.ask({ ...text, each, mark });
	await arrived;
	return cpu / (sessions * text.ticks * each);
}

const gateway = await openAll("gateway-scatter", openGateway);
const raw = await openAll("raw-scatter", openRaw);
const rounds: Record<"ours" | "burst" | "floor" | "again", number>[] = [];
/** Number of unmeasured rounds, in which V8 compiles the code. */
const warmUp = 2;
for (const round of roundsOf(options, warmUp)) {
	const floor = await costOf(raw, 1);
	const ours = await costOf(gateway, 1);
	const burst = await costOf(gateway, 4);
	const repeated = await costOf(raw, 1);
	if (round >= warmUp) rounds.push({ ours, burst, floor, again: repeated });
}
for (const { clients } of [gateway, raw]) for (const client of clients) client.close();
await Promise.all([gateway.server.stop(), raw.server.stop()]);

const single = {
	name: "CPU, gateway ÷ raw ws, 1 per tick",
	unit: "×",
	values: rounds.map(({ ours, floor }) => ours / floor),
};
const burst = {
	name: "CPU, gateway at 4 per tick ÷ raw ws at 1",
	unit: "×",
	values: rounds.map((round) => round.burst / round.floor),
};
report(
	"ws-scatter",
	[
		{ name: "raw ws, 1 per tick", unit: "µs CPU", values: rounds.map(({ floor }) => floor) },
		{ name: "gateway, 1 per tick", unit: "µs CPU", values: rounds.map(({ ours }) => ours) },
		{ name: "gateway, 4 per tick", unit: "µs CPU", values: rounds.map((round) => round.burst) },
		{
			name: "noise: raw ws ÷ raw ws",
			unit: "×",
			values: rounds.map(({ floor, again: repeated }) => repeated / floor),
		},
		single,
		burst,
	],
	// A server that only sends texts could reach 1.1 and 0.45. The gateway also redacts each text, adds it to a reply and
	// passes it to all subscribers, one text at a time. The limits above the targets allow for noise: in runs of the same
	// code, the medians ranged from 1.55 to 2.17 and from 0.64 to 0.89.
	[
		{ figure: single, atMost: 1.6, target: true },
		{ figure: single, atMost: 2.6 },
		{ figure: burst, atMost: 0.6, target: true },
		{ figure: burst, atMost: 1.1 },
	],
	options,
);
