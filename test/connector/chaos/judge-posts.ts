import type { ScriptedGateway } from "@parley/connector/testing";
import { part } from "./growth.ts";
import type { Work } from "./work.ts";

type Session = ScriptedGateway["sessions"][number];

interface Post {
	readonly text: string;
	readonly buttons: readonly string[];
	readonly streaming?: boolean;
}

export interface WorkAndPosts {
	readonly work: Work;
	readonly gateway: ScriptedGateway;
	readonly stuck: readonly string[];
	readonly posts: readonly Post[];
	/** Whether the thread of the session was deleted. Its posts may then be missing. */
	isMissing?(session: Session | undefined): boolean;
}

/** Returns a fault for each answer that is not visible exactly once. Answers in deleted threads may be missing. */
export function judgeAnswers({ work, gateway, stuck, posts, isMissing }: WorkAndPosts): string[] {
	return work.answers.flatMap(({ text, session }) => {
		const count = posts.filter((post) => post.text.includes(text)).length;
		const mayBeMissing = isMissing?.(gateway.sessions.find(({ id }) => id === session)) ?? false;
		return count === 1 || (mayBeMissing && count === 0)
			? []
			: [`${text} is to be seen ${count} times; stuck: ${stuck.join("; ")}`];
	});
}

/**
 * Returns faults for unfinished posts, and for texts before calls that are not visible exactly once. Texts of cut
 * runs and in deleted threads may be missing.
 */
export function judgeGrowth({ work, gateway, posts, isMissing }: WorkAndPosts): string[] {
	const unfinished = posts.filter(
		({ text, buttons, streaming = false }) =>
			streaming || buttons.includes("Stop") || text.includes(part.trim()),
	);
	const earlier = work.earlier.flatMap(({ text, session, isCut }) => {
		const count = posts.filter((post) => post.text.includes(text)).length;
		const mayBeMissing = isCut || isMissing?.(gateway.sessions.find(({ id }) => id === session));
		return count === 1 || (mayBeMissing && count === 0) ? [] : [`${text} is to be seen ${count} times`];
	});
	return [...unfinished.map(({ text }) => `an answer is unfinished: ${text.slice(0, 100)}`), ...earlier];
}

/** Returns a fault for each room that does not show the answers of a session in order. */
export function judgeOrder({ answers }: Work, places: readonly (readonly Post[])[]): string[] {
	return [...Map.groupBy(answers, ({ session }) => session)].flatMap(([session, own]) => {
		const expectedOrder = own.map(({ text }) => text);
		return places.flatMap((posts) => {
			const shown = posts.flatMap((post) => expectedOrder.find((text) => post.text.includes(text)) ?? []);
			const expected = expectedOrder.filter((text) => shown.includes(text));
			return shown.join() === expected.join()
				? []
				: [`${session} showed ${shown.join()} instead of ${expected.join()}`];
		});
	});
}

/**
 * Returns the faults of cards. Each question must have exactly one card, whose approve buttons match the state of
 * the card's questions. Ignores deleted threads.
 */
export function judgeQuestions({ work, posts, isMissing }: WorkAndPosts): string[] {
	return work.questions.flatMap(({ session, label, approve }) => {
		if (isMissing?.(session)) return [];
		const cards = posts.filter(({ text }) => text.includes(label));
		const together = work.questions.filter((one) => cards.some(({ text }) => text.includes(one.label)));
		const open = together.filter((one) => one.session.asking.has(one.token));
		return judgeCard(`the question ${label}`, cards, {
			buttons: [...approve, ...open.flatMap((one) => one.approve)],
			isOpen: open.length > 0,
		});
	});
}

const reviewStates = /Waiting for your answer|Answered|Closed/;

export function judgeGrantCards({ work, posts }: WorkAndPosts): string[] {
	const cards = posts.filter(({ text }) => /This channel is (?:no longer )?trusted/.test(text));
	const { grants } = work.trust;
	return cards.length <= grants.length ? [] : [`${grants.length} grants have ${cards.length} cards`];
}

/**
 * Returns the faults of plans. Each plan must have exactly one card, whose Approve button matches the state of the plan.
 * Ignores deleted threads.
 */
export function judgeReviews({ work, posts, isMissing }: WorkAndPosts): string[] {
	return work.tasks.tasks.flatMap(({ session, reviews }) =>
		reviews.flatMap(({ label, isOpen }) => {
			if (isMissing?.(session)) return [];
			const cards = posts.filter(({ text }) => text.includes(label) && reviewStates.test(text));
			return judgeCard(`the plan ${label}`, cards, { buttons: ["Approve"], isOpen });
		}),
	);
}

interface Ping {
	readonly who: string;
	readonly by: string;
	readonly text: string;
}

/** Returns the faults of notifications, which may be missing for closed plans and in deleted threads. */
export function judgePings({ work, isMissing }: WorkAndPosts, pings: readonly Ping[]): string[] {
	const causes = work.tasks.tasks.flatMap(({ title, end, reviews, requester, session }) => {
		const person = { requester: requester.name, mayBeMissing: isMissing?.(session) ?? false };
		return [
			{ ...person, name: title, isRequested: end !== undefined },
			// The plan may be closed before its card is posted.
			...reviews.map(({ label, isOpen }) => {
				const mayBeMissing = person.mayBeMissing || !isOpen;
				return { ...person, name: label, isRequested: true, mayBeMissing };
			}),
		];
	});
	const others = pings.filter(({ text }) => causes.every(({ name }) => !text.includes(name)));
	const faults = causes.flatMap(({ name, requester, isRequested, mayBeMissing }) => {
		const called = pings
			.filter(({ text }) => text.includes(name))
			.map(({ who: notified, by }) => `${notified} by ${by}`);
		const expected = isRequested ? [`@${requester} by create`] : [];
		return (mayBeMissing && called.length === 0) || called.join() === expected.join()
			? []
			: [`${name} (${isRequested ? "expected" : "unexpected"}) has called ${called.join() || "no person"}`];
	});
	return [...faults, ...others.map((ping) => `a person was notified unexpectedly: ${JSON.stringify(ping)}`)];
}

function judgeCard(
	cardTitle: string,
	cards: readonly Post[],
	{ buttons, isOpen }: { readonly buttons: readonly string[]; readonly isOpen: boolean },
): string[] {
	if (cards.length !== 1) return [`${cardTitle} has ${cards.length} cards`];
	const canBeAnswered = cards[0]?.buttons.some((label) => buttons.includes(label)) ?? false;
	return canBeAnswered === isOpen ? [] : [`${cardTitle} is ${isOpen ? "open" : "over"}, its card not`];
}
