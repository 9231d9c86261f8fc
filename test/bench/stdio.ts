import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LineProcess } from "./measure/line-process.ts";
import { type Figure, median, readOptions, report, roundsOf } from "./measure/report.ts";
import { startServer } from "./measure/server-process.ts";

const pings = 2000;
const prompts = 40;
const deltas = 20_000;
/** Maximum milliseconds that the agent may add to the SDK's time to the first token, including a commit. */
const maxAddedMs = 5;
const options = readOptions(7);
/** Number of unmeasured warm-up rounds, because clients usually talk to a warm process. */
const warmUp = 8;

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const server = (name: string): string => path(`./servers/${name}.ts`);
const binary = path("../../packages/cli/bin/zot.mjs");
const directory = mkdtempSync(join(tmpdir(), "parley-stdio-"));
const data = join(directory, "data");
mkdirSync(data, { mode: 0o700 });
// Without a large context window, a session with hundreds of prompts would be compacted.
const bench = { id: "bench", provider: "bench", context_window: 1_000_000_000, max_output: 8_192 };
writeFileSync(join(data, "models.json"), JSON.stringify({ models: [bench] }));
const flags = ["rpc", "--data", data, "--cwd", directory, "--log-level", "error"];
const rpc = [binary, ...flags];

const clear = `${JSON.stringify({ id: "2", type: "clear" })}\n`;

interface Timing {
	readonly clock: number;
	readonly cpu: number;
}

interface Round {
	readonly ours: Timing;
	readonly floor: Timing;
}

async function exchange(side: LineProcess, times: number, ask: () => Promise<number>): Promise<Timing> {
	const samples: number[] = [];
	const before = side.cpu();
	for (let n = 0; n < times; n++) samples.push(await ask());
	return { clock: median(samples), cpu: (side.cpu() - before) / times };
}

/** Measures both sides in one round. The side that runs first alternates by round. */
async function inTurn(
	round: number,
	ours: () => Promise<Timing>,
	floor: () => Promise<Timing>,
): Promise<Round> {
	if (round % 2 === 0) return { ours: await ours(), floor: await floor() };
	const first = await floor();
	return { ours: await ours(), floor: first };
}

async function measurePings(): Promise<Round[]> {
	const agent = new LineProcess([...rpc, "--provider", "offline"], directory);
	const echo = new LineProcess([server("stdio-echo")], directory);
	const line = `${JSON.stringify({ id: "1", type: "ping" })}\n`;
	const rounds: Round[] = [];
	for (const round of roundsOf(options, warmUp)) {
		const timings = await inTurn(
			round,
			() => exchange(agent, pings, () => agent.ask(line, "}\n")),
			() => exchange(echo, pings, () => echo.ask(line, "}\n")),
		);
		if (round >= warmUp) rounds.push(timings);
	}
	await Promise.all([agent.close(), echo.close()]);
	return rounds;
}

async function measureFirstTokens(): Promise<Round[]> {
	const model = await startServer("model-server");
	const url = `http://127.0.0.1:${model.port}`;
	const agent = new LineProcess([...rpc, "--base-url", url, "--model", "bench"], directory);
	const line = `${JSON.stringify({ id: "1", type: "prompt", message: "words 2" })}\n`;
	await agent.ask(line, '"done"');
	const sdk = new LineProcess([server("stdio-sdk"), url], directory);
	const rounds: Round[] = [];
	for (const round of roundsOf(options, warmUp)) {
		const ours: number[] = [];
		const floor: number[] = [];
		// The sides alternate after each prompt, because the difference between their times is small.
		for (let n = 0; n < prompts; n++) {
			ours.push(await agent.ask(line, '"text_delta"', '"done"'));
			floor.push(await sdk.ask(line, '"text_delta"', '"done"'));
		}
		await agent.ask(clear, '"clear"');
		await sdk.ask(clear, '"clear"');
		const costs = { ours: { clock: median(ours), cpu: 0 }, floor: { clock: median(floor), cpu: 0 } };
		if (round >= warmUp) rounds.push(costs);
	}
	await Promise.all([agent.close(), sdk.close()]);
	await model.stop();
	return rounds;
}

