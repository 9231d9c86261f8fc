import { type BenchOptions, report, roundsOf } from "./report.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const messages = 32;
const words = 60;

interface Side {
	readonly servers: readonly ServerProcess[];
	readonly platform: ServerProcess;
	readonly bot: ServerProcess;
}

interface Cost {
	readonly cpu: number;
	readonly edits: number;
	/** Median milliseconds from the first word of the model to the first post. */
	readonly firstMs: number;
}

/** Script names in `servers/` for both sides, and the name of the library that the floor uses. */
export interface GrowingSides {
	readonly kit: string;
	readonly sdk: string;
	readonly platform: string;
	readonly given?: readonly string[];
	readonly library: string;
}

const urlOf = ({ port }: ServerProcess): string => `http://127.0.0.1:${port}`;

async function startSide(bot: string, { platform: name, given: args = [] }: GrowingSides): Promise<Side> {
	const gateway = await startServer("gateway-chat", String(words));
	const platform = await startServer(name, ...args);
	const started = await startServer(bot, urlOf(platform), urlOf(gateway), "grows");
	return { servers: [started, platform, gateway], platform, bot: started };
}

async function costOf({ platform, bot }: Side): Promise<Cost> {
	const before = await bot.cpu();
	await platform.ask({ messages });
	const cpu = ((await bot.cpu()) - before) / messages;
	const edits = (await platform.ask({ edits: true })) / messages;
	return { cpu, edits, firstMs: await platform.ask({ first: true }) };
}

/**
 * Measures the CPU time and the edits per answer while 32 answers grow in their posts for six seconds. Also measures
 * the time from the model's first word to the first post. The bench compares two bots:
 * - the complete connector with its database on disk
 * - a bot that uses only a library of the platform, stores nothing and edits at the same intervals
 *
 * Each bot has its own platform and its own gateway, in separate processes. The CPU time includes all threads of the
 * bot's process.
 */
export async function benchGrowing(name: string, sides: GrowingSides, options: BenchOptions): Promise<void> {
	const ours = await startSide(sides.kit, sides);
	const floor = await startSide(sides.sdk, sides);
	const rounds: { readonly a: Cost; readonly b: Cost; readonly again: Cost }[] = [];
	// Warm-up rounds open the sessions, and let V8 compile the code.
	const warmUp = options.ratios ? 1 : 2;
	for (const round of roundsOf(options, warmUp)) {
		const a = await costOf(floor);
		const b = await costOf(ours);
		if (round >= warmUp) rounds.push({ a, b, again: await costOf(floor) });
	}
	for (const server of [ours, floor].flatMap(({ servers }) => servers)) await server.stop();
	const figure = (of: string, values: number[], unit = "µs CPU") => ({ name: of, unit, values });
	const each = (of: (round: (typeof rounds)[number]) => number): number[] => rounds.map(of);
	const { library } = sides;
	// Averages both measurements of the floor, because the load of the machine varies.
	const ratios = each(({ a, b, again: repeated }) => (2 * b.cpu) / (a.cpu + repeated.cpu));
	const ratio = figure(`CPU of a growing answer, connector ÷ ${library} alone`, ratios, "×");
	const firsts = each(({ b }) => b.firstMs);
	const first = figure("connector: first word of the model to the first post", firsts, "ms");
	const figures = [
		...[
			figure(
				`${library} alone, one answer`,
				each(({ a }) => a.cpu),
			),
			figure(
				"connector, one answer",
				each(({ b }) => b.cpu),
			),
		],
		figure(
			`${library} alone, edits of one answer`,
			each(({ a }) => a.edits),
			"edits",
		),
		figure(
			"connector, edits of one answer",
			each(({ b }) => b.edits),
			"edits",
		),
		figure(
			`noise: ${library} ÷ itself`,
			each(({ a, again: repeated }) => repeated.cpu / a.cpu),
			"×",
		),
		...[first, ratio],
	];
	const gates = [
		{ figure: ratio, atMost: 3 },
		{ figure: first, atMost: 1000, ofMachine: true },
	] as const;
	report(name, figures, gates, options);
}
