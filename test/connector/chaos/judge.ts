import type { Shown } from "../../simulators/discord/people/shown.ts";
import type { Street } from "./street.ts";

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
		...judgeSaid(street),
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
	return work.tasks.flatMap(({ session, title, done }) => {
		const cards = posts.filter(
			({ text, buttons }) => text.includes(title) && /Cancel|Retry/.test(buttons.join()),
		);
		const threads = world.threads().filter(({ name }) => name.includes(title));
		const ended = posts.filter(({ text }) => text.includes(title) && done === 3);
		// There are none in direct messages.
		const wanted = session.externalKey?.includes(":dm:") ? 0 : 1;
		const is = threads.length === wanted && (done === 3 ? ended.length > 0 : cards.length === 1);
		return is ? [] : [`${title} has ${cards.length} cards, ${threads.length} threads`];
	});
}

/** Each message is said to the gateway once. */
function judgeSaid({ people, gateway }: Street): string[] {
	const heard = gateway.sessions.flatMap(({ frames }) =>
		frames.flatMap(({ event, payload }) => (event === "user.message" ? [Object(payload)] : [])),
	);
	return people.said.flatMap(({ text, mayBeLost }) => {
		const own = heard.filter(
			({ content, retry_of }) => String(content).includes(text) && retry_of === undefined,
		);
		const fits = own.length === 1 || (mayBeLost && own.length === 0);
		return fits ? [] : [`the gateway heard ${text} ${own.length} times`];
	});
}
