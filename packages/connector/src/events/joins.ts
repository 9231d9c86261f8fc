import { type Clock, parseJson, type Store } from "@parley/base";
import { maxRequestBytes } from "@parley/protocol";
import { isStopWord, isTextCommand } from "../commands/text-command.ts";
import { readDecision } from "../conversation/questions/typed-answer.ts";
import type { InboundTurn } from "../inbound/inbox.ts";
import { InboundEvent, type InboundEventOf, type ReadMessage } from "../platform/inbound-event.ts";
import { isJoined, readJoined, writeJoinedRecords } from "../rooms/joined-records.ts";
import type { ConnectorTables } from "../store/tables.ts";

type Message = InboundEventOf<"message" | "edited">;

interface Turn extends Pick<InboundTurn, "isRetry" | "following"> {
	/** Id of the inbound event. */
	readonly id: string;
}

/** A message with the id of its inbound event. */
export interface JoinedEvent {
	readonly id: string;
	readonly event: Message;
}

/** Maximum number of waiting events to examine for one message. */
const maxExamined = 20;
const maxAttachments = 20;
/** Maximum size in bytes of the text of several joined messages. */
const maxTextBytes = maxRequestBytes / 2;

/**
 * Returns how many milliseconds an inbound event waits for further messages of its author: `windowMs` for a message
 * that may be a request, otherwise 0.
 */
export function joinDelayMs(data: unknown, windowMs: number): number {
	const event = InboundEvent.safeParse(data).data;
	if (event?.type !== "message" || event.person.bot || event.seenBefore || event.address.others) return 0;
	const isQuick = isStopWord(event.text) || isTextCommand(event.text) || readDecision(event.text, true);
	return isQuick ? 0 : windowMs;
}

function isRequest({ text, attachments }: Message): boolean {
	return !isTextCommand(text) && !isStopWord(text) && (text.trim() !== "" || attachments.length > 0);
}

/** Joins the messages that a person sends within a short time into one request. */
export class Joins {
	readonly #store: Store<ConnectorTables>;
	readonly #clock: Clock;
	readonly #windowMs: number;
	/** Pending decisions by event id: whether an earlier message includes the event. */
	readonly #pending = new Map<string, Promise<boolean>>();

	constructor(parts: {
		readonly store: Store<ConnectorTables>;
		readonly clock: Clock;
		/** Time in milliseconds in which messages are joined. 0: no messages are joined. */
		readonly windowMs: number;
	}) {
		this.#store = parts.store;
		this.#clock = parts.clock;
		this.#windowMs = parts.windowMs;
	}

	/** Whether the event of the turn was joined to an earlier message. Such an event needs no further handling. */
	async includes({ id, isRetry }: Turn): Promise<boolean> {
		const pending = this.#pending.get(id);
		this.#pending.delete(id);
		if (await pending) return true;
		return isRetry && (await this.#store.read((db) => isJoined(db, id)));
	}

	/**
	 * Reserves the waiting messages that may become part of the request of `event`. Reserved messages are not
	 * handled separately. Call `reserve` before any other work, and `close` at the end.
	 */
	reserve(event: Message, turn: Turn): Reservation {
		const isFirst = this.#windowMs > 0 && event.type === "message" && !turn.isRetry && isRequest(event);
		const waiting = isFirst ? turn.following().slice(0, maxExamined) : [];
		const read = waiting.flatMap(({ id, data }) => {
			const inbound = InboundEvent.safeParse(data).data;
			return inbound === undefined ? [] : [{ id, inbound }];
		});
		const deleted = new Set(
			read.flatMap(({ inbound }) => (inbound.type === "deleted" ? [inbound.message] : [])),
		);
		const events = deleted.has(event.message)
			? []
			: read.flatMap(({ id, inbound }): JoinedEvent[] => {
					const isMessage = inbound.type === "message" || inbound.type === "edited";
					if (!isMessage || deleted.has(inbound.message)) return [];
					return this.#mayBelong(event, inbound) ? [{ id, event: inbound }] : [];
				});
		const decided = Promise.withResolvers<ReadonlySet<string>>();
		for (const { id } of events)
			this.#pending.set(
				id,
				decided.promise.then((ids) => ids.has(id)),
			);
		return new Reservation({
			store: this.#store,
			clock: this.#clock,
			event,
			turn,
			events,
			decide: decided.resolve,
		});
	}

