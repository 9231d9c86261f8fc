import type { ManualClock } from "@parley/base/testing";
import { Random } from "../../random.ts";
import { DiscordGround } from "./discord-street.ts";
import type { GrowthPlatform } from "./growth.ts";
import { SlackGround } from "./slack-street.ts";

export function discordGrowth(seed: number): (clock: ManualClock) => GrowthPlatform {
	return (clock) => {
		const ground = new DiscordGround({ clock, random: new Random(seed), seed });
		const { world } = ground;
		const room = world.channel("general");
		const person = world.member("Ada");
		return {
			nextProcess: (isLost) => ground.nextProcess(isLost),
			break: () => ground.break(),
			heal: () => ground.heal(),
			ask: (text) => void person.says(`${world.mention} ${text}`, { in: room }),
			posts: () => room.shows().filter(({ author }) => author === world.bot.name),
			takeViolations: () => world.takeViolations(),
		};
	};
}

export function slackGrowth(seed: number): (clock: ManualClock) => GrowthPlatform {
	return (clock) => {
		const ground = new SlackGround({ clock, random: new Random(seed), seed });
		const { world } = ground;
		const room = world.channel("general");
		const person = world.member("Ada");
		return {
			nextProcess: () => ground.nextProcess(),
			break: () => ground.break(),
			heal: () => ground.heal(),
			ask: (text) => void person.says(`${world.mention} ${text}`, { in: room }),
			posts: () =>
				[room, ...room.threads()]
					.flatMap((place) => place.shows())
					.filter(({ author }) => author === world.bot.name),
			takeViolations: () => world.takeViolations(),
		};
	};
}
