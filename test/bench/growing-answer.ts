import { readOptions, report, roundsOf } from "./measure/report.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * CPU of the connector for an answer of six seconds that grows in its post, with 32 answers at the same time. Also the time
 * from the first word of the model to the first post. The complete connector, with its database on disk, against discord.js
 * alone, which stores nothing and edits at the same rhythm. Each has its own platform and gateway in other processes. CPU is
 * that of all threads of the bot's process.
 */
const options = readOptions(3);
const messages = 32;
const words = 60;

interface Side {
	readonly servers: readonly ServerProcess[];
	readonly platform: ServerProcess;
	readonly bot: ServerProcess;
}

const urlOf = ({ port }: ServerProcess): string => `http://127.0.0.1:${port}`;
const ours = await startSide("discord-kit");
const floor = await startSide("discord-sdk");

async function startSide(name: string): Promise<Side> {
	const gateway = await startServer("gateway-chat", String(words));
	const platform = await startServer("discord-platform");
	const bot = await startServer(name, urlOf(platform), urlOf(gateway), "grows");
	return { servers: [bot, platform, gateway], platform, bot };
}

interface Cost {
	/** Microseconds of CPU for one answer. */
	readonly cpu: number;
	readonly edits: number;
	/** Median in milliseconds. */
	readonly firstMs: number;
}

async function costOf({ platform, bot }: Side): Promise<Cost> {
	const before = await bot.cpu();
	await platform.ask({ messages });
	const cpu = ((await bot.cpu()) - before) / messages;
	const edits = (await platform.ask({ edits: true })) / messages;
	return { cpu, edits, firstMs: await platform.ask({ first: true }) };
}

const rounds: { readonly a: Cost; readonly b: Cost; readonly again: Cost }[] = [];
// The first messages open the sessions, and V8 compiles.
const warmUp = options.ratios ? 1 : 2;
for (const round of roundsOf(options, warmUp)) {
	const a = await costOf(floor);
	const b = await costOf(ours);
	if (round >= warmUp) rounds.push({ a, b, again: await costOf(floor) });
}
for (const server of [ours, floor].flatMap(({ servers }) => servers)) await server.stop();
const figure = (name: string, values: number[], unit = "µs CPU") => ({ name, unit, values });
const ratio = figure(
	"CPU of a growing answer, connector ÷ discord.js alone",
	// Both rounds of the floor, because the load of the machine varies.
	rounds.map(({ a, b, again }) => (2 * b.cpu) / (a.cpu + again.cpu)),
	"×",
);
const first = figure(
	"connector: first word of the model to the first post",
	rounds.map(({ b }) => b.firstMs),
	"ms",
);
report(
	"growing-answer",
	[
		figure(
			"discord.js alone, one answer",
			rounds.map(({ a }) => a.cpu),
		),
		figure(
			"connector, one answer",
			rounds.map(({ b }) => b.cpu),
		),
		figure(
			"discord.js alone, edits of one answer",
			rounds.map(({ a }) => a.edits),
			"edits",
		),
		figure(
			"connector, edits of one answer",
			rounds.map(({ b }) => b.edits),
			"edits",
		),
		figure(
			"noise: discord.js ÷ itself",
			rounds.map(({ a, again }) => again.cpu / a.cpu),
			"×",
		),
		first,
		ratio,
	],
	[
		{ figure: ratio, atMost: 3 },
		{ figure: first, atMost: 1000, ofMachine: true },
	],
	options,
);
