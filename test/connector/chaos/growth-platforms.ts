import type { ManualClock } from "@parley/base/testing";
import { Random } from "../../random.ts";
import { DiscordChaosPlatform } from "./discord-chaos-run.ts";
import type { GrowthPlatform, SeenPost } from "./growth.ts";
import { SlackChaosPlatform } from "./slack-chaos-run.ts";

type Open = (clock: ManualClock) => GrowthPlatform;

/** A channel in which Parley is asked, two approvers, and another channel for approvals. */
export interface NoticePlatform extends GrowthPlatform {
	/** Ids as in principals. */
	readonly approvers: readonly string[];
	readonly approvals: string;
	/** Posts of Parley in the direct messages of each approver, and in the channel for approvals. */
	elsewhere(): { readonly direct: readonly (readonly SeenPost[])[]; readonly approvals: readonly SeenPost[] };
}

export function discordGrowth(seed: number): Open {
	return (clock) => {
		const platform = new DiscordChaosPlatform({ clock, random: new Random(seed), seed });
		const { world } = platform;
		const room = world.channel("general");
		const person = world.member("Ada");
		return {
			nextProcess: (isLost) => platform.nextProcess(isLost),
			break: () => platform.break(),
			heal: () => platform.heal(),
			ask: (text) => void person.says(`${world.mention} ${text}`, { in: room }),
			posts: () => room.shows().filter(({ author }) => author === world.bot.name),
			drainViolations: () => world.drainViolations(),
		};
	};
}

export function discordNotices(clock: ManualClock): NoticePlatform {
	const platform = new DiscordChaosPlatform({ clock, random: new Random(1), seed: 1 });
	const { world } = platform;
	const room = world.channel("general");
	const other = world.channel("approvals");
	const person = world.member("Ada");
	const approvers = [world.member("Olga"), world.member("Bo")];
	const byParley = ({ author }: { readonly author: string }): boolean => author === world.bot.name;
	return {
		nextProcess: (isLost) => platform.nextProcess(isLost),
		break: () => platform.break(),
		heal: () => platform.heal(),
		ask: (text) => void person.says(`${world.mention} ${text}`, { in: room }),
		posts: () => room.shows().filter(byParley),
		drainViolations: () => world.drainViolations(),
		approvers: approvers.map(({ id }) => `discord:1:${id}`),
		approvals: `discord:1:${other.id}`,
		elsewhere: () => ({
			direct: approvers.map(({ dm }) => dm.shows().filter(byParley)),
			approvals: other.shows().filter(byParley),
		}),
	};
}

/** Asks in threads of a channel. */
export function slackNotices(clock: ManualClock): NoticePlatform {
	const platform = new SlackChaosPlatform({ clock, random: new Random(1), seed: 1 });
	const { world } = platform;
	const approvers = [world.member("Olga"), world.member("Bo")];
	const requests = slackRoom(platform, false);
	const other = world.channel("approvals");
	const all = (room: typeof other): readonly SeenPost[] =>
		[room, ...room.threads()]
			.flatMap((place) => place.shows())
			.filter(({ author }) => author === world.bot.name);
	return {
		...requests,
		approvers: approvers.map(({ id }) => `slack:T1:${id}`),
		approvals: `slack:T1:${other.id}`,
		elsewhere: () => ({ direct: approvers.map(({ dm }) => all(dm)), approvals: all(other) }),
	};
}

/** Answers in threads of a channel, which grow by edits. */
export function slackGrowth(seed: number): Open {
	return (clock) => slackRoom(new SlackChaosPlatform({ clock, random: new Random(seed), seed }), false);
}

/** Answers in threads of direct messages, which grow as streams. */
export function slackDirectGrowth(seed: number): Open {
	return (clock) => slackRoom(new SlackChaosPlatform({ clock, random: new Random(seed), seed }), true);
}

function slackRoom(platform: SlackChaosPlatform, isDirect: boolean): GrowthPlatform {
	const { world } = platform;
	const person = world.member("Ada");
	const room = isDirect ? person.dm : world.channel("general");
	return {
		nextProcess: () => platform.nextProcess(),
		break: () => platform.break(),
		heal: () => platform.heal(),
		ask: (text) => void person.says(isDirect ? text : `${world.mention} ${text}`, { in: room }),
		posts: () =>
			[room, ...room.threads()]
				.flatMap((place) => place.shows())
				.filter(({ author }) => author === world.bot.name),
		drainViolations: () => world.drainViolations(),
	};
}
