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
		...people.pendingActions.unanswered.map((action) => `no response within 3 s: ${action}`),
		...judgePings(workAndPosts, simulator.pings),
		...simulator.drainViolations(),
	];
}

export function judgeDeleted({ people, gateway }: SlackChaosRun): string[] {
	const deleted = people.messages.sentMessages.filter(({ isDeleted, mayBeLost }) => isDeleted && !mayBeLost);
	return judgeWaiting(gateway, deleted);
}

/** Whether the first message of the session's thread was deleted. */
function isMissingFor({ people }: SlackChaosRun, externalKey = ""): boolean {
	return people.messages.sentMessages.some(
		({ id, isDeleted }) => isDeleted && externalKey.includes(`:${id}`),
	);
}

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

/** Returns the faults of trust grants and their cards. Ignores joins that Slack may not have reported. */
function judgeTrust({ work, people, simulator }: SlackChaosRun, posts: readonly Shown[]): string[] {
	return work.trust.grants.flatMap(({ id, place, grantedAt, isOver }) => {
		const changedAt = people.audiences.get(place.split(":").at(-1) ?? "") ?? 0;
		const isUnseen = simulator.delivery.lost.includes("member_joined_channel");
		const ended = changedAt <= grantedAt || isOver || isUnseen ? [] : [`${id} survived its audience`];
		const cards = posts.filter(({ text }) => text.includes(reasonOf({ id })));
		const canEnd = cards.some(({ buttons }) => buttons.includes("End trust"));
		const shown = isOver && canEnd ? [`${id} is over, its card not`] : [];
		// A grant may have several cards: each conversation of the channel has its own card.
		return [...ended, ...shown];
	});
}

function judgeSentMessage({ gateway, simulator, people }: SlackChaosRun, sentMessage: SentMessage): string[] {
	const { id, versions, isDeleted, mayBeLost, room } = sentMessage;
	// The first message of a thread may be deleted before the connector reads the replies.
	const isUncalled = people.messages.sentMessages.some((root) => root.id === room.id && root.isDeleted);
	const arrivals = arrivalsOf(gateway, id);
	const faults = judgeTwice(sentMessage, arrivals);
	// An edit cannot withdraw a version that has joined a run.
	const remaining = arrivals.filter(({ isCancelled, hasJoined }) => !isCancelled && !hasJoined);
	// After the loss of its database, the connector may not recognize a message that is edited later.
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

function refusalsOf({ simulator }: SlackChaosRun, { room }: SentMessage, file: string): number {
	return [room, ...simulator.threads()]
		.flatMap((place) => place.shows())
		.filter(({ text, author }) => author === simulator.bot.name && text.includes(file)).length;
}
