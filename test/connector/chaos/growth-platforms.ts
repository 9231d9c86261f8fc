import type { ManualClock } from "@parley/base/testing";
import { Random } from "../../random.ts";
import { DiscordGround } from "./discord-street.ts";
import type { GrowthPlatform, SeenPost } from "./growth.ts";
import { SlackGround } from "./slack-street.ts";

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
			drainViolations: () => world.drainViolations(),
		};
	};
}

export function discordNotices(clock: ManualClock): NoticePlatform {
	const ground = new DiscordGround({ clock, random: new Random(1), seed: 1 });
	const { world } = ground;
	const room = world.channel("general");
	const other = world.channel("approvals");
	const person = world.member("Ada");
	const approvers = [world.member("Olga"), world.member("Bo")];
	const byParley = ({ author }: { readonly author: string }): boolean => author === world.bot.name;
	return {
		nextProcess: (isLost) => ground.nextProcess(isLost),
		break: () => ground.break(),
		heal: () => ground.heal(),
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
	const ground = new SlackGround({ clock, random: new Random(1), seed: 1 });
	const { world } = ground;
	const approvers = [world.member("Olga"), world.member("Bo")];
	const requests = slackRoom(ground, false);
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
		drainViolations: () => world.drainViolations(),
	};
}
