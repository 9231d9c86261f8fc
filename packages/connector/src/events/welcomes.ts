import type { Store } from "@parley/base";
import { sql } from "kysely";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEventOf, Person, Room, Ticket } from "../platform/inbound-event.ts";
import { Lookup, type LookupParts } from "../platform/lookup.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import type { Rooms } from "../rooms/rooms.ts";
import { readWelcome } from "../rooms/welcome.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { privateAnswer, roomAnswer } from "./answer-rows.ts";

/**
 * Prefix of the cursors of welcomes. These cursors are never deleted, so that each welcome is posted only
 * once.
 */
const welcomeCursor = "welcome:";
/** Maximum number of names in memory. Further names are read from the database. */
const maxKnown = 10_000;

export interface WelcomesParts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: Outbox;
	readonly rooms: Rooms;
	readonly context: RoomContext;
	readonly platform: ChatPlatform;
	readonly clock: LookupParts<boolean>["clock"];
}

/** A welcome. At most one welcome is posted for each `name`. */
interface Welcome {
	readonly name: string;
	readonly room: Room;
	readonly person: Person;
	/** Ticket for a post that only the person sees. */
	readonly ticket?: Ticket | undefined;
	/**
	 * Whether the bot was added to the channel. The post is then for the readers of the channel, not for the author of a
	 * message.
	 */
	readonly isInvited?: boolean;
}

/**
 * Welcomes each channel and each person once, at the first contact. The person is welcomed if the post can be private,
 * and otherwise the channel. Channels with sessions are not welcomed, nor are people with a handled message in the last
 * week.
 */
export class Welcomes {
	readonly #parts: WelcomesParts;
	/** Whether a name needs no further welcome. */
	readonly #done: Lookup<boolean>;

	constructor(parts: WelcomesParts) {
		this.#parts = parts;
		this.#done = new Lookup({ clock: parts.clock, max: maxKnown });
	}

	/**
	 * Welcomes the author or the channel of a message. Called before the message is handled, so that the welcome precedes
	 * the answer.
	 */
	async atMessage(event: InboundEventOf<"message" | "edited">): Promise<void> {
		const { room, person, message, seenBefore } = event;
		if (seenBefore) return;
		const ticket =
			room.kind === "direct" ? undefined : this.#parts.platform.ticketOf?.({ room, person, message });
		const isOfPerson = room.kind === "direct" || ticket !== undefined;
		const name = isOfPerson ? `person:${room.tenant}:${person.id}` : channelName(room);
		await this.#welcome({ name, room, person, ticket });
	}

	/** Welcomes the readers of a channel. Called when the bot was added to the channel. */
	async atInvitation({ room, person }: InboundEventOf<"invited">): Promise<void> {
		await this.#welcome({ name: channelName(room), room, person, isInvited: true });
	}

	async #welcome({ name, room, person, ticket, isInvited = false }: Welcome): Promise<void> {
		const { outbox, rooms, context, platform, clock } = this.#parts;
		const session = `${welcomeCursor}${name}`;
		if (await this.#done.find(name, async () => (await outbox.cursor(session)) > 0)) return;
		// After a loss of the database, the gateway still has the sessions.
		if (ticket === undefined && (await rooms.isUsed(room))) return this.#done.note(name, true);
		const { welcome } = await rooms.facts(person, room);
		if (welcome?.posts !== true) return;
		const conversation = ticket ? `ticket:${ticket.id}` : platform.conversation(room);
		const plan = { conversation, cursor: { session, seq: 1 } };
		if (ticket && (await this.#hasRecentMessage(person))) {
			await outbox.plan({ ...plan, rows: [] });
			return this.#done.note(name, true);
		}
		const content = await readWelcome(context, person, room);
		// A person without access gets instructions instead. The welcome follows at the first message with access.
		if (content === undefined || !(content.isKnown || isInvited)) return;
		const reply = { text: content.lines.join("\n") };
		const now = clock.now();
		const rows = ticket
			? privateAnswer(reply, { ticket, now }, platform)
			: roomAnswer(reply, { room, now }, platform);
		await outbox.plan({ ...plan, rows });
		this.#done.note(name, true);
	}

	async #hasRecentMessage({ id }: Person): Promise<boolean> {
		const row = await this.#parts.store.read((db) =>
			db
				.selectFrom("heard")
				.select("id")
				.where("effect", "not in", ["none", "refused"])
				// The JSON of a person begins with the id.
				.where(sql<string>`substr(person, 1, ${sql.lit(start(id).length)})`, "=", start(id))
				.limit(1)
				.executeTakeFirst(),
		);
		return row !== undefined;
	}
}

function start(id: string): string {
	return `{"id":${JSON.stringify(id)},`;
}

function channelName({ tenant, channel }: Room): string {
	return `channel:${tenant}:${channel}`;
}
