import type { Shown } from "../../simulators/slack/people/shown.ts";
import type { Said } from "./slack-people.ts";
import type { SlackStreet } from "./slack-street.ts";

/** What people and the gateway see on Slack that they should not, in words. */
export function judgeSlack(street: SlackStreet): string[] {
	const { world, faults, people } = street;
	const posts = postsOf(street);
	return [
		...faults,
		...judgeAnswers(street, posts),
		...judgeOrder(street, posts),
		...judgeQuestions(street, posts),
		...judgeTasks(street, posts),
		...judgeReviews(street, posts),
		...judgeTrust(street, posts),
		...people.said.flatMap((said) => judgeSaid(street, said)),
		...people.said.flatMap((said) => judgeFile(street, said)),
		...judgeRetries(street),
		...people.unanswered.map((what) => `nobody answered within 3 s: ${what}`),
		...world.pings.map((ping) => `somebody was called: ${JSON.stringify(ping)}`),
		...world.takeViolations(),
	];
}

/** What was deleted and waits all the same, when all is calm. */
export function judgeDeleted({ people, gateway }: SlackStreet): string[] {
	const waiting = new Set(gateway.sessions.flatMap(({ runs }) => runs.map(({ id }) => id)));
	return people.said.flatMap((said) => {
		if (!said.isDeleted || said.mayBeLost) return [];
		const left = heardOf(gateway, said.id).filter(({ run }) => waiting.has(run));
		return left.map(({ content }) => `${content} was deleted and still waits`);
	});
}

/** Whether the thread of a session went with the message that it began with: nothing can be shown there any more. */
function isGoneFor({ people }: SlackStreet, externalKey = ""): boolean {
	return people.said.some(({ id, isDeleted }) => isDeleted && externalKey.includes(`:${id}`));
}

/** What everybody can see that is ours, in the order in which it was posted. */
function postsOf({ people, world }: SlackStreet): Shown[] {
	const shown = people.rooms.flatMap((room) => [room, ...room.threads()].flatMap((place) => place.shows()));
	return shown
		.filter(({ author }) => author === world.bot.name)
		.sort((one, other) => Number(one.ts) - Number(other.ts));
}

function judgeAnswers(street: SlackStreet, posts: readonly Shown[]): string[] {
	const { work, stuck, gateway } = street;
	return work.answers.flatMap(({ text, session }) => {
		const count = posts.filter((post) => post.text.includes(text)).length;
		const isGone = isGoneFor(street, gateway.sessions.find(({ id }) => id === session)?.externalKey);
		return count === 1 || (isGone && count === 0)
			? []
			: [`${text} is to be seen ${count} times; stuck: ${stuck.join("; ")}`];
	});
}

/** The answers of a session are told in the order in which they were given. */
function judgeOrder({ work }: SlackStreet, posts: readonly Shown[]): string[] {
	return [...Map.groupBy(work.answers, ({ session }) => session)].flatMap(([session, answers]) => {
		const given = answers.map(({ text }) => text);
		const shown = posts.flatMap((post) => given.find((text) => post.text.includes(text)) ?? []);
		const wanted = given.filter((text) => shown.includes(text));
		const isSo = shown.join() === wanted.join();
		return isSo ? [] : [`${session} told ${shown.join()} instead of ${wanted.join()}`];
	});
}

function judgeQuestions(street: SlackStreet, posts: readonly Shown[]): string[] {
	return street.work.questions.flatMap(({ session, token, label }) => {
		if (isGoneFor(street, session.externalKey)) return [];
		const cards = posts.filter(({ text }) => text.includes(label));
		if (cards.length !== 1) return [`the question ${label} has ${cards.length} cards`];
		const canBeAnswered = cards[0]?.buttons.includes("Approve once") ?? false;
		const isOpen = session.asking.has(token);
		return canBeAnswered === isOpen ? [] : [`${label} is ${isOpen ? "open" : "over"}, its card not`];
	});
}

function judgeTasks(street: SlackStreet, posts: readonly Shown[]): string[] {
	return street.work.tasks.tasks.flatMap(({ session, title, end }) => {
		if (isGoneFor(street, session.externalKey)) return [];
		const own = posts.filter(({ text }) => text.includes(title));
		const cards = own.filter(({ buttons }) => /Cancel|Retry/.test(buttons.join()));
		const told = { completed: /Done/, cancelled: /Cancelled/ };
		const isTold = end === undefined ? cards.length === 1 : own.some(({ text }) => told[end].test(text));
		return isTold ? [] : [`${title} has ${cards.length} cards`];
	});
}

