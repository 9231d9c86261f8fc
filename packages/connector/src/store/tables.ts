import { type Generated, type GeneratedAlways, sql } from "kysely";

/**
 * State of an outbox row.
 * - `planned`: to be sent.
 * - `attempted`: a request is running.
 * - `unknown`: may be posted, so the next step is a repeat or a search: see `Outbox`.
 * - `held`: waits for a person's decision, or until its room is open again.
 * - `confirmed`: posted.
 * - `dead`: given up.
 */
export type DeliveryState = "planned" | "attempted" | "unknown" | "held" | "confirmed" | "dead";

export interface OutboxTable {
	/** Number of the row, in the order of planning. */
	position: GeneratedAlways<number>;
	/** Unique id, for example session, `seq` and index within the event. Therefore, an event cannot be planned twice. */
	id: string;
	session: string;
	seq: number;
	conversation: string;
	lane: string;
	/**
	 * Card of the post. The first row of a card creates the post, and later rows edit it. Null for a post that is never
	 * edited.
	 */
	card: string | null;
	/** Content as JSON: a `Posting`. */
	payload: string;
	/** Time of the event, in milliseconds since the epoch. */
	at: number;
	state: DeliveryState;
	attempts: number;
	/**
	 * Time of the first request since the row was last known not to be posted, in milliseconds since the epoch. Null
	 * before any request, or if the time is unknown.
	 */
	sent_at: Generated<number | null>;
	/** Message for operators about the state or the last failure; null without a reason. */
	reason: string | null;
	/** Id of the post on the platform; null while it is unknown. */
	remote: string | null;
	changed_at: number;
}

interface CardsTable {
	card: string;
	remote: string;
	changed_at: number;
}

interface CursorsTable {
	session: string;
	conversation: string;
	/** `seq` of the newest planned event, with or without rows. */
	seq: number;
	/**
	 * `seq` of the last event for which a connector with another database may have sent posts. For events up to
	 * this one, the platform is searched for each post before the post is sent.
	 */
	replayed_to: Generated<number>;
	/** `ConversationState` after the event `seq`, as JSON; null if no state is stored. */
	state: Generated<string | null>;
	/**
	 * External key of the session. The key identifies the room after the gateway has deleted the session. Null if
	 * no state is stored.
	 */
	external_key: Generated<string | null>;
	changed_at: number;
}

interface RoomsTable {
	/** External key of the room's first session. All external keys of the room begin with this key. */
	room: string;
	/** External key of the current session. */
	external_key: string;
	/**
	 * Idempotency key of the switch, so that a repeat does not switch again; `recovered` for a switch after a loss of
	 * the database.
	 */
	turned_by: string;
	changed_at: number;
}

interface MessagesTable {
	/** Id of the inbound event. */
	id: string;
	/** Platform id of the message, unique within the conversation. */
	message: string;
	conversation: string;
	/** Reason why the message was for the agent or not. */
	reason: string;
	effect: string;
	/** Author as JSON. */
	person: string;
	/** Time of the message on the platform, in milliseconds since the epoch. */
	at: number;
	/** Text of the message after its edit, if the edit was not sent to the agent. */
	text: string | null;
	session: string | null;
	run: string | null;
	changed_at: number;
}

/** State of an inbound event. `waiting`: to be handled. `done`: handled. `dead`: given up. */
export type InboundState = "waiting" | "done" | "dead";

interface InboundTable {
	/** Number of the row, in the order of arrival. */
	position: GeneratedAlways<number>;
	/** Id of the event: see `QueuedEvent`. A redelivered event has the same id. */
	id: string;
	conversation: string;
	data: string;
	state: InboundState;
	attempts: number;
	/** Message for operators about the last failure; null before any failure and after success. */
	reason: string | null;
	changed_at: number;
}

/** Decisions of other processes about held outbox rows and dead answers. */
interface DecisionsTable {
	/** Id of the outbox row. */
	id: string;
	/** Decision: 1 sends the row, and 0 drops it. */
	send: number;
	by: string;
	at: number;
}

/** Messages that answer questions. */
interface TypedTable {
	/** Id of the inbound event. */
	event: string;
	session: string;
	/** Token of the question. */
	token: string;
	/** Answer as JSON. */
	response: string;
	changed_at: number;
}

/** Messages that are part of an earlier message's request. */
interface JoinedTable {
	/** Id of the inbound event. */
	event: string;
	/** Id of the earlier message's inbound event. */
	first: string;
	/** Position in the request. */
	place: number;
	changed_at: number;
}

/** Choices that were made for requests: see `Choices`. */
interface ChoicesTable {
	/** Idempotency key of the request. */
	key: string;
	/** The choice as text, for example the id of an object. */
	choice: string;
	changed_at: number;
}

/** Database of a connector. If it is deleted, the connector continues with the data of the gateway and the platform. */
export interface ConnectorTables {
	outbox: OutboxTable;
	cards: CardsTable;
	cursors: CursorsTable;
	inbound: InboundTable;
	rooms: RoomsTable;
	heard: MessagesTable;
	decisions: DecisionsTable;
	typed: TypedTable;
	joined: JoinedTable;
	choices: ChoicesTable;
}

/** Condition for unsettled outbox rows. It has no parameters, so that the planner can use the index `outbox_open`. */
export const isOpen = sql<boolean>`state in ('planned', 'attempted', 'unknown', 'held')`;
