import { defined, definedItems } from "@parley/base";
import { activeRun } from "../conversation/answers/runs.ts";
import { openQuestions } from "../conversation/questions/questions.ts";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import { isOnce, plainWithTimes } from "../conversation/vocabulary/with-times.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { Control } from "../platform/posting.ts";
import { offerConversations } from "../presses/conversations.ts";
import { findListed, type ListedPrompt, listedButtons, listedCard } from "../presses/listed.ts";
import type { Conversation, Reply } from "../rooms/handler-context.ts";
import { readWelcome } from "../rooms/welcome.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import { cutText } from "../text/cut-text.ts";
import { conversationTexts } from "../texts/conversations.ts";
import { homeTexts } from "../texts/home.ts";
import { scheduleTexts } from "../texts/schedules.ts";
import { taskTexts } from "../texts/tasks.ts";
import { trustTexts } from "../texts/trust.ts";
import { type HomeParts, type HomePlace, ifAllowed, placesOf } from "./home-places.ts";
import { writeSuggested } from "./suggested-subject.ts";

/** Maximum length of a section. Slack allows 3000 characters, and its format adds some characters. */
export const sectionLength = 2500;
const maxApprovals = 4;
const maxLines = 8;
const maxTitle = 100;
const maxLabel = 75;

interface Viewer {
	readonly person: Person;
	/** Room of the person's direct messages. */
	readonly room: Room;
	/** Id of the present round: see `writeSuggested`. */
	readonly round: string;
}

/**
 * Returns the sections of a person's home page in Markdown. The sections contain only data that the person may see
 * now.
 */
export async function homeSections(parts: HomeParts, viewer: Viewer): Promise<readonly Reply[]> {
	const { context } = parts;
	const { person, room } = viewer;
	const welcome = await readWelcome(context, person, room);
	const { role = "stranger" } = await context.whoami(person, room);
	const [work = "", approvers = "", prompts = ""] = welcome?.lines ?? [];
	if (role === "stranger") return [{ text: lines([work, approvers, prompts]).trim() }];
	const greeting = { text: lines([work, approvers]).trim() };
	const all = await placesOf(parts, person, room);
	// A place is omitted if the gateway refuses to show it.
	const seen = await Promise.all(all.map((place) => seenIn(parts, viewer, place)));
	const places = definedItems(seen);
	return definedItems([
		greeting.text === "" ? undefined : greeting,
		suggestedSection(parts, viewer, welcome?.prompts ?? []),
		runningSection(parts, places),
		...(await waitingSections(parts, viewer, places)),
		await scheduleSection(parts, viewer),
		await trustSection(parts, viewer, places),
		helpSection(parts, room),
	]);
}

function suggestedSection(
	{ context: { controls, platform } }: HomeParts,
	{ round }: Viewer,
	prompts: readonly string[],
): Reply | undefined {
	const buttons = [...new Set(prompts)].map((prompt): Control => {
		const subject = writeSuggested({ prompt, round });
		const id = controls.write({ kind: "suggested", session: "", subject });
		const label = cutText(prompt, Math.min(maxLabel, platform.limits.buttonLabel));
		return { type: "button", id, label, style: "secondary" };
	});
	const row = buttons.slice(0, platform.limits.controlsPerRow);
	return row.length === 0 ? undefined : { text: homeTexts.suggested.title, controls: [row] };
}

interface SeenPlace extends HomePlace {
	readonly working: readonly Conversation[];
}

async function seenIn(
	{ context }: HomeParts,
	{ person }: Viewer,
	place: HomePlace,
): Promise<SeenPlace | undefined> {
	const working = await ifAllowed(context.conversations(person, place.room, { working: true }));
	return working && { ...place, working };
}

function runningSection({ context }: HomeParts, places: readonly SeenPlace[]): Reply {
	const all = places.flatMap(({ working }) => working);
	const tasks = places.flatMap(({ sessions }) =>
		sessions.flatMap((session) =>
			session.state.tasks.live.map(({ title, state }) => {
				const task = `**${plainLine(title, maxTitle)}**`;
				return homeTexts.running.task({ task, state: taskTexts.states[state] });
			}),
		),
	);
	const { title, none, stop } = homeTexts.running;
	if (all.length === 0) return { text: `${title}\n${tasks.length === 0 ? none : lines(tasks)}` };
	const offer = offerConversations(context, "stop-one", { all, question: stop });
	return {
		...offer,
		text: definedItems([offer.text, tasks.length === 0 ? undefined : lines(tasks)]).join("\n\n"),
	};
}

async function waitingSections(
	parts: HomeParts,
	viewer: Viewer,
	places: readonly SeenPlace[],
): Promise<Reply[]> {
	const { title, none } = homeTexts.waiting;
	const questions = places.flatMap(({ sessions }) =>
		sessions.flatMap((session) => questionLines(parts, viewer, session)),
	);
	const approvals = await approvalSections(parts, viewer, places);
	if (questions.length === 0 && approvals.length === 0) return [{ text: `${title}\n${none}` }];
	return [
		{ text: definedItems([title, questions.length === 0 ? undefined : lines(questions)]).join("\n") },
		...approvals,
	];
}

