import type { Shown } from "../../simulators/discord/people/shown.ts";
import { judgeMessages } from "./judge-messages.ts";
import type { Street } from "./street.ts";

/** After a session of Discord's ended what it told in so much time may be gone. */
const takenMs = 60_000;

/** What people and the gateway see that they should not, in words. */
export function judge(street: Street): string[] {
	const { world, faults, people } = street;
	const posts = postsOf(street);
	return [
		...faults,
		...judgeAnswers(street, posts),
		...judgeOrder(street),
		...judgeQuestions(street, posts),
		...judgeTasks(street, posts),
		...judgeReviews(street, posts),
		...judgeTrust(street, posts),
		...judgeMessages(street),
		...people.unanswered.map((what) => `nobody answered within 3 s: ${what}`),
		...world.pings.map((ping) => `somebody was called: ${JSON.stringify(ping)}`),
		...world.takeViolations(),
	];
}

/** What everybody can see that is ours, by the rooms and threads that there are. */
function postsOf({ people, world }: Street): Shown[] {
	const places = [...people.rooms, ...world.threads()];
	return places.flatMap((place) => place.shows()).filter(({ author }) => author === world.bot.name);
}

function judgeAnswers({ work, stuck }: Street, posts: readonly Shown[]): string[] {
	return work.answers.flatMap(({ text }) => {
		const count = posts.filter((post) => post.text.includes(text)).length;
		return count === 1 ? [] : [`${text} is to be seen ${count} times; stuck: ${stuck.join("; ")}`];
	});
}

/** The answers of a session are told in the order in which they were given. */
function judgeOrder({ work, people }: Street): string[] {
	return [...Map.groupBy(work.answers, ({ session }) => session)].flatMap(([session, answers]) => {
		const given = answers.map(({ text }) => text);
		return people.rooms.flatMap((room) => {
			const shown = room.shows().flatMap((post) => given.find((text) => post.text.includes(text)) ?? []);
			const wanted = given.filter((text) => shown.includes(text));
			return shown.join() === wanted.join()
				? []
				: [`${session} told ${shown.join()} instead of ${wanted.join()}`];
		});
	});
}

function judgeQuestions({ work }: Street, posts: readonly Shown[]): string[] {
	return work.questions.flatMap(({ session, token, label }) => {
		const cards = posts.filter(({ text }) => text.includes(label));
		if (cards.length !== 1) return [`the question ${label} has ${cards.length} cards`];
		const canBeAnswered = cards[0]?.buttons.includes("Approve once") ?? false;
		const isOpen = session.asking.has(token);
		return canBeAnswered === isOpen
			? []
			: [`the question ${label} is ${isOpen ? "open" : "over"}, its card not`];
	});
}

function judgeTasks({ work, world }: Street, posts: readonly Shown[]): string[] {
	return work.tasks.tasks.flatMap(({ session, title, end }) => {
		const own = posts.filter(({ text }) => text.includes(title));
		const cards = own.filter(({ buttons }) => /Cancel|Retry/.test(buttons.join()));
		const threads = world.threads().filter(({ name }) => name.includes(title));
		// There are none in direct messages.
		const wanted = session.externalKey?.includes(":dm:") ? 0 : 1;
		const told = { completed: /Done/, cancelled: /Cancelled/ };
		const isTold = end === undefined ? cards.length === 1 : own.some(({ text }) => told[end].test(text));
		return threads.length === wanted && isTold
			? []
			: [`${title} has ${cards.length} cards, ${threads.length} threads`];
	});
}

/** Each plan is shown once, and can be approved for as long as it waits. */
function judgeReviews({ work }: Street, posts: readonly Shown[]): string[] {
	return work.tasks.tasks.flatMap(({ reviews }) =>
		reviews.flatMap(({ label, isOpen }) => {
			const cards = posts.filter(({ text }) => text.includes(label) && text.includes("question id"));
			if (cards.length !== 1) return [`the plan ${label} has ${cards.length} cards`];
			const canBeAnswered = cards[0]?.buttons.includes("Approve") ?? false;
			return canBeAnswered === isOpen
				? []
				: [`the plan ${label} is ${isOpen ? "open" : "over"}, its card not`];
		}),
	);
}

/** No channel is trusted by people who could not read it when it was. */
function judgeTrust({ work, people, world }: Street, posts: readonly Shown[]): string[] {
	return work.trust.grants.flatMap(({ id, place, givenAt, isOver }) => {
		const changedAt = people.audiences.get(place.split(":").at(-1) ?? "") ?? 0;
		const isUntold = world.state.identifies.some((at) => at >= changedAt && at <= changedAt + takenMs);
		const ended = changedAt <= givenAt || isOver || isUntold ? [] : [`${id} survived its audience`];
		const cards = posts.filter(({ text }) => text.includes(`grant id ${id.slice(-6)}`));
		const canEnd = cards.some(({ buttons }) => buttons.includes("End trust"));
		const shown = isOver && canEnd ? [`${id} is over, its card not`] : [];
		return [...ended, ...shown, ...(cards.length > 1 ? [`${id} has ${cards.length} cards`] : [])];
	});
}