/** Each plan is shown once, and can be approved for as long as it waits. */
function judgeReviews(street: SlackStreet, posts: readonly Shown[]): string[] {
	return street.work.tasks.tasks.flatMap(({ session, reviews }) =>
		reviews.flatMap(({ label, isOpen }) => {
			if (isGoneFor(street, session.externalKey)) return [];
			const cards = posts.filter(({ text }) => text.includes(label) && text.includes("question id"));
			if (cards.length !== 1) return [`the plan ${label} has ${cards.length} cards`];
			const canBeAnswered = cards[0]?.buttons.includes("Approve") ?? false;
			return canBeAnswered === isOpen ? [] : [`${label} is ${isOpen ? "open" : "over"}, its card not`];
		}),
	);
}

/** No channel is trusted that a guest came into after it was, as far as Slack has told of it. */
function judgeTrust({ work, people, world }: SlackStreet, posts: readonly Shown[]): string[] {
	return work.trust.grants.flatMap(({ id, place, givenAt, isOver }) => {
		const changedAt = people.audiences.get(place.split(":").at(-1) ?? "") ?? 0;
		const isUntold = world.delivery.lost.includes("member_joined_channel");
		const ended = changedAt <= givenAt || isOver || isUntold ? [] : [`${id} survived its audience`];
		const cards = posts.filter(({ text }) => text.includes(`grant id ${id.slice(-6)}`));
		const canEnd = cards.some(({ buttons }) => buttons.includes("End trust"));
		const shown = isOver && canEnd ? [`${id} is over, its card not`] : [];
		// Every conversation of a channel has a card of it.
		return [...ended, ...shown];
	});
}

function judgeSaid({ gateway, world, people }: SlackStreet, said: Said): string[] {
	const { id, versions, isDeleted, mayBeLost, room } = said;
	// Who takes back the mention that a thread began with may do so before what follows it has come.
	const isUncalled = people.said.some((root) => root.id === room.id && root.isDeleted);
	const heard = heardOf(gateway, id);
	const faults = versions.flatMap((text) => {
		const count = heard.filter(({ content }) => content.includes(text)).length;
		return count > 1 ? [`the gateway heard ${text} ${count} times`] : [];
	});
	const kept = heard.filter(({ isCancelled }) => !isCancelled);
	// Who has lost what it knew may not know that it was asked what Slack tells of an edit of later.
	if (kept.length > 1 && !mayBeLost) faults.push(`${versions.join(" → ")} was answered ${kept.length} times`);
	if (mayBeLost || isDeleted) return faults;
	if (heard.length === 0) {
		return isUncalled ? faults : [...faults, `the gateway never heard ${versions[0]}`];
	}
	const last = versions.at(-1) ?? "";
	const isRefused = [room, ...world.threads()]
		.flatMap((place) => place.shows())
		.some(({ text }) => text.includes("before you edited"));
	const counts = heard.some(({ content }) => content.includes(last)) || isRefused;
	return counts ? faults : [...faults, `nobody heard that ${versions[0]} is ${last} now`];
}

/** Each version that was heard brought the file along, once. */
function judgeFile({ gateway, world }: SlackStreet, { id, file, versions, room }: Said): string[] {
	if (file === undefined) return [];
	const brought = gateway.asked.filter(({ method, params }) => {
		const { attachments = [] } = Object(params);
		return method === "send_message" && attachments.includes(`file_${file}`);
	});
	const heard = heardOf(gateway, id);
	const places = [room, ...world.threads()];
	const refusals = places
		.flatMap((place) => place.shows())
		.filter(({ text, author }) => author === world.bot.name && text.includes(file));
	return brought.length + refusals.length === heard.length
		? []
		: [`${file} came ${brought.length} times with ${heard.length} of ${versions.join(" → ")}`];
}

function judgeRetries({ people, gateway }: SlackStreet): string[] {
	const retries = gateway.asked.filter(({ method }) => method === "retry").length;
	return retries > people.retries ? [`asked ${people.retries} times for a retry, which was ${retries}`] : [];
}

function heardOf({ sessions }: SlackStreet["gateway"], message: string) {
	return sessions.flatMap(({ frames }) => {
		const payloads = frames.map(({ event, payload }) => ({ event, ...Object(payload) }));
		const ended = payloads.filter(
			({ event, error }) => event === "assistant.message" && error === "cancelled",
		);
		const cancelled = new Set(ended.map(({ run_id }) => run_id));
		return payloads
			.filter((one) => one.event === "user.message" && one.correlation_id === message)
			.filter(({ retry_of }) => retry_of === undefined)
			.map((one) => ({
				content: String(one.content),
				run: String(one.run_id),
				isCancelled: cancelled.has(one.run_id),
			}));
	});
}
