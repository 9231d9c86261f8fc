import type { ManualClock } from "@parley/base/testing";
import { Random } from "../../random.ts";
import { DiscordGround } from "./discord-street.ts";
import type { GrowthPlatform } from "./growth.ts";
import { SlackGround } from "./slack-street.ts";

type Open = (clock: ManualClock) => GrowthPlatform;

export function discordGrowth(seed: number): Open {
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

/** Answers in threads of a channel, which grow by edits. */
export function slackGrowth(seed: number): Open {
	return (clock) => slackRoom(new SlackGround({ clock, random: new Random(seed), seed }), false);
}

/** Answers in threads of direct messages, which grow as streams. */
export function slackDirectGrowth(seed: number): Open {
	return (clock) => slackRoom(new SlackGround({ clock, random: new Random(seed), seed }), true);
}

function slackRoom(ground: SlackGround, isDirect: boolean): GrowthPlatform {
	const { world } = ground;
	const person = world.member("Ada");
	const room = isDirect ? person.dm : world.channel("general");
	return {
		nextProcess: () => ground.nextProcess(),
		break: () => ground.break(),
		heal: () => ground.heal(),
		ask: (text) => void person.says(isDirect ? text : `${world.mention} ${text}`, { in: room }),
		posts: () =>
			[room, ...room.threads()]
				.flatMap((place) => place.shows())
				.filter(({ author }) => author === world.bot.name),
		takeViolations: () => world.takeViolations(),
	};
}