/**
 * Returns a line for each open question of the session, if the active run answers a message of the viewer. Omits
 * approvals and trust requests.
 */
function questionLines(
	{ context: { platform } }: HomeParts,
	{ person }: Viewer,
	{ room, state }: RoomSession,
): string[] {
	const author = activeRun(state.answers)?.author?.id;
	if (author?.endsWith(`:${person.id}`) !== true) return [];
	const url = platform.linkTo?.(room);
	const name = conversationTexts.untitled;
	const place = url === undefined ? name : `[${name}](${url})`;
	return openQuestions(state.questions)
		.filter((question) => question.kind !== "approval" && question.kind !== "grant")
		.map(({ label }) => homeTexts.waiting.question({ place, question: plainLine(label.text, maxTitle) }));
}

async function approvalSections(
	parts: HomeParts,
	{ person }: Viewer,
	places: readonly SeenPlace[],
): Promise<Reply[]> {
	const { context } = parts;
	const found = new Map<string, { readonly prompt: ListedPrompt; readonly room: Room }>();
	for (const { room } of places) {
		const params = { approvals: true, limit: 20, ...context.onBehalf(person, room) };
		const { prompts = [] } = (await ifAllowed(context.gateway.request("list_prompts", params))) ?? {};
		for (const prompt of prompts) if (!found.has(prompt.token)) found.set(prompt.token, { prompt, room });
	}
	const { platform } = context;
	const narrow = {
		...context,
		platform: { ...platform, limits: { ...platform.limits, post: sectionLength } },
	};
	const sections: Reply[] = [];
	for (const [token, { room }] of [...found].slice(0, maxApprovals)) {
		const question = await findListed(context, token, { person, room });
		if (question === undefined) continue;
		const numbered = defined({ number: found.size > 1 ? sections.length + 1 : undefined });
		const { text, cut } = listedCard(narrow, question, { room, foot: "", ...numbered });
		sections.push({ text, controls: [listedButtons(context, question, { cut, ...numbered })] });
	}
	const more = found.size - maxApprovals;
	const [first] = places;
	if (more <= 0 || first === undefined) return sections;
	const command = platform.command("approvals", first.room);
	return [...sections, { text: homeTexts.waiting.more({ count: more, command }) }];
}

async function scheduleSection({ context }: HomeParts, { person, room }: Viewer): Promise<Reply> {
	const { gateway, platform, clock, onBehalf } = context;
	const now = clock.now();
	const params = { limit: 20, ...onBehalf(person, room) };
	const { schedules = [] } = (await ifAllowed(gateway.request("list_schedules", params))) ?? {};
	const { title: heading, none, line } = homeTexts.schedules;
	const all = schedules.map(({ title, when, next_due: due }) => {
		const next = due === undefined || isOnce(when) ? "" : platform.moment(Date.parse(due), now);
		return line({
			title: plainLine(title, maxTitle),
			when: plainWithTimes(when, maxTitle, { platform, from: now }),
			next: next === "" ? "" : scheduleTexts.list.next({ at: next }),
		});
	});
	const command = platform.command("schedule add", room);
	return { text: `${heading}\n${all.length === 0 ? none({ command }) : lines(all)}` };
}

async function trustSection(
	{ context }: HomeParts,
	{ person }: Viewer,
	places: readonly SeenPlace[],
): Promise<Reply> {
	const { gateway, platform, controls, clock, onBehalf } = context;
	const all: string[] = [];
	const buttons: Control[] = [];
	for (const { room, sessions } of places) {
		const params = { ended: false, ...onBehalf(person, room) };
		const { grants = [] } = (await ifAllowed(gateway.request("list_grants", params))) ?? {};
		for (const { grant_id: subject, expires_at } of grants) {
			const url = platform.linkTo?.(room);
			const { channel: name } = homeTexts.trust;
			const channel = url === undefined ? name : `[${name}](${url})`;
			const until = platform.moment(Date.parse(expires_at), clock.now());
			all.push(homeTexts.trust.line({ channel, until }));
			const session = sessions.find(({ state }) => state.trust.open?.id === subject)?.session;
			if (session === undefined) continue;
			const id = controls.write({ kind: "grant-end", session, subject });
			buttons.push({ type: "button", id, label: trustTexts.card.end, style: "danger" });
		}
	}
	const { title, none } = homeTexts.trust;
	const text = `${title}\n${all.length === 0 ? none : lines(all)}`;
	return buttons.length === 0
		? { text }
		: { text, controls: [buttons.slice(0, platform.limits.controlsPerRow)] };
}

function helpSection({ context: { platform } }: HomeParts, room: Room): Reply {
	const [task, schedule, help] = ["task new", "schedule add", "help"].map((name) =>
		platform.command(name, room),
	);
	return { text: homeTexts.help({ task: task ?? "", schedule: schedule ?? "", help: help ?? "" }) };
}

function lines(all: readonly string[]): string {
	const more = all.length - maxLines;
	return definedItems([
		...all.slice(0, maxLines),
		more > 0 ? homeTexts.more({ count: more }) : undefined,
	]).join("\n");
}
