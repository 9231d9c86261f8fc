import { readOptions, report, roundsOf } from "./measure/report.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * CPU use of the connector for a message and its answer, with 32 messages in flight. The bench compares the complete
 * connector with a bot that uses only discord.js and stores nothing. Each bot has its own platform and its own
 * gateway, in separate processes, without Discord's limit of requests per second. The CPU time includes all threads
 * of the bot's process.
 */
const options = readOptions(5);
const messages = 640;

interface Side {
	/** The servers that belong to this side, in the order of their starts. The bot is last. */
	readonly servers: readonly ServerProcess[];
	readonly platform: ServerProcess;
	readonly bot: ServerProcess;
}

const urlOf = ({ port }: ServerProcess): string => `http://127.0.0.1:${port}`;
const ours = await startSide("discord-kit", await startServer("gateway-chat"));
const floor = await startSide("discord-sdk", await startServer("gateway-chat"));
/** A bot that uses no gateway and writes the answers itself. */
const alone = options.ratios ? undefined : await startSide("discord-sdk");

async function startSide(name: string, ...gateway: readonly ServerProcess[]): Promise<Side> {
	const platform = await startServer("discord-platform");
	const bot = await startServer(name, urlOf(platform), ...gateway.map(urlOf));
	return { servers: [...gateway, platform, bot], platform, bot };
}

/** Returns the average CPU microseconds for one message and its answer. */
async function costOf({ platform, bot }: Side): Promise<number> {
	const before = await bot.cpu();
	await platform.ask({ messages });
	return ((await bot.cpu()) - before) / messages;
}

const rounds: { a: number; b: number; again: number }[] = [];
const bare: number[] = [];
// The first messages open the sessions, and V8 compiles the code.
const warmUp = options.ratios ? 1 : 3;
for (const round of roundsOf(options, warmUp)) {
	const a = await costOf(floor);
	const b = await costOf(ours);
	const standalone = alone && (await costOf(alone));
	if (round < warmUp) continue;
	rounds.push({ a, b, again: await costOf(floor) });
	if (standalone !== undefined) bare.push(standalone);
}
const sides = [ours, floor, ...(alone ? [alone] : [])];
for (const server of sides.flatMap(({ servers }) => servers.toReversed())) await server.stop();
const figure = (name: string, values: number[], unit = "µs CPU") => ({ name, unit, values });
const ratio = figure(
	"CPU, connector ÷ discord.js alone",
	rounds.map(({ a, b, again: repeated }) => (2 * b) / (a + repeated)),
	"×",
);
report(
	"connector",
	[
		figure(
			"discord.js alone, one answer",
			rounds.map(({ a }) => a),
		),
		figure(
			"connector, one answer",
			rounds.map(({ b }) => b),
		),
		...(alone ? [figure("discord.js without a gateway, one answer", bare)] : []),
		figure(
			"noise: discord.js ÷ itself",
			rounds.map(({ a, again: repeated }) => repeated / a),
			"×",
		),
		ratio,
	],
	[
		{ figure: ratio, atMost: 3, target: true },
		{ figure: ratio, atMost: 4 },
	],
	options,
);
