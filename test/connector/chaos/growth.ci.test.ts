import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Death, type GrowingSession, Growth, part } from "./growth.ts";
import { discordGrowth, slackDirectGrowth, slackGrowth } from "./growth-platforms.ts";

const earlier = "I look at the files.";
const end = "That is the end.";
const call = { name: "read", call_id: "c1" } as const;

/** Returns the steps of a growing answer, each with the milliseconds that pass after the step. */
const stepsOf = (twoPosts: number): readonly (readonly [(session: GrowingSession) => void, number])[] => [
	[(session) => session.stream(part), 1000],
	[(session) => session.stream(part), 2500],
	[(session) => session.endReply(earlier), 0],
	[(session) => session.record("tool.call", { ...call, status: "started", arguments: {} }), 2500],
	[(session) => session.record("tool.call", { ...call, status: "completed", result: "" }), 2500],
	[(session) => session.stream(part.repeat(Math.ceil(twoPosts / part.length))), 3000],
	[(session) => session.stream(part), 3000],
	[(session) => void session.end({ content: end }), 3000],
];

const isStep = (place: string): boolean => place.startsWith("outbox.") || place.startsWith("platform.");

interface Stage {
	readonly open: ConstructorParameters<typeof Growth>[0];
	/** Length of a text that needs two posts, in characters. */
	readonly twoPosts: number;
	/** Whether the answer is a native stream of the platform. By default, the answer grows by edits. */
	readonly streams?: true;
}

async function play(
	{ open, twoPosts }: Stage,
	death?: Death,
): Promise<{ readonly reached: ReadonlyMap<string, number>; readonly faults: readonly string[] }> {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-growth-"));
	const growth = new Growth(open, directory.path);
	await growth.begin();
	growth.disturb(death === undefined ? [] : [death]);
	const session = await growth.ask();
	for (const [step, ms] of stepsOf(twoPosts)) {
		step(session);
		await growth.pass(ms);
	}
	const reached = await growth.finish();
	const faults = await growth.judge();
	const posts = growth.posts();
	const ended = posts.filter(({ text }) => text.includes(end));
	if (ended.length !== 1 || posts.length !== 1) {
		faults.push(`the answer is visible ${ended.length} times, in ${posts.length} posts`);
	}
	if (!ended.some(({ text }) => text.includes(earlier))) faults.push("the text before the call is missing");
	if (growth.first !== undefined && !ended.some(({ id }) => id === growth.first)) {
		faults.push("the answer is not in the post that has grown");
	}
	if (growth.deathsLeft > 0) faults.push("the process did not die");
	await growth.close();
	return { reached, faults };
}

async function faultsOfDeaths(stage: Stage, losesDatabase: boolean): Promise<readonly string[]> {
	const { reached, faults } = await play(stage);
	expect(faults).toEqual([]);
	const deaths = [...reached].flatMap(([place, hits]) =>
		isStep(place) ? Array.from({ length: hits }, (_, at) => ({ place, hit: at + 1, losesDatabase })) : [],
	);
	expect(deaths.length).toBeGreaterThan(30);
	const problems: string[] = [];
	for (const death of deaths) {
		const played = await play(stage, death);
		problems.push(...played.faults.map((fault) => `death at ${death.place}@${death.hit}: ${fault}`));
	}
	return problems;
}

const stages: readonly (Stage & { readonly platform: string })[] = [
	{ platform: "Discord", open: discordGrowth(1), twoPosts: 2500 },
	{ platform: "Slack", open: slackGrowth(1), twoPosts: 15_000 },
	{ platform: "Slack in direct messages", open: slackDirectGrowth(1), twoPosts: 15_000, streams: true },
];

test.each(stages)(
	"on $platform the first words are visible within a second",
	async ({ open, streams = false }) => {
		await using directory = await mkdtempDisposable(join(tmpdir(), "parley-growth-"));
		const growth = new Growth(open, directory.path);
		await growth.begin();
		const session = await growth.ask();
		session.stream(part);
		await growth.pass(1000);
		expect(growth.posts()).toMatchObject([{ text: expect.stringContaining(part.trim()) }]);
		expect(growth.posts()[0]?.streaming ?? false).toBe(streams);
		session.end({ content: end });
		await growth.finish();
		await growth.close();
	},
);

test.each(stages)(
	"on $platform an answer is complete, once and in its post, after a death at any step of its growth",
	{
		timeout: 1_800_000,
	},
	async (stage) => {
		expect(await faultsOfDeaths(stage, false)).toEqual([]);
	},
);

test.each(stages)(
	"on $platform an answer is complete, once and in its post, after a death that also loses the database",
	{
		timeout: 1_800_000,
	},
	async (stage) => {
		expect(await faultsOfDeaths(stage, true)).toEqual([]);
	},
);
