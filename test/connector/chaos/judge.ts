import type { Shown } from "../../simulators/discord/people/shown.ts";
import type { DiscordChaosRun } from "./discord-chaos-run.ts";
import { reasonOf } from "./grant-work.ts";
import { judgeMessages } from "./judge-messages.ts";
import {
	judgeAnswers,
	judgeGrantCards,
	judgeGrowth,
	judgeOrder,
	judgePings,
	judgeQuestions,
	judgeReviews,
} from "./judge-posts.ts";

/** Length of the window before a new Discord session, in milliseconds. An event in this window may be lost. */
const receiptMs = 60_000;

export function judge(run: DiscordChaosRun): string[] {
	const { simulator, faults, people, work, gateway, stuck } = run;
	const posts = postsOf(run);
	const workAndPosts = { work, gateway, stuck, posts };
	return [
		...faults,
		...judgeAnswers(workAndPosts),
		...judgeGrowth(workAndPosts),
		...judgeOrder(
			work,
			people.rooms.map((room) => room.shows()),
		),
		...judgeQuestions(workAndPosts),
		...judgeTasks(run, posts),
		...judgeReviews(workAndPosts),
		...judgeTrust(run, posts),
		...judgeMessages(run),
		...people.pendingActions.unanswered.map((action) => `no response within 3 s: ${action}`),
		...judgeGrantCards(workAndPosts),
		...judgePings(workAndPosts, simulator.pings),
		...simulator.drainViolations(),
	];
}

function postsOf({ people, simulator }: DiscordChaosRun): Shown[] {
	const places = [...people.rooms, ...simulator.threads()];
	return places.flatMap((place) => place.shows()).filter(({ author }) => author === simulator.bot.name);
}

function judgeTasks({ work, simulator }: DiscordChaosRun, posts: readonly Shown[]): string[] {
	return work.tasks.tasks.flatMap(({ session, title, end }) => {
		const own = posts.filter(({ text }) => text.includes(title));
		const cards = own.filter(({ buttons }) => /Cancel|Retry/.test(buttons.join()));
		const threads = simulator.threads().filter(({ name }) => name.includes(title));
		// A task from a direct message has no thread.
		const expected = session.externalKey?.includes(":dm:") ? 0 : 1;
		const workAndPosts = { completed: /Done/, cancelled: /Cancelled/ };
		const isShown =
			end === undefined ? cards.length === 1 : own.some(({ text }) => workAndPosts[end].test(text));
		return threads.length === expected && isShown
			? []
			: [`${title} has ${cards.length} cards, ${threads.length} threads`];
	});
}

/**
 * Returns the faults of trust grants and their cards. Ignores a change of the channel's readers if the connector may
 * have missed that change.
 */
function judgeTrust({ work, people, simulator }: DiscordChaosRun, posts: readonly Shown[]): string[] {
	return work.trust.grants.flatMap(({ id, place, grantedAt, isOver }) => {
		const changedAt = people.audiences.get(place.split(":").at(-1) ?? "") ?? 0;
		const isUnseen = simulator.state.identifies.some((at) => at >= changedAt && at <= changedAt + receiptMs);
		const ended = changedAt <= grantedAt || isOver || isUnseen ? [] : [`${id} survived its audience`];
		const cards = posts.filter(({ text }) => text.includes(reasonOf({ id })));
		const canEnd = cards.some(({ buttons }) => buttons.includes("End trust"));
		const shown = isOver && canEnd ? [`${id} is over, its card not`] : [];
		return [...ended, ...shown, ...(cards.length > 1 ? [`${id} has ${cards.length} cards`] : [])];
	});
}
