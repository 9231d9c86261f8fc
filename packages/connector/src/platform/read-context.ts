import type { Person, ReadMessage, Room } from "./inbound-event.ts";

/** Request for the messages that belong to a request of a person. */
export interface ContextQuery {
	readonly room: Room;
	/** The requester. The result has only messages that this person may read now. */
	readonly person: Person;
	/** The message of the person. Without it, the newest messages are read. */
	readonly before?: string;
	/** Time of the request, in milliseconds since the epoch. */
	readonly at: number;
	/** Text of the request. It may contain links to other messages. */
	readonly text: string;
	/** Maximum number of earlier messages of a thread, and of a channel. 0: none. */
	readonly limits: { readonly thread: number; readonly channel: number };
}

/** Messages that belong to a request. */
export interface ReadContext {
	/** Oldest first. */
	readonly messages: readonly ReadMessage[];
	/** Whether the room has older messages. */
	readonly hasOlder: boolean;
	/** Set if the person may not read the earlier messages of the room. */
	readonly isRefused?: true;
}
