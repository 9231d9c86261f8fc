import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type Death, type GrowingSession, Growth, type SeenPost } from "./growth.ts";
import { discordNotices, type NoticePlatform, slackNotices } from "./growth-platforms.ts";

type Open = (clock: ManualClock) => NoticePlatform;

const first = "for your decision";
const reminder = "Reminder:";
const escalated = "has no decision yet";
const label = "Allow run rm -rf build?";
const hourMs = 3_600_000;

/** Whether a death at the failpoint `place` can affect an outbox row or its request. */
const isStep = (place: string): boolean => place.startsWith("outbox.") || place.startsWith("platform.");

async function notify(growth: Growth, session: GrowingSession, place: NoticePlatform): Promise<void> {
	const { approvers, approvals } = place;
	const expires_at = new Date(24 * hourMs).toISOString();
	const token = session.ask({
		label,
		context: { expires_at, notify: { people: approvers, by: ["direct", "mention"] } },
	});
	const remind = (by: "mention" | "channel", isEscalated: boolean): void => {
		const people = approvers.slice(0, 1);
		const notify = { people, by: [by], channels: [approvals], escalated: isEscalated };
		session.record("prompt.reminder", { token, label, expires_at, run_id: "run_1", notify });
	};
	await growth.pass(3000);
	remind("mention", false);
	await growth.pass(3000);
	remind("channel", true);
	await growth.pass(3000);
	session.record("prompt.response", { token, value: "once", cancelled: false, by: approvers[0] ?? "" });
	await growth.pass(1000);
	session.end({ content: "It is done." });
}

function faultsOf(posts: readonly SeenPost[], place: NoticePlatform): string[] {
	const { direct, approvals } = place.elsewhere();
	const [one = [], two = []] = direct;
	const counts: readonly (readonly [what: string, all: readonly SeenPost[], text: string, count: number])[] =
		[
			["the notice to the first approver", one, first, 1],
			["the notice to the second approver", two, first, 1],
			["the reminder", posts, reminder, 1],
			["the escalation", approvals, escalated, 1],
			["the card", posts, "Approved", 1],
			["the answer", posts, "It is done.", 1],
			["anything to the first approver", one, "", 1],
			["anything to the second approver", two, "", 1],
			["anything in the channel for approvals", approvals, "", 1],
			// The approval card, the reminder and the answer.
			["anything in the conversation", posts, "", 3],
		];
	return counts.flatMap(([name, all, text, count]) => {
		const visible = all.filter((post) => post.text.includes(text)).length;
		return visible === count ? [] : [`${name} is visible ${visible} times`];
	});
}

async function play(
	open: Open,
	death?: Death,
): Promise<{ readonly reached: ReadonlyMap<string, number>; readonly faults: readonly string[] }> {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-notices-"));
	let place: NoticePlatform | undefined;
	const growth = new Growth((clock) => {
		place = open(clock);
		return place;
	}, directory.path);
	if (place === undefined) throw new Error("the platform was not opened");
	await growth.begin();
	growth.disturb(death === undefined ? [] : [death]);
	const session = await growth.ask();
	await notify(growth, session, place);
	const reached = await growth.finish();
	const faults = [...(await growth.judge()), ...faultsOf(growth.posts(), place)];
	if (growth.deathsLeft > 0) faults.push("the process did not die");
	await growth.close();
	return { reached, faults };
}

async function faultsOfDeaths(open: Open, losesDatabase: boolean): Promise<readonly string[]> {
	const { reached, faults } = await play(open);
	expect(faults).toEqual([]);
	const deaths = [...reached].flatMap(([place, hits]) =>
		isStep(place) ? Array.from({ length: hits }, (_, at) => ({ place, hit: at + 1, losesDatabase })) : [],
	);
	expect(deaths.length).toBeGreaterThan(30);
	const problems: string[] = [];
	for (const death of deaths) {
		const played = await play(open, death);
		problems.push(...played.faults.map((fault) => `death at ${death.place}@${death.hit}: ${fault}`));
	}
	return problems;
}

const stages: readonly (readonly [platform: string, open: Open])[] = [
	["Discord", discordNotices],
	["Slack", slackNotices],
];

test.each(stages)(
	"on %s every notice, reminder and escalation arrives once, after a death at any of its steps",
	{ timeout: 1_800_000 },
	async (_, open) => {
		expect(await faultsOfDeaths(open, false)).toEqual([]);
	},
);

test.each(stages)(
	"on %s every notice, reminder and escalation arrives once, after a death that also loses the database",
	{ timeout: 1_800_000 },
	async (_, open) => {
		expect(await faultsOfDeaths(open, true)).toEqual([]);
	},
);
