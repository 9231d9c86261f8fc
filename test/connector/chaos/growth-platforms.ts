import type { ManualClock } from "@parley/base/testing";
import { Random } from "../../random.ts";
import { DiscordChaosPlatform } from "./discord-chaos-run.ts";
import type { GrowthPlatform, SeenPost } from "./growth.ts";
import { SlackChaosPlatform } from "./slack-chaos-run.ts";

type Open = (clock: ManualClock) => GrowthPlatform;

export interface NoticePlatform extends GrowthPlatform {
	/** Principals of the approvers: `PLATFORM:TENANT:USER`. */
	readonly approvers: readonly string[];
	readonly approvals: string;
	/** Returns Parley's posts in each approver's direct messages, and in the approval channel. */
	elsewhere(): { readonly direct: readonly (readonly SeenPost[])[]; readonly approvals: readonly SeenPost[] };
}

export function discordGrowth(seed: number): Open {
	return (clock) => {
		const platform = new DiscordChaosPlatform({ clock, random: new Random(seed), seed });
		const { simulator } = platform;
		const room = simulator.channel("general");
		const person = simulator.member("Ada");
		return {
			nextProcess: (isLost) => platform.nextProcess(isLost),
			break: () => platform.break(),
			heal: () => platform.heal(),
			ask: (text) => void person.says(`${simulator.mention} ${text}`, { in: room }),
			posts: () => room.shows().filter(({ author }) => author === simulator.bot.name),
			drainViolations: () => simulator.drainViolations(),
		};
	};
}

export function discordNotices(clock: ManualClock): NoticePlatform {
	const platform = new DiscordChaosPlatform({ clock, random: new Random(1), seed: 1 });
	const { simulator } = platform;
	const room = simulator.channel("general");
	const other = simulator.channel("approvals");
	const person = simulator.member("Ada");
	const approvers = [simulator.member("Olga"), simulator.member("Bo")];
	const byParley = ({ author }: { readonly author: string }): boolean => author === simulator.bot.name;
	return {
		nextProcess: (isLost) => platform.nextProcess(isLost),
		break: () => platform.break(),
		heal: () => platform.heal(),
		ask: (text) => void person.says(`${simulator.mention} ${text}`, { in: room }),
		posts: () => room.shows().filter(byParley),
		drainViolations: () => simulator.drainViolations(),
		approvers: approvers.map(({ id }) => `discord:1:${id}`),
		approvals: `discord:1:${other.id}`,
		elsewhere: () => ({
			direct: approvers.map(({ dm }) => dm.shows().filter(byParley)),
			approvals: other.shows().filter(byParley),
		}),
	};
}

export function slackNotices(clock: ManualClock): NoticePlatform {
	const platform = new SlackChaosPlatform({ clock, random: new Random(1), seed: 1 });
	const { simulator } = platform;
	const approvers = [simulator.member("Olga"), simulator.member("Bo")];
	const requests = slackRoom(platform, false);
	const other = simulator.channel("approvals");
	const all = (room: typeof other): readonly SeenPost[] =>
		[room, ...room.threads()]
			.flatMap((place) => place.shows())
			.filter(({ author }) => author === simulator.bot.name);
	return {
		...requests,
		approvers: approvers.map(({ id }) => `slack:T1:${id}`),
		approvals: `slack:T1:${other.id}`,
		elsewhere: () => ({ direct: approvers.map(({ dm }) => all(dm)), approvals: all(other) }),
	};
}

export function slackGrowth(seed: number): Open {
	return (clock) => slackRoom(new SlackChaosPlatform({ clock, random: new Random(seed), seed }), false);
}

/** Returns a function that opens a platform on which answers grow as native streams, in threads of direct messages. */
export function slackDirectGrowth(seed: number): Open {
	return (clock) => slackRoom(new SlackChaosPlatform({ clock, random: new Random(seed), seed }), true);
}

function slackRoom(platform: SlackChaosPlatform, isDirect: boolean): GrowthPlatform {
	const { simulator } = platform;
	const person = simulator.member("Ada");
	const room = isDirect ? person.dm : simulator.channel("general");
	return {
		nextProcess: () => platform.nextProcess(),
		break: () => platform.break(),
		heal: () => platform.heal(),
		ask: (text) => void person.says(isDirect ? text : `${simulator.mention} ${text}`, { in: room }),
		posts: () =>
			[room, ...room.threads()]
				.flatMap((place) => place.shows())
				.filter(({ author }) => author === simulator.bot.name),
		drainViolations: () => simulator.drainViolations(),
	};
}
