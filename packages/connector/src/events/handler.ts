import { type Clock, defined, type Logger, type Store } from "@parley/base";
import type { Controls } from "../controls/controls.ts";
import type { InboundTurn } from "../inbound/inbox.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Reply, RoomContext, Said } from "../rooms/handler-context.ts";
import type { Effect } from "../rooms/heard.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { SeldomHeard } from "../rooms/seldom-heard.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** What arrivals are handled with. */
export interface ArrivalParts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: Outbox;
	readonly subscriptions: Subscriptions;
	readonly rooms: Rooms;
	readonly seldomHeard: SeldomHeard;
	readonly context: RoomContext;
	readonly controls: Controls;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
}

/** One arrival as it is handled: `key` begins the keys of all that it changes. */
export interface Turn {
	readonly isAgain: InboundTurn["isAgain"];
	readonly settle: InboundTurn["settle"];
	/** The arrival's id. */
	readonly id: string;
	readonly key: string;
}

/** What came of something that was said in a room. */
export interface Outcome {
	readonly effect: Effect;
	/** Answered in the room. */
	readonly reply?: Reply;
	/** The reply is one of those that a person gets once an hour. */
	readonly seldom?: true;
	/** What the message says since it was edited. */
	readonly text?: string;
	readonly session?: string;
	readonly run?: string;
}

/** The text of a message, and the files that did not reach the gateway. */
export function outcomeOf({ session, run, failures }: Said): Outcome {
	const list = failures.map((failure) => `- ${failure}`).join("\n");
	return {
		effect: "sent",
		session,
		...defined({
			run,
			reply: list === "" ? undefined : { text: `I could not take everything along:\n\n${list}` },
		}),
	};
}
