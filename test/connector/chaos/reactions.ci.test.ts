import { expect, test } from "vitest";
import { testSeed } from "../../random.ts";
import { type DiscordStreet, discordStreet } from "./discord-street.ts";
import { judge } from "./judge.ts";
import { playStreets } from "./play-streets.ts";

const first = testSeed();
const count = 20;

/** A street in whose channels reactions show the state of messages. */
function reactingStreet(seed: number, directory: string, kills: number): DiscordStreet {
	const street = discordStreet(seed, directory, kills);
	const { people, world, gateway } = street;
	for (const { id } of people.rooms) {
		for (const tenant of [world.home.id, "dm"]) {
			const facts = { mention: "required", sessions: "shared", status: "reactions" } as const;
			gateway.facts.set(`${tenant}:${id}`, facts);
		}
	}
	return street;
}

/** Messages with a reaction of the bot that no longer applies. */
function judgeReactions({ people, world }: DiscordStreet): string[] {
	const messages = people.rooms.flatMap(({ record }) => record.messages);
	const alive = messages.filter(({ deleted, onlyFor }) => !deleted && !onlyFor);
	return alive.flatMap(({ content, reactions }) => {
		const own = [...reactions].flatMap(([emoji, users]) => (users.has(world.bot.id) ? [emoji] : []));
		const isOver = own.length < 2 && !own.includes("👀") && !own.includes("⏳");
		return isOver ? [] : [`"${content}" has ${own.join(" ")}`];
	});
}

test(`each message shows its last state by one reaction, despite deaths and faults (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const seen = new Set<string>();
	const { faults } = await playStreets({ first, count }, reactingStreet, (street) => {
		const messages = street.people.rooms.flatMap(({ record }) => record.messages);
		for (const { reactions } of messages) for (const emoji of reactions.keys()) seen.add(emoji);
		return [...judge(street), ...judgeReactions(street)];
	});
	expect(faults).toEqual([]);
	expect(seen).toContain("✅");
});
