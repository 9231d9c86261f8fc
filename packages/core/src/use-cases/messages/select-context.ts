import { defined } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Tx } from "../../store/journal.ts";
import { stamp } from "../../store/tables.ts";
import { cutMessage, withinContextBudget } from "../../text/context-budget.ts";
import { type People, shownName } from "../../trust/people/people.ts";
import {
	type ContextFile,
	type ContextMessage,
	type ContextProblem,
	isEarlier,
	type MessageContext,
} from "../../vocabulary/message-context.ts";
import { type Actor, hasRole, type Principal } from "../../vocabulary/principal.ts";
import type { Taint } from "../../vocabulary/taint.ts";
import { storable } from "./storable.ts";

/** Messages that a client has read for a request, oldest first. */
export interface ReadContext {
	readonly messages: readonly ReadMessage[];
	/** Whether the channel has older messages. */
	readonly hasOlder: boolean;
	readonly problem?: ContextProblem;
}

interface ReadMessage extends Omit<ContextMessage, "author" | "cut"> {
	readonly author: Actor & {
		readonly bot: boolean;
		/**
		 * For a message that Parley wrote: `here` for a message from the session of the request, `elsewhere` for a message
		 * from a different session. Absent for other authors.
		 */
		readonly self?: "here" | "elsewhere";
	};
}

/** Read context in which each author is classified as `member`, `self` (Parley) or `other`. */
export interface ClassifiedContext extends Omit<ReadContext, "messages"> {
	readonly messages: readonly ClassifiedMessage[];
}

interface ClassifiedMessage extends Omit<ContextMessage, "cut"> {
	readonly elsewhere: boolean;
}

/** Maximum total bytes of the messages that were read for a request: about 20,000 tokens of 4 bytes. */
const maxBytes = 80_000;
/**
 * Maximum bytes of a post of Parley that the request replies to, if the session already contains the post. This part of
 * the post is enough to recognise the post.
 */
const pointerBytes = 200;

/**
 * Classifies the authors by their current roles. A bot, a guest or a person without access is `other`, and so is every
 * author if the principal has no person. Posts of Parley are `self`.
 */
export async function classifyAuthors(
	people: People,
	{ person, platform = "client" }: Principal,
	read: ReadContext,
): Promise<ClassifiedContext> {
	const isMember = new Map<string, boolean>();
	for (const { author } of read.messages) {
		if (isMember.has(author.id)) continue;
		const role = person && !author.bot ? await people.roleOfAuthor(author, person.place) : "stranger";
		isMember.set(author.id, hasRole({ role }, "member"));
	}
	const prefix = person ? `${person.place.platform}:${person.place.tenant}` : platform;
	const messages = read.messages.map(({ author, ...message }) => {
		const known = isMember.get(author.id) ? ("member" as const) : ("other" as const);
		const is = author.self === undefined ? known : ("self" as const);
		const named = { id: shownName(`${prefix}:${author.id}`), name: shownName(author.name), is };
		return { ...message, author: named, elsewhere: author.self === "elsewhere" };
	});
	return { ...read, messages };
}

/** Context of a run, and the messages to store with `recordRead`. */
export interface SelectedContext {
	readonly context: MessageContext;
	readonly read: readonly Pick<ContextMessage, "id" | "editedAt">[];
}

/**
 * Selects the read messages for the context of a run, up to `maxBytes`. Replied-to, forwarded, quoted and
 * linked messages have precedence, then the newest messages. Omits an earlier message that the session
 * already contains, unless it was edited after it was read.
 */
export async function selectContext(
	tx: Tx,
	session: Session,
	{ messages, hasOlder, problem }: ClassifiedContext,
): Promise<SelectedContext> {
	const has = await inSession(
		tx,
		session.id,
		messages.map(({ id }) => id),
	);
	const requested = messages.flatMap((message) => withoutKnown(message, has));
	const isContinued = messages.some(({ id, relation }) => isEarlier(relation) && has.messages.has(id));
	const cleaned = requested.map((message) => clean(message, session));
	const { chosen, isShort } = withinContextBudget(cleaned, maxBytes);
	const isMissing = isShort || (hasOlder && !isContinued);
	return {
		context: { messages: chosen, hasOlder: isMissing, ...defined({ problem }) },
		read: messages.filter(({ relation }) => isEarlier(relation) || relation === "reply"),
	};
}

