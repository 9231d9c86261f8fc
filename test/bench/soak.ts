import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DrainClient } from "./measure/drain-client.ts";
import { GatewayBinary } from "./measure/gateway-binary.ts";
import { type Figure, readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";

/**
 * Memory and CPU of a gateway over many turns of the offline model. Each session has two turns, after which its
 * client disconnects. By default, a warm-up round and 20 rounds of 1,000 turns. Then the bench waits 45 s for the
 * idle gateway to return memory. With `--ratios`, a round is 600 turns, and the bench does not wait.
 */
const turnsOfSession = 2;
const atOnce = 8;
/** Milliseconds of rest, longer than two intervals of `collectWhenIdle`. */
const idleMs = 45_000;
const megabyte = 1_000_000;
const options = readOptions(20);
const turnsOfRound = options.ratios ? 600 : 1_000;

const directory = mkdtempSync(join(tmpdir(), "parley-soak-"));
const data = join(directory, "data");
mkdirSync(join(directory, "work"));
const gateway = await GatewayBinary.start(data, join(directory, "work"));
const token = readFileSync(join(data, "tokens/operator"), "utf8").trim();

async function haveTurns(): Promise<void> {
	const client = await DrainClient.open(gateway.port, "/api/ws", token);
	await openSession(client, {});
	for (let turn = 0; turn < turnsOfSession; turn++) {
		const done = client.until("assistant.message");
		client.send(request("send_message", { content: `say: number ${turn}` }));
		await done;
	}
	client.close();
}

async function haveRound(): Promise<void> {
	let remaining = turnsOfRound / turnsOfSession;
	const work = async (): Promise<void> => {
		while (remaining-- > 0) await haveTurns();
	};
	await Promise.all(Array.from({ length: atOnce }, work));
}

const memory: number[] = [];
const cpu: number[] = [];
for (const round of roundsOf(options, 1)) {
	const before = gateway.cpu();
	await haveRound();
	if (round === 0) continue;
	memory.push(gateway.memory() / megabyte);
	cpu.push((gateway.cpu() - before) / turnsOfRound);
}
const idle: number[] = [];
if (!options.ratios) {
	await setTimeout(idleMs);
	idle.push(gateway.memory() / megabyte);
}
await gateway.kill();
rmSync(directory, { recursive: true });

const secondHalf = memory.slice(memory.length >> 1);
const maximum: Figure = { name: "peak resident memory", unit: "MB", values: [Math.max(...memory)] };
const growth: Figure = {
	name: "maximum ÷ minimum in the second half",
	unit: "×",
	values: [Math.max(...secondHalf) / Math.min(...secondHalf)],
};
// The figure is only meaningful after the wait.
const remaining = idle.map((value): Figure => {
	return { name: "idle ÷ peak", unit: "×", values: [value / Math.max(...memory)] };
});
const turn: Figure = { name: "CPU per turn, half of them in new sessions", unit: "ms", values: cpu };
report(
	"soak",
	[
		{ name: "resident memory after each round", unit: "MB", values: memory },
		maximum,
		growth,
		...remaining,
		turn,
	],
	[
		{ figure: maximum, atMost: 150 },
		{ figure: growth, atMost: 1.1 },
		...remaining.map((figure) => ({ figure, atMost: 0.95, ofMachine: true }) as const),
		{ figure: turn, atMost: 4.4, ofMachine: true, target: true },
	],
	options,
);
