import type { Person, ReadMessage, Room } from "./inbound-event.ts";

/** Query for the messages that belong to a person's request. */
export interface ContextQuery {
	readonly room: Room;
	/** Author of the request. The result contains only messages that the author may read now. */
	readonly person: Person;
	/** Id of the person's message. Only earlier messages are read. Without it, the newest messages are read. */
	readonly before?: string;
	/** Time of the request, in milliseconds since the epoch. */
	readonly at: number;
	/** Text of the request. It may contain links to other messages. */
	readonly text: string;
	/** Maximum numbers of earlier messages, for a thread and for a channel. */
	readonly limits: { readonly thread: number; readonly channel: number };
}

/** Messages that belong to a request. */
export interface ReadContext {
	/** Messages, with the oldest first. */
	readonly messages: readonly ReadMessage[];
	/** Whether the room has older messages. */
	readonly hasOlder: boolean;
	/** Whether the platform refuses the earlier messages of the room to the person. */
	readonly isRefused?: true;
}
