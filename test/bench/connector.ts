import { readOptions, report, roundsOf } from "./measure/report.ts";
import { type ServerProcess, startServer } from "./measure/server-process.ts";

/**
 * What a message and its answer cost the connector, 32 of them in flight at a time: the whole of it, with its database
 * on disk and the gateway in another process, against discord.js alone that answers the same and keeps nothing. Each has
 * a platform of its own; CPU is that of the connector's process.
 */
const messages = 640;
const options = readOptions(5);

interface Side {
	readonly platform: ServerProcess;
	readonly bot: ServerProcess;
}

const urlOf = ({ port }: ServerProcess): string => `http://127.0.0.1:${port}`;
const gateway = await startServer("gateway-chat");
const ours = await startSide((platform) => startServer("discord-kit", platform, urlOf(gateway)));
const floor = await startSide((platform) => startServer("discord-sdk", platform));

async function startSide(start: (platform: string) => Promise<ServerProcess>): Promise<Side> {
	const platform = await startServer("discord-platform");
	return { platform, bot: await start(urlOf(platform)) };
}

/** Microseconds of CPU for one message and its answer. */
async function costOf({ platform, bot }: Side): Promise<number> {
	const before = await bot.cpu();
	await platform.ask({ messages });
	return ((await bot.cpu()) - before) / messages;
}

const taken: { a: number; b: number; again: number }[] = [];
// The first two compile and open the rooms.
for (const round of roundsOf(options, 2)) {
	const a = await costOf(floor);
	const b = await costOf(ours);
	const again = await costOf(floor);
	if (round >= 2) taken.push({ a, b, again });
}
for (const { bot, platform } of [ours, floor]) {
	await bot.stop();
	await platform.stop();
}
await gateway.stop();
const figure = (name: string, values: number[], unit = "µs CPU") => ({ name, unit, values });
const ratio = figure(
	"CPU, connector ÷ discord.js alone",
	taken.map(({ a, b }) => b / a),
	"×",
);
report(
	"connector",
	[
		figure(
			"discord.js alone, one answer",
			taken.map(({ a }) => a),
		),
		figure(
			"the connector, one answer",
			taken.map(({ b }) => b),
		),
		figure(
			"noise: discord.js ÷ itself",
			taken.map(({ a, again }) => again / a),
			"×",
		),
		ratio,
	],
	[
		{ figure: ratio, atMost: 2, goal: true },
		{ figure: ratio, atMost: 12 },
	],
	options,
);
