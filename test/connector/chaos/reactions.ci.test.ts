import { expect, test } from "vitest";
import { testSeed } from "../../random.ts";
import { type DiscordChaosRun, discordChaosRun } from "./discord-chaos-run.ts";
import { judge } from "./judge.ts";
import { playChaosRuns } from "./play-chaos-runs.ts";

const first = testSeed();
const count = 20;

function reactingRun(seed: number, directory: string, kills: number): DiscordChaosRun {
	const run = discordChaosRun(seed, directory, kills);
	const { people, simulator, gateway } = run;
	for (const { id } of people.rooms) {
		for (const tenant of [simulator.home.id, "dm"]) {
			const facts = { mention: "required", sessions: "shared", status: "reactions" } as const;
			gateway.facts.set(`${tenant}:${id}`, facts);
		}
	}
	return run;
}

function judgeReactions({ people, simulator }: DiscordChaosRun): string[] {
	const messages = people.rooms.flatMap(({ record }) => record.messages);
	const alive = messages.filter(({ deleted, onlyFor }) => !deleted && !onlyFor);
	return alive.flatMap(({ content, reactions }) => {
		const own = [...reactions].flatMap(([emoji, users]) => (users.has(simulator.bot.id) ? [emoji] : []));
		const isOver = own.length < 2 && !own.includes("👀") && !own.includes("⏳");
		return isOver ? [] : [`"${content}" has ${own.join(" ")}`];
	});
}

test(`each message shows its last state by one reaction, despite deaths and faults (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const seen = new Set<string>();
	const { faults } = await playChaosRuns({ first, count }, reactingRun, (run) => {
		const messages = run.people.rooms.flatMap(({ record }) => record.messages);
		for (const { reactions } of messages) for (const emoji of reactions.keys()) seen.add(emoji);
		return [...judge(run), ...judgeReactions(run)];
	});
	expect(faults).toEqual([]);
	expect(seen).toContain("✅");
});