async function measureReplies(): Promise<Round[]> {
	const agent = new LineProcess([server("rpc-deltas"), data], directory);
	const loop = new LineProcess([server("stdio-deltas")], directory);
	const line = `${JSON.stringify({ id: "1", type: "prompt", message: String(deltas) })}\n`;
	const rounds: Round[] = [];
	for (const round of roundsOf(options, warmUp)) {
		const timings = await inTurn(
			round,
			() => exchange(agent, 1, () => agent.ask(line, '"stop":"end_turn"', '"done"')),
			() => exchange(loop, 1, () => loop.ask(line, '"done"')),
		);
		// Each round measures the first reply of a new conversation.
		await agent.ask(clear, '"clear"');
		if (round >= warmUp) rounds.push(timings);
	}
	await Promise.all([agent.close(), loop.close()]);
	return rounds;
}

function times<const Side extends string>(
	name: string,
	rounds: readonly Readonly<Record<Side, Timing>>[],
	side: Side,
	by: keyof Timing = "clock",
): Figure {
	const unit = by === "clock" ? "ms" : "ms CPU";
	return { name, unit, values: rounds.map((round) => round[side][by]) };
}

function ratio(name: string, rounds: readonly Round[], by: keyof Timing): Figure {
	return { name, unit: "×", values: rounds.map(({ ours, floor }) => ours[by] / floor[by]) };
}

function cheapest(rounds: readonly Round[], side: keyof Round): number {
	return Math.min(...rounds.map((round) => round[side].cpu));
}

function speed(name: string, rounds: readonly Round[], by: keyof Timing): Figure {
	return { name, unit: "×", values: rounds.map(({ ours, floor }) => floor[by] / ours[by]) };
}

const pinged = await measurePings();
const firstTokens = await measureFirstTokens();
const replied = await measureReplies();
rmSync(directory, { recursive: true });

const pingClock = ratio("ping ÷ bare echo", pinged, "clock");
// A wake-up on another core can make all exchanges of one side in a round up to four times as expensive. Such noise
// only adds CPU time, so the limit compares the cheapest round of each side.
const pingCpu: Figure = {
	name: "ping ÷ bare echo, by CPU of the cheapest rounds",
	unit: "×",
	values: [cheapest(pinged, "ours") / cheapest(pinged, "floor")],
};
const added: Figure = {
	name: "added to the first token of the SDK",
	unit: "ms",
	values: firstTokens.map(({ ours, floor }) => ours.clock - floor.clock),
};
const replyClock = speed("speed of a reply ÷ bare loop", replied, "clock");
const replyCpu = speed("speed of a reply ÷ bare loop, by CPU", replied, "cpu");
report(
	"stdio",
	[
		times("ping", pinged, "ours"),
		times("bare echo", pinged, "floor"),
		pingClock,
		pingCpu,
		times("prompt to first delta", firstTokens, "ours"),
		times("SDK alone: request to first delta", firstTokens, "floor"),
		added,
		times(`reply of ${deltas} deltas`, replied, "ours"),
		times("bare loop", replied, "floor"),
		replyClock,
		replyCpu,
	],
	[
		{ figure: pingCpu, atMost: 1.5, target: true },
		{ figure: pingCpu, atMost: 2 },
		// The echo is faster than a process switch, so the ratio of wall-clock times is only a target.
		{ figure: pingClock, atMost: 1.5, target: true },
		{ figure: added, atMost: maxAddedMs, ofMachine: true },
		{ figure: replyCpu, atLeast: 0.5, target: true },
		{ figure: replyCpu, atLeast: 0.25 },
		{ figure: replyClock, atLeast: 0.5, target: true },
	],
	options,
);
