import { type Generated, type GeneratedAlways, sql } from "kysely";

/**
 * How far a row of the outbox has come. `planned`: to be sent. `attempted`: a request is out. `unknown`: perhaps
 * posted, nothing is sent before somebody has looked. `held`: waits for a person's decision. `confirmed` and `dead` are
 * the ends.
 */
export type DeliveryState = "planned" | "attempted" | "unknown" | "held" | "confirmed" | "dead";

export interface OutboxTable {
	/** The order in which rows were planned. */
	position: GeneratedAlways<number>;
	/** Made of session, `seq` and the place within that event, so that one event never plans two. */
	id: string;
	session: string;
	seq: number;
	conversation: string;
	lane: string;
	/** The post that is created by its first row and edited by the later ones; null for a post of its own. */
	card: string | null;
	/** What to show, as JSON; only the surface reads it. */
	payload: string;
	/** When what it tells happened. */
	at: number;
	state: DeliveryState;
	attempts: number;
	/** Time of the first request since the row was last known not to be posted; null before any request. */
	sent_at: Generated<number | null>;
	/** Why it is held or dead, or why the last attempt failed; for operators. */
	reason: string | null;
	/** The platform's id of the post. */
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
	/** The newest event of the session whose rows are planned. */
	seq: number;
	/** The last event that another database may have shown already: up to it posts are looked for before they are sent. */
	replayed_to: Generated<number>;
	/** The `ConversationState` after that event, as JSON; null where there is none. */
	state: Generated<string | null>;
	/** Says which room the session is of, as long as the gateway no longer does; null where there is no state. */
	external_key: Generated<string | null>;
	changed_at: number;
}

interface RoomsTable {
	/** The first external key of a room, which all of its sessions begin with. */
	room: string;
	/** Of the session that is talked to there at the moment. */
	external_key: string;
	/** What has turned the room to it, so that a second time turns it to no other. */
	turned_by: string;
	changed_at: number;
}

interface HeardTable {
	/** The inbound event's. */
	id: string;
	/** The platform's, within the conversation. */
	message: string;
	conversation: string;
	/** Whether it was for us, and why. */
	reason: string;
	/** What came of it. */
	effect: string;
	/** Who said it, as JSON. */
	person: string;
	/** When it was said there. */
	at: number;
	/** What it said after it was edited, while nobody has asked for that to be answered. */
	text: string | null;
	session: string | null;
	run: string | null;
	changed_at: number;
}

/** `waiting` to be handled; `done`; `dead`: the handler refused it each time. */
export type InboundState = "waiting" | "done" | "dead";

interface InboundTable {
	/** The order in which they came. */
	position: GeneratedAlways<number>;
	/** The platform's, with tenant and place: what comes again has the same. */
	id: string;
	conversation: string;
	data: string;
	state: InboundState;
	attempts: number;
	/** Why the last attempt failed; for operators. */
	reason: string | null;
	changed_at: number;
}

/** What was decided of held rows of the outbox by another process than the one that sends them. */
interface DecisionsTable {
	/** The row's. */
	id: string;
	/** 1: it is sent after all; 0: never. */
	send: number;
	by: string;
	at: number;
}

/** The database of a connector. It holds no truth: deleted, it is rebuilt from the gateway and the platform. */
export interface ConnectorTables {
	outbox: OutboxTable;
	cards: CardsTable;
	cursors: CursorsTable;
	inbound: InboundTable;
	rooms: RoomsTable;
	heard: HeardTable;
	decisions: DecisionsTable;
}

/** Of rows of the outbox: what is not settled. Without parameters, so that it is seen to be what `outbox_open` holds. */
export const isOpen = sql<boolean>`state in ('planned', 'attempted', 'unknown', 'held')`;
