import { ParleyError } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { cardOf, type OpenQuestion } from "../conversation/questions/question.ts";
import { openQuestions, replyCardOf } from "../conversation/questions/questions.ts";
import type { InboundEventOf, Room } from "../platform/inbound-event.ts";
import type { KnownSession } from "../subscription/known-sessions.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import { recentMs } from "../subscription/subscriptions.ts";
import type { EventParts } from "./handler.ts";

/** The only open question of a thread. */
export interface OnlyPrompt {
	readonly session: string;
	readonly question: OpenQuestion;
	/** Whether the author of the message is the person whose work asks. */
	readonly isOwnTask: boolean;
	/** Whether only a button may answer it. */
	readonly alwaysAsk: boolean;
}

type Message = InboundEventOf<"message" | "edited">;
type Listed = MethodResult<"list_prompts">["prompts"][number];

/** Maximum number of listed questions: one more than allowed shows that there are several. */
const maxListed = 50;

/**
 * Returns the only open question of a thread or of direct messages, if its card was posted before the message. Undefined
 * in a channel outside of threads, and if there are no or several questions. The gateway confirms that there is no other.
 */
export async function onlyPromptOf(
	parts: EventParts,
	event: Message,
	task: string | undefined,
): Promise<OnlyPrompt | undefined> {
	const { room, person, at } = event;
	if (room.thread === undefined && room.kind !== "direct") return undefined;
	const [only, ...others] = await openIn(parts, room, task);
	if (only === undefined || others.length > 0) return undefined;
	const { session, question, card } = only;
	if (card === undefined || !(await wasPostedBefore(parts, card, at))) return undefined;
	const params = { session_id: session, limit: maxListed, ...parts.context.onBehalf(person, room) };
	const listed = await parts.context.gateway
		.request("list_prompts", params)
		.then(({ prompts }) => prompts, absent);
	const known = new Set(only.known);
	const isKnown = listed.every(({ token }) => known.has(token));
	const found = listed.find(({ token }) => token === question.token);
	if (!isKnown || found === undefined) return undefined;
	const own = `${parts.platform.name}:${room.tenant}:${person.id}`;
	return { session, question, isOwnTask: found.person === own, alwaysAsk: found.always_ask };
}

/** The person may not see the session, or it was deleted. */
function absent(reason: unknown): readonly Listed[] {
	const { code } = ParleyError.from(reason);
	if (code === "permission_denied" || code === "not_found") return [];
	throw reason;
}

interface Found {
	readonly session: string;
	readonly question: OpenQuestion;
	/** Its card; undefined if the card shows further calls. */
	readonly card: string | undefined;
	/** Tokens of all open questions of the session. */
	readonly known: readonly string[];
}

/** Open questions whose cards are in the thread: those of the task of the thread, or those of the sessions of the room. */
async function openIn(parts: EventParts, room: Room, task: string | undefined): Promise<readonly Found[]> {
	const { rooms, subscriptions, platform } = parts;
	await subscriptions.ready;
	const { thread, ...channel } = room;
	const hasTaskThreads = thread === undefined && (platform.hasThreads?.(room) ?? true);
	const isHere = (question: OpenQuestion): boolean =>
		task === undefined ? !(hasTaskThreads && question.task) : question.task === task;
	const found: Found[] = [];
	for (const known of rooms.knownIn(task === undefined ? room : channel)) {
		const read = (await mayAsk(parts, known)) && (await subscriptions.follow(known.id).catch(deleted));
		if (read) found.push(...questionsOf(read, isHere));
	}
	return found;
}

/**
 * Whether a session can have an open question. Directly after a start, a session with one may not be read yet, so recent and
 * current sessions are read here.
 */
async function mayAsk({ rooms, subscriptions, clock }: EventParts, known: KnownSession): Promise<boolean> {
	if (subscriptions.session(known.id) !== undefined) return true;
	return clock.now() - known.usedAt < recentMs || rooms.isCurrent(known.key);
}

function deleted(reason: unknown): undefined {
	if (ParleyError.from(reason).code !== "not_found") throw reason;
	return undefined;
}

function questionsOf(
	{ session, state: { questions } }: RoomSession,
	isHere: (question: OpenQuestion) => boolean,
): readonly Found[] {
	const open = openQuestions(questions);
	const known = open.map(({ token }) => token);
	return open.filter(isHere).map((question) => {
		const rows = replyCardOf(questions, question.token)?.rows ?? [];
		return { session, question, known, card: rows.length > 1 ? undefined : cardOf(question.token) };
	});
}

async function wasPostedBefore({ store, platform }: EventParts, card: string, at: number): Promise<boolean> {
	const row = await store.read((db) =>
		db.selectFrom("cards").select("remote").where("card", "=", card).executeTakeFirst(),
	);
	return row !== undefined && platform.postedAt(row.remote) < at;
}