	#mayBelong({ person, room, message, at }: Message, other: Message): boolean {
		if (other.person.id !== person.id || other.person.bot || other.seenBefore === true) return false;
		if (other.room.tenant !== room.tenant || other.room.channel !== room.channel) return false;
		// In Slack, a message outside of threads begins its own thread.
		const beginBoth = room.thread === message && other.room.thread === other.message;
		if (other.room.thread !== room.thread && !beginBoth) return false;
		return other.type === "edited" || other.at - at <= this.#windowMs;
	}
}

interface ReservationParts {
	readonly store: Store<ConnectorTables>;
	readonly clock: Clock;
	readonly event: Message;
	readonly turn: Turn;
	/** Waiting messages and edits of the author of `event`, in order of arrival. */
	readonly events: readonly JoinedEvent[];
	readonly decide: (ids: ReadonlySet<string>) => void;
}

/** Content of one request. */
export interface JoinedContent {
	/** Platform id of the last message in the request. */
	readonly message: string;
	readonly messages: readonly string[];
	readonly text: string;
	readonly attachments: Message["attachments"];
	readonly referenced: readonly ReadMessage[];
}

/** Reservation of waiting messages that may become part of one message's request. */
export class Reservation {
	readonly #parts: ReservationParts;
	#joined: readonly JoinedEvent[] = [];

	constructor(parts: ReservationParts) {
		this.#parts = parts;
	}

	get joined(): readonly JoinedEvent[] {
		return this.#joined;
	}

	/**
	 * Decides durably which messages belong to the request, and returns the content of the request. After a
	 * restart, repeats the earlier decision. `belongs` returns whether a message alone would be a request in the
	 * same session.
	 */
	async join(belongs: (event: Message) => Promise<boolean>): Promise<JoinedContent> {
		const { event, turn, store, clock } = this.#parts;
		this.#joined = turn.isRetry ? await this.#stored() : await this.#chosen(belongs);
		if (!turn.isRetry && this.#joined.length > 0) {
			const events = this.#joined.map(({ id }) => id);
			await store.commit((tx) => writeJoinedRecords(tx, { first: turn.id, events }, clock.now()));
		}
		this.close();
		return contentOf([event, ...this.#joined.map((one) => one.event)]);
	}

	/** Releases the reserved messages that the request does not include. */
	close(): void {
		this.#parts.decide(new Set(this.#joined.map(({ id }) => id)));
	}

	async #chosen(belongs: (event: Message) => Promise<boolean>): Promise<readonly JoinedEvent[]> {
		const { event, events } = this.#parts;
		const chosen: JoinedEvent[] = [];
		for (const one of events) {
			const all = [event, ...chosen.map((other) => other.event)];
			const isKnown = all.some(({ message }) => message === one.event.message);
			// The edit of an earlier message is handled separately, and later messages wait for it.
			if (!isRequest(one.event) || (one.event.type === "edited" && !isKnown)) break;
			const { text, attachments } = contentOf([...all, one.event]);
			if (Buffer.byteLength(text) > maxTextBytes || attachments.length > maxAttachments) break;
			if (!isKnown && !(await belongs(one.event))) break;
			chosen.push(one);
		}
		return chosen;
	}

	async #stored(): Promise<readonly JoinedEvent[]> {
		const { store, turn } = this.#parts;
		const rows = await store.read((db) => readJoined(db, turn.id));
		return rows.flatMap(({ id, data }) => {
			const event = InboundEvent.safeParse(parseJson(data)).data;
			return event?.type === "message" || event?.type === "edited" ? [{ id, event }] : [];
		});
	}
}

function contentOf(events: readonly Message[]): JoinedContent {
	const versions = new Map<string, Message>();
	// An edit replaces its message.
	for (const event of events) versions.set(event.message, event);
	const all = [...versions.values()];
	return {
		message: all.at(-1)?.message ?? "",
		messages: [...versions.keys()],
		text: all.map(({ text }) => text).join("\n"),
		attachments: all.flatMap(({ attachments }) => attachments),
		referenced: all.flatMap(({ referenced = [] }) => referenced),
	};
}
