import { type Clock, defined, type Logger, type Store } from "@parley/base";
import type { Controls } from "../controls/controls.ts";
import type { Homes } from "../home/homes.ts";
import type { InboundTurn } from "../inbound/inbox.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { Reply, RoomContext, SendResult } from "../rooms/handler-context.ts";
import type { MessageHistory } from "../rooms/message-history.ts";
import type { Effect } from "../rooms/message-records.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";
import { fileTexts } from "../texts/messages.ts";
import type { DirectNotices } from "./direct-notices.ts";
import type { Joins } from "./joins.ts";
import type { Welcomes } from "./welcomes.ts";

export interface EventParts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: Outbox;
	readonly subscriptions: Subscriptions;
	readonly rooms: Rooms;
	readonly messageHistory: MessageHistory;
	readonly context: RoomContext;
	readonly welcomes: Welcomes;
	readonly directNotices: DirectNotices;
	readonly joins: Joins;
	readonly controls: Controls;
	readonly homes: Homes;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/** Handling of one inbound event. The idempotency keys of all changes begin with `key`. */
export interface Turn {
	readonly isRetry: InboundTurn["isRetry"];
	readonly settle: InboundTurn["settle"];
	readonly following: InboundTurn["following"];
	/** Id of the inbound event. */
	readonly id: string;
	readonly key: string;
}

export interface EventOutcome {
	readonly effect: Effect;
	/** Reply for the room or, with `private`, for the author. */
	readonly reply?: Reply;
	/** Whether only the author sees the reply, if the platform supports private replies. */
	readonly private?: true;
	/** Whether the reply explains to a person without access how to request access. */
	readonly explainsAccess?: true;
	/** Period in which a person gets at most one reply that has the same period, in each tenant. */
	readonly onceEach?: "hour" | "day";
	/** Text of the message after its edit, if the edit was not sent to the agent. */
	readonly text?: string;
	readonly session?: string;
	readonly run?: string;
	/** Room of the answer, if it is not the room of the message. */
	readonly room?: Room;
}

/** Returns the outcome for a sent message. The reply lists the files that the gateway did not get. */
export function outcomeOf({ session, run, failures }: SendResult): EventOutcome {
	const files = failures.map((failure) => `- ${failure}`).join("\n");
	return {
		effect: "sent",
		session,
		...defined({
			run,
			reply: files === "" ? undefined : { text: fileTexts.notSent({ files }) },
		}),
	};
}
