import type { Shown } from "../../simulators/slack/people/shown.ts";
import { reasonOf } from "./grant-work.ts";
import { arrivalsOf, judgeFile, judgeRetries, judgeTwice, judgeWaiting } from "./judge-arrivals.ts";
import {
	judgeAnswers,
	judgeGrowth,
	judgeOrder,
	judgePings,
	judgeQuestions,
	judgeReviews,
	type WorkAndPosts,
} from "./judge-posts.ts";
import type { SlackChaosRun } from "./slack-chaos-run.ts";

type SentMessage = SlackChaosRun["people"]["messages"]["sentMessages"][number];

/** Faults that people or the gateway can see on Slack. */
export function judgeSlack(run: SlackChaosRun): string[] {
	const { simulator, faults, people, work, gateway, stuck } = run;
	const posts = postsOf(run);
	const isMissing: WorkAndPosts["isMissing"] = (session) => isMissingFor(run, session?.externalKey);
	const workAndPosts = { work, gateway, stuck, posts, isMissing };
	return [
		...faults,
		...judgeAnswers(workAndPosts),
		...judgeGrowth(workAndPosts),
		...judgeOrder(work, [posts]),
		...judgeQuestions(workAndPosts),
		...judgeTasks(run, posts),
		...judgeReviews(workAndPosts),
		...judgeTrust(run, posts),
		...people.messages.sentMessages.flatMap((sentMessage) => judgeSentMessage(run, sentMessage)),
		...people.messages.sentMessages.flatMap((sentMessage) =>
			judgeFile(gateway, sentMessage, (file) => refusalsOf(run, sentMessage, file)),
		),
		...judgeRetries(gateway, people.retries),
		...people.pendingActions.unanswered.map((what) => `no response within 3 s: ${what}`),
		...judgePings(workAndPosts, simulator.pings),
		...simulator.drainViolations(),
	];
}

/** Faults for deleted messages that still wait at the end. */
export function judgeDeleted({ people, gateway }: SlackChaosRun): string[] {
	const deleted = people.messages.sentMessages.filter(({ isDeleted, mayBeLost }) => isDeleted && !mayBeLost);
	return judgeWaiting(gateway, deleted);
}

/**
 * True if the thread of a session was deleted with its first message, so that the connector can no longer show the
 * session.
 */
function isMissingFor({ people }: SlackChaosRun, externalKey = ""): boolean {
	return people.messages.sentMessages.some(
		({ id, isDeleted }) => isDeleted && externalKey.includes(`:${id}`),
	);
}

/** Parley's public posts, oldest first. */
function postsOf({ people, simulator }: SlackChaosRun): Shown[] {
	const shown = people.rooms.flatMap((room) => [room, ...room.threads()].flatMap((place) => place.shows()));
	return shown
		.filter(({ author }) => author === simulator.bot.name)
		.sort((one, other) => Number(one.ts) - Number(other.ts));
}

function judgeTasks(run: SlackChaosRun, posts: readonly Shown[]): string[] {
	return run.work.tasks.tasks.flatMap(({ session, title, end }) => {
		if (isMissingFor(run, session.externalKey)) return [];
		const own = posts.filter(({ text }) => text.includes(title));
		const cards = own.filter(({ buttons }) => /Cancel|Retry/.test(buttons.join()));
		const workAndPosts = { completed: /Done/, cancelled: /Cancelled/ };
		const isShown =
			end === undefined ? cards.length === 1 : own.some(({ text }) => workAndPosts[end].test(text));
		return isShown ? [] : [`${title} has ${cards.length} cards`];
	});
}

/**
 * Faults if a channel is still trusted after a guest joined, provided that Slack has reported the join. Also faults if the card
 * of an ended grant can end it.
 */
function judgeTrust({ work, people, simulator }: SlackChaosRun, posts: readonly Shown[]): string[] {
	return work.trust.grants.flatMap(({ id, place, grantedAt, isOver }) => {
		const changedAt = people.audiences.get(place.split(":").at(-1) ?? "") ?? 0;
		const isUnseen = simulator.delivery.lost.includes("member_joined_channel");
		const ended = changedAt <= grantedAt || isOver || isUnseen ? [] : [`${id} survived its audience`];
		const cards = posts.filter(({ text }) => text.includes(reasonOf({ id })));
		const canEnd = cards.some(({ buttons }) => buttons.includes("End trust"));
		const shown = isOver && canEnd ? [`${id} is over, its card not`] : [];
		// Every conversation of a channel has its own card of the grant.
		return [...ended, ...shown];
	});
}

function judgeSentMessage({ gateway, simulator, people }: SlackChaosRun, sentMessage: SentMessage): string[] {
	const { id, versions, isDeleted, mayBeLost, room } = sentMessage;
	// The mention that started a thread may be deleted before the replies arrive.
	const isUncalled = people.messages.sentMessages.some((root) => root.id === room.id && root.isDeleted);
	const arrivals = arrivalsOf(gateway, id);
	const faults = judgeTwice(sentMessage, arrivals);
	// An edit cannot withdraw a version that has joined a run.
	const remaining = arrivals.filter(({ isCancelled, hasJoined }) => !isCancelled && !hasJoined);
	// Without its database, the connector may not know the message of a later edit.
	if (remaining.length > 1 && !mayBeLost)
		faults.push(`${versions.join(" → ")} was answered ${remaining.length} times`);
	if (mayBeLost || isDeleted) return faults;
	if (arrivals.length === 0) {
		return isUncalled ? faults : [...faults, `the gateway never received ${versions[0]}`];
	}
	const last = versions.at(-1) ?? "";
	const isRefused = [room, ...simulator.threads()]
		.flatMap((place) => place.shows())
		.some(({ text }) => text.includes("before you edited"));
	const counts = arrivals.some(({ content }) => content.includes(last)) || isRefused;
	return counts ? faults : [...faults, `the gateway did not learn that ${versions[0]} is ${last} now`];
}

/** Number of Parley's posts in the room and in threads that name the file, because the file could not be read. */
function refusalsOf({ simulator }: SlackChaosRun, { room }: SentMessage, file: string): number {
	return [room, ...simulator.threads()]
		.flatMap((place) => place.shows())
		.filter(({ text, author }) => author === simulator.bot.name && text.includes(file)).length;
}
