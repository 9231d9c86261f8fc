import { type Clock, defined, type Logger } from "@parley/base";
import type { Malformed, Room } from "@parley/connector";
import type * as z from "zod";
import { audienceTexts } from "../texts/audience.ts";
import { conversationOf } from "../vocabulary/conversation.ts";
import { messageId } from "../vocabulary/message-id.ts";
import type { OwnAccount } from "../vocabulary/slack-port.ts";
import { type AudienceChange, audienceChanges, channelChanges, reopenings } from "./audience.ts";
import type { Channels, EventChannel } from "./channels.ts";
import type { Files } from "./files.ts";
import type { Incoming, Translated } from "./incoming.ts";
import { MentionPairs } from "./mention-pairs.ts";
import { isOwn, type Messages } from "./messages.ts";
import type { Outdated } from "./outdated.ts";
import type { People } from "./people.ts";
import { readAddress } from "./text.ts";
import type { Threads } from "./threads.ts";
import type { Viewed } from "./viewed.ts";
import {
	Changed,
	ChangedId,
	ContextChanged,
	Deleted,
	HomeOpened,
	Member,
	Message,
	OfChannel,
	Outer,
	Reaction,
	Retitled,
	Stopped,
	User,
	Where,
} from "./wire.ts";
import { isForSelf } from "./workspace.ts";

export interface IntakeParts {
	readonly self: OwnAccount;
	readonly people: People;
	readonly channels: Channels;
	readonly threads: Threads;
	readonly files: Files;
	readonly messages: Messages;
	readonly outdated: Outdated;
	readonly viewed: Viewed;
	readonly malformed: Malformed;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Outer event of a delivery. `isLast`: Slack does not redeliver the event. */
type Delivered = Outer & { readonly isLast: boolean };
type Handler = (event: Outer["event"], outer: Delivered) => Translated | Promise<Translated>;

/**
 * Subtypes of messages that people and apps write. Slack itself writes messages of all other subtypes:
 * https://docs.slack.dev/reference/events/message#subtypes
 */
const written: ReadonlySet<string | undefined> = new Set([
	undefined,
	"file_share",
	"thread_broadcast",
	"me_message",
	"bot_message",
]);

/**
 * Subtypes of messages that report a join. After a disconnection, only these messages report a join, because the
 * history of a channel contains only messages.
 */
const joins: ReadonlySet<string | undefined> = new Set(["channel_join", "group_join"]);

/** Names of the emoji ❌ and 🔁, and of similar emoji. */
const signs: ReadonlyMap<string, "stop" | "again"> = new Map([
	...(["x", "no_entry", "octagonal_sign"] as const).map((name) => [name, "stop"] as const),
	...(["repeat", "arrows_counterclockwise"] as const).map((name) => [name, "again"] as const),
]);

/** Tabs of the app's home: https://docs.slack.dev/reference/events/app_home_opened */
const tabs: ReadonlyMap<string, "page" | "messages"> = new Map([
	["home", "page"],
	["messages", "messages"],
]);

const remembered = { ignored: "the event only updates cached data" };

/** Translates Slack's events into inbound events. Only reads from Slack. */
export class Intake {
	readonly #parts: IntakeParts;
	readonly #twins: MentionPairs;

	constructor(parts: IntakeParts) {
		this.#parts = parts;
		this.#twins = new MentionPairs(parts.clock);
	}

	/**
	 * Translates an event. Ignores and logs invalid events. Rejects with `unavailable` if Slack does not respond to a
	 * required request within a second. The caller must then let Slack redeliver the event. With `isLast`, a message
	 * is translated with the known data instead.
	 */
	async translate(body: unknown, isLast = false): Promise<Translated> {
		const { malformed, self } = this.#parts;
		const read = malformed.read("event", Outer, body);
		if (read === undefined) return unreadable("envelope");
		const { event, authorizations } = read;
		const isForWorkspace = !authorizations?.length || authorizations.some((one) => isForSelf(one, self));
		if (!isForWorkspace) return { ignored: "the event belongs to another workspace" };
		const outer = { ...read, isLast };
		const change = audienceChanges.get(event.type);
		if (change) return this.#ofChannel(change, event, outer);
		if (channelChanges.has(event.type)) return this.#channelChanged(event);
		if (reopenings.has(event.type)) return this.#reopened(event, outer);
		const handle = this.#handlers.get(event.type);
		return handle === undefined ? { ignored: `${event.type} is not used` } : handle(event, outer);
	}