/**
 * Records that the run received the messages in `read`. Replaces the records of these messages for earlier runs of the
 * session.
 */
export async function recordRead(
	tx: Tx,
	sessionId: string,
	runId: string,
	read: SelectedContext["read"],
): Promise<void> {
	for (const { id, editedAt = 0 } of new Map(read.map((one) => [one.id, one])).values()) {
		const row = { session_id: sessionId, message: id, edited_at: editedAt, run_id: runId, ...stamp };
		await tx
			.insertInto("read_messages")
			.values(row)
			.onConflict((conflict) =>
				conflict.columns(["session_id", "message"]).doUpdateSet({ edited_at: editedAt, run_id: runId }),
			)
			.execute();
	}
}

/**
 * Returns the taint of the context. Files, forwarded, quoted and linked messages, and text of authors who are not members
 * are untrusted. Parley's own text is also untrusted, because it may repeat untrusted text.
 */
export function taintOfContext({ messages }: MessageContext): Taint {
	const isUntrusted = messages.some(
		({ author, files, relation }) =>
			author.is !== "member" || files.length > 0 || (!isEarlier(relation) && relation !== "reply"),
	);
	return isUntrusted ? "U" : "";
}

interface Known {
	readonly createdAt: number;
	/**
	 * Edit time of each read message, by message id, as it was when the message was read. The value is 0 for an unedited
	 * message, and Infinity for a message that was sent to the session.
	 */
	readonly messages: ReadonlyMap<string, number>;
}

/**
 * Returns the creation time of the session, and the messages in `ids` that the session already contains. Ignores messages
 * of runs that ended without becoming active.
 */
async function inSession(tx: Tx, sessionId: string, ids: readonly string[]): Promise<Known> {
	const { created_at } = await tx
		.selectFrom("sessions")
		.select("created_at")
		.where("id", "=", sessionId)
		.executeTakeFirstOrThrow();
	const createdAt = Number(created_at);
	if (ids.length === 0) return { createdAt, messages: new Map() };
	const reached = tx
		.selectFrom("runs")
		.where("session_id", "=", sessionId)
		.where((eb) =>
			eb.or([
				eb("state", "<>", "ended"),
				eb.exists(
					eb
						.selectFrom("steps")
						.select("steps.n")
						.whereRef("steps.run_id", "=", "runs.id")
						.where("n", "=", 0),
				),
			]),
		);
	const read = await tx
		.selectFrom("read_messages")
		.select(["message", "edited_at"])
		.where("session_id", "=", sessionId)
		.where("message", "in", ids)
		.where("run_id", "in", reached.select("runs.id"))
		.execute();
	const sent = await reached.select("correlation").where("correlation", "in", ids).execute();
	const messages = new Map(read.map(({ message, edited_at }) => [message, Number(edited_at)]));
	for (const { correlation } of sent) messages.set(correlation ?? "", Number.POSITIVE_INFINITY);
	return { createdAt, messages };
}

function withoutKnown(
	{ elsewhere, ...message }: ClassifiedMessage,
	{ createdAt, messages }: Known,
): ContextMessage[] {
	const { id, author, relation, at, editedAt = 0 } = message;
	const isOwnHere = author.is === "self" && !elsewhere && at >= createdAt;
	if (isOwnHere && isEarlier(relation)) return [];
	if (isOwnHere && relation === "reply") return [cutMessage({ ...message, files: [] }, pointerBytes)];
	if (!isEarlier(relation)) return [message];
	const readAt = messages.get(id);
	return readAt === undefined || readAt < editedAt ? [message] : [];
}

/** Returns the message without known secrets. Each file name gets one line of visible characters. */
function clean(message: ContextMessage, { redactor }: Session): ContextMessage {
	const text = storable(redactor.redactKnown(message.text));
	const files = message.files.map(
		({ name, ...facts }): ContextFile => ({ ...facts, name: shownName(redactor.redactKnown(name)) }),
	);
	return { ...message, text, files };
}