	readonly #handlers: ReadonlyMap<string, Handler> = new Map(
		Object.entries<Handler>({
			message: (event, outer) => this.#message(event, outer),
			app_mention: (event, outer) => this.#posted(event, outer),
			reaction_added: (event, outer) => this.#reaction(event, outer),
			agent_session_stopped: (event, outer) => this.#stopped(event, outer),
			agent_session_title_changed: (event, outer) => this.#retitled(event, outer),
			app_context_changed: (event) => this.#viewed(event),
			app_home_opened: (event, outer) => this.#homeOpened(event, outer),
			member_joined_channel: (event, outer) => this.#joined(event, outer),
			member_left_channel: (event, outer) => this.#left(event, outer),
			channel_id_changed: (event, outer) => this.#idChanged(event, outer),
			user_change: (event) => this.#userChanged(event),
		}),
	);

	async #message(event: Outer["event"], outer: Delivered): Promise<Translated> {
		const subtype = typeof event["subtype"] === "string" ? event["subtype"] : undefined;
		if (subtype === "message_changed") return this.#changed(event, outer);
		if (subtype === "message_deleted") return this.#deleted(event);
		const change = subtype === undefined ? undefined : audienceChanges.get(subtype);
		if (change) return this.#ofChannel(change, event, outer);
		if (joins.has(subtype)) return this.#joined(event, outer);
		if (!written.has(subtype))
			return { ignored: `messages of subtype ${subtype} are system messages of Slack` };
		return this.#posted(event, outer);
	}

	async #posted(event: Outer["event"], outer: Delivered): Promise<Translated> {
		// A message that is read later may already contain its edit.
		const type = event["edited"] ? "edited" : "message";
		const where = this.#read(event, Where);
		const message = where && this.#read(event, Message);
		if (where === undefined || message === undefined) return unreadable(event.type);
		if (isOwn(message, this.#parts.self)) return { ignored: "the bot wrote the message itself" };
		const context = event["app_context"];
		if (message.user && context !== undefined) this.#parts.viewed.note(message.user, context);
		const source = eventChannel(where, outer);
		const arriving = this.#current(type, source, message, outer.isLast);
		if (event.type === "message") return this.#mentionMessage(where.channel, message, arriving);
		if (message.files?.length) return arriving;
		arriving.catch(() => undefined);
		return this.#twins.either(pairKey(where.channel, message), async () => {
			// A later message event is ignored as a duplicate, so the files are read here.
			const id = messageId(where.channel, message.ts);
			const beside = await this.#parts.files.attachedTo(id, outer.isLast);
			return beside ? this.#current(type, source, { ...message, ...beside }, outer.isLast) : arriving;
		});
	}

	#mentionMessage(channel: string, message: Message, arriving: Promise<Translated>): Promise<Translated> {
		const isMention = readAddress(message.text, this.#parts.self.user).us;
		// A mention event may lack files, so it waits for the message event.
		if (isMention) this.#twins.noteMessage(pairKey(channel, message), arriving);
		return arriving;
	}

	async #changed(event: Outer["event"], outer: Delivered): Promise<Translated> {
		// Slack also sends this event for link previews, for replies, and for the deletion of a message with replies.
		const changed = this.#read(event, Changed);
		if (changed === undefined) return unreadable("message_changed");
		const { message, previous_message: before, channel } = changed;
		if (isOwn(message, this.#parts.self)) return { ignored: "the bot wrote the message itself" };
		if (message.subtype === "tombstone") return this.#messageDeleted(channel, message.ts, message.thread_ts);
		if (!written.has(message.subtype)) return { ignored: "the message is a system message of Slack" };
		const { edited, text } = message;
		const isEdit = edited && edited.ts !== before?.edited?.ts && (!before || before.text !== text);
		if (!isEdit) return { ignored: "the text of the message is unchanged" };
		return this.#mentionMessage(
			channel,
			message,
			this.#current("edited", eventChannel(changed, outer), message, outer.isLast),
		);
	}

	async #current(
		type: "message" | "edited",
		source: EventChannel,
		message: Message,
		isLast: boolean,
	): Promise<Translated> {
		const { messages, outdated } = this.#parts;
		const version = type === "edited" ? message.edited?.ts : undefined;
		const incoming = await messages.arrived(type, source, message, isLast);
		// This check is last, so that it includes changes during the requests to Slack.
		const isOld = await outdated(messageId(source.channel, message.ts), version);
		return isOld ? { ignored: "the message was edited or deleted later" } : [incoming];
	}

	async #deleted(event: Outer["event"]): Promise<Translated> {
		const deleted = this.#read(event, Deleted);
		if (deleted === undefined) return unreadable("message_deleted");
		const { channel, deleted_ts: ts, previous_message: before } = deleted;
		return this.#messageDeleted(channel, ts, before?.thread_ts);
	}

	async #messageDeleted(channel: string, ts: string, thread_ts: string | undefined): Promise<Translated> {
		const { channels, threads, clock } = this.#parts;
		const message = messageId(channel, ts);
		const room =
			thread_ts === undefined
				? await channels.roomWith({ channel }, await threads.threadOf(channel, ts))
				: await channels.roomOf({ channel }, { ts, thread_ts });
		const inbound = { type: "deleted", room, message, at: clock.now() } as const;
		return [{ inbound, key: { id: `deleted:${message}`, conversation: conversationOf(room) } }];
	}

	async #reaction(event: Outer["event"], { event_id, ...outer }: Outer): Promise<Translated> {
		const sign = typeof event["reaction"] === "string" ? signs.get(event["reaction"]) : undefined;
		if (sign === undefined) return { ignored: "the reaction has no meaning for the connector" };
		const reaction = this.#read(event, Reaction);
		if (reaction === undefined) return unreadable("reaction_added");
		const { user, item } = reaction;
		const { self, people, channels, threads, clock } = this.#parts;
		if (user === self.user) return { ignored: "the bot added the reaction itself" };
		if (item.type !== "message") return { ignored: "the reaction is not to a message" };
		const { channel, ts } = item;
		const source = { channel, shared: outer.is_ext_shared_channel === true };
		const [person, room] = await Promise.all([
			people.find(user),
			threads.threadOf(channel, ts).then((thread) => channels.roomWith(source, thread)),
		]);
		const message = messageId(channel, ts);
		const inbound = { type: "reaction", room, person, message, sign, at: clock.now() } as const;
		return [{ inbound, key: { id: `reaction:${event_id}`, conversation: conversationOf(room) } }];
	}

	/** Translates a press of the stop button that Slack shows with the status line of a thread. */
	async #stopped(event: Outer["event"], { event_id, ...outer }: Outer): Promise<Translated> {
		const stopped = this.#read(event, Stopped);
		if (stopped === undefined) return unreadable(event.type);
		const { people, channels, clock } = this.#parts;
		const { user, channel, thread_ts } = stopped;
		const source = { channel, shared: outer.is_ext_shared_channel === true };
		const [person, room] = await Promise.all([people.find(user), channels.roomWith(source, thread_ts)]);
		const inbound = { type: "stop", room, person, at: clock.now() } as const;
		return [{ inbound, key: { id: `stop:${event_id}`, conversation: conversationOf(room) } }];
	}

	async #retitled(event: Outer["event"], { event_id, ...outer }: Outer): Promise<Translated> {
		const retitled = this.#read(event, Retitled);
		if (retitled === undefined) return unreadable(event.type);
		const { self, people, channels, clock } = this.#parts;
		const { user, channel, thread_ts, title } = retitled;
		if (user === self.user) return { ignored: "the bot changed the title itself" };
		const source = { channel, shared: outer.is_ext_shared_channel === true };
		const [person, room] = await Promise.all([people.find(user), channels.roomWith(source, thread_ts)]);
		const inbound = { type: "retitled", room, person, title, at: clock.now() } as const;
		return [{ inbound, key: { id: `retitled:${event_id}`, conversation: conversationOf(room) } }];
	}

	async #viewed(event: Outer["event"]): Promise<Translated> {
		const changed = this.#read(event, ContextChanged);
		if (changed === undefined) return unreadable(event.type);
		this.#parts.viewed.note(changed.user, changed.context);
		return remembered;
	}

	async #homeOpened(event: Outer["event"], { event_id }: Outer): Promise<Translated> {
		const opened = this.#read(event, HomeOpened);
		if (opened === undefined) return unreadable(event.type);
		const tab = tabs.get(opened.tab ?? "");
		if (tab === undefined) return { ignored: `the tab "${opened.tab}" is unknown` };
		const { people, channels, clock } = this.#parts;
		const { user, channel } = opened;
		const [person, room] = await Promise.all([people.find(user), channels.roomWith({ channel })]);
		const inbound = { type: "home", room, person, tab, at: clock.now() } as const;
		return [{ inbound, key: { id: `home:${event_id}`, conversation: conversationOf(room) } }];
	}

	async #joined(event: Outer["event"], outer: Outer): Promise<Translated> {
		const member = this.#read(event, Member);
		if (member === undefined) return unreadable(event.type);
		const { event_id } = outer;
		const { user, channel, inviter } = member;
		if (user === this.#parts.self.user) return this.#invited(event, outer, { channel, inviter });
		const person = await this.#parts.people.find(user);
		if (!person.guest) return { ignored: "the person who joined is not a guest" };
		return this.#audience({ change: audienceTexts.guestJoined }, channel, event_id);
	}

	async #invited(
		event: Outer["event"],
		{ is_ext_shared_channel: shared }: Outer,
		{ channel, inviter }: { readonly channel: string; readonly inviter: string | undefined },
	): Promise<Translated> {
		this.#channelChanged(event);
		if (inviter === undefined) return remembered;
		const { people, channels, clock } = this.#parts;
		const source = { channel, shared: shared === true };
		const [person, room] = await Promise.all([people.find(inviter), channels.roomWith(source, undefined)]);
		const inbound = { type: "invited", room, person, at: clock.now() } as const;
		// Slack reports an invitation with an event and with a message. Only the first report with this key is used.
		return [{ inbound, key: { id: `invited:${channel}`, conversation: conversationOf(room) } }];
	}

	#left(event: Outer["event"], { event_id }: Outer): Translated {
		const member = this.#read(event, Member);
		if (member === undefined) return unreadable(event.type);
		if (member.user !== this.#parts.self.user) return { ignored: "a person left the channel" };
		return this.#audience({ change: audienceTexts.removedFromChannel, gone: true }, member.channel, event_id);
	}

	#idChanged(event: Outer["event"], { event_id }: Outer): Translated {
		const changed = this.#read(event, ChangedId);
		if (changed === undefined) return unreadable(event.type);
		const change = { change: audienceTexts.replaced, gone: true } as const;
		return this.#audience(change, changed.old_channel_id, event_id);
	}

	#ofChannel(change: AudienceChange, event: Outer["event"], { event_id }: Outer): Translated {
		const channel = this.#read(event, OfChannel)?.channel;
		return channel === undefined ? unreadable(event.type) : this.#audience(change, channel, event_id);
	}

	#audience({ change, gone, deleted }: AudienceChange, channel: string, event: string): Translated {
		const { channels, clock } = this.#parts;
		const room: Room = channels.roomOfChannel(channel);
		channels.forget(channel);
		const inbound = {
			type: "audience",
			room,
			change,
			at: clock.now(),
			...defined({ gone, deleted }),
		} as const;
		const incoming: Incoming = {
			inbound,
			key: { id: `audience:${event}`, conversation: conversationOf(room) },
		};
		return [incoming];
	}

	#channelChanged(event: Outer["event"]): Translated {
		const channel = this.#read(event, OfChannel)?.channel;
		if (channel === undefined) return unreadable(event.type);
		this.#parts.channels.forget(channel);
		return remembered;
	}

	#reopened(event: Outer["event"], { event_id }: Outer): Translated {
		const channel = this.#read(event, OfChannel)?.channel;
		if (channel === undefined) return unreadable(event.type);
		const { channels, clock } = this.#parts;
		const room = channels.roomOfChannel(channel);
		channels.forget(channel);
		const key = { id: `reopened:${event_id}`, conversation: conversationOf(room) };
		return [{ inbound: { type: "reopened", room, at: clock.now() }, key }];
	}

	#userChanged(event: Outer["event"]): Translated {
		const user = this.#parts.malformed.read("user_change", User, event["user"]);
		if (user === undefined) return unreadable("user_change");
		this.#parts.people.note(user);
		return remembered;
	}

	#read<T>(event: Outer["event"], schema: z.ZodType<T>): T | undefined {
		return this.#parts.malformed.read(event.type, schema, event);
	}
}

/** Returns the key that a message and its mention event share. An edit has another key. */
function pairKey(channel: string, { ts, edited }: Message): string {
	return `${messageId(channel, ts)}:${edited?.ts ?? ""}`;
}

function eventChannel(
	{ channel, channel_type }: Where,
	{ is_ext_shared_channel: shared }: Outer,
): EventChannel {
	return { channel, channel_type, shared: shared === true };
}

function unreadable(event: string): Translated {
	return { ignored: `the data of the event ${event} is invalid` };
}
