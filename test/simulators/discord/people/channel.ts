import { GatewayDispatchEvents, PermissionFlagsBits } from "discord-api-types/v10";
import type { PostState } from "../../chat/post-states.ts";
import { addUser, emitChannel } from "../platform/guilds.ts";
import { addMessage, announce } from "../platform/messages.ts";
import type { ChannelRecord, MessageRecord, ThreadRecord, UserRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { emitThread, settle } from "../platform/thread-state.ts";
import { renameThread } from "../platform/threads.ts";
import { typingNow } from "../platform/typing.ts";
import { isSeen, type Shown, show, statesOf } from "./shown.ts";
import { messageText } from "./transcript.ts";

type PermissionName = keyof typeof PermissionFlagsBits;

export class Channel {
	readonly #state: State;
	readonly record: ChannelRecord;

	constructor(state: State, record: ChannelRecord) {
		this.#state = state;
		this.record = record;
	}

	get id(): string {
		return this.record.id;
	}

	get name(): string {
		return this.record.name;
	}

	/**
	 * Returns the messages that the viewer sees, oldest first. Without a viewer, returns messages that all members of
	 * the channel see.
	 */
	shows(viewer?: { readonly id: string }): Shown[] {
		const seen = this.record.messages.filter((message) => isSeen(message, viewer));
		return seen.map((message) => show(this.#state, message));
	}

	last(viewer?: { readonly id: string }): Shown {
		const last = this.shows(viewer).at(-1);
		if (!last) throw new Error(`nothing is said in ${this.name}`);
		return last;
	}

	/** Returns the states of a message, even if it is deleted. Throws if the message never existed. */
	states({ id }: { readonly id: string }): PostState[] {
		const found = this.record.messages.find((message) => message.id === id);
		if (!found) throw new Error(`${this.name} has had no message ${id}`);
		return statesOf(this.#state, found);
	}

	/** Returns the messages that the viewer sees, as text. Each thread is below its message. */
	transcript(viewer?: { readonly id: string }): string {
		const lines = this.shows(viewer).flatMap((shown) => {
			const thread = this.record.thread ? undefined : this.#state.channels.get(shown.id);
			const inside = thread ? new Channel(this.#state, thread).transcript(viewer).split("\n").slice(1) : [];
			return [messageText(shown), ...inside.map((line) => `    | ${line}`.trimEnd())];
		});
		const head = this.record.thread ? `== ${this.name}` : `== #${this.name || "direct messages"}`;
		return [head, ...lines].join("\n");
	}

	typing(): string[] {
		return typingNow(this.#state, this.record).map(({ name }) => name);
	}

	/** Returns the threads of the channel, in order of creation. */
	threads(): Channel[] {
		const threads = [...this.#state.channels.values()].filter(({ parent }) => parent === this.record);
		return threads.map((thread) => new Channel(this.#state, thread));
	}

	thread(of: string | { readonly id: string }): Channel {
		const found = this.threads().find(({ id, name }) =>
			typeof of === "string" ? name === of : id === of.id,
		);
		if (!found) throw new Error(`${this.name} has no thread ${typeof of === "string" ? of : `of ${of.id}`}`);
		return found;
	}

	get archived(): boolean {
		settle(this.#state, this.record);
		return this.record.thread?.archived ?? false;
	}

	/** Sets the permissions of a member or a role in this channel. The role `@everyone` has the id of the guild. */
	permit(
		target: { readonly id: string },
		{
			allow = [],
			deny = [],
		}: { readonly allow?: readonly PermissionName[]; readonly deny?: readonly PermissionName[] },
	): void {
		const bits = (names: readonly PermissionName[]): bigint =>
			names.reduce((sum, name) => sum | PermissionFlagsBits[name], 0n);
		const type = this.#state.users.has(target.id) ? "member" : "role";
		this.record.overwrites.set(target.id, { id: target.id, type, allow: bits(allow), deny: bits(deny) });
		emitChannel(this.#state, this.record, GatewayDispatchEvents.ChannelUpdate);
	}

	archive({ locked = false } = {}): void {
		this.#setThread({ archived: true, archivedAt: this.#state.now(), locked });
	}

	lock(): void {
		this.#setThread({ locked: true });
	}

	reopen(): void {
		this.#setThread({ archived: false, archivedAt: this.#state.now(), locked: false });
	}

	get closed(): readonly ("locked" | "archived")[] {
		const { locked = false } = this.record.thread ?? {};
		return [...(locked ? (["locked"] as const) : []), ...(this.archived ? (["archived"] as const) : [])];
	}

	#setThread(change: Partial<ThreadRecord>): void {
		const { thread } = this.record;
		if (!thread) throw new Error(`${this.name} is no thread`);
		Object.assign(thread, change);
		emitThread(this.#state, this.record, GatewayDispatchEvents.ThreadUpdate);
	}

	/** Renames the channel or thread. If `by` is given and this is a thread, Discord adds a message about the new name. */
	rename(name: string, by?: { readonly user: UserRecord }): void {
		const { thread } = this.record;
		if (thread && by) {
			renameThread(this.#state, by.user, this.record, name);
			return;
		}
		this.record.name = name;
		if (thread) emitThread(this.#state, this.record, GatewayDispatchEvents.ThreadUpdate);
		else emitChannel(this.#state, this.record, GatewayDispatchEvents.ChannelUpdate);
	}

	delete(): void {
		const { thread, guild, parent, type } = this.record;
		if (!thread) emitChannel(this.#state, this.record, GatewayDispatchEvents.ChannelDelete);
		this.record.deleted = true;
		if (!thread || !guild || !parent) return;
		const d = { id: this.id, guild_id: guild.id, parent_id: parent.id, type };
		this.#state.emit({ t: GatewayDispatchEvents.ThreadDelete, d, intents: 1, channel: parent });
	}

	receives(name: string, text: string): Shown {
		const author = addUser(this.#state, name, true);
		const draft = { body: { content: text }, files: [] };
		const channel = this.record;
		const message = addMessage(this.#state, { author, channel, draft, webhookId: author.id });
		announce(this.#state, message, GatewayDispatchEvents.MessageCreate);
		return show(this.#state, message);
	}

	/** Adds a link preview as Discord does: the message changes, but is not marked as edited. */
	unfurls({ id }: { readonly id: string }): void {
		const message = this.#find(id);
		message.embeds = [{ type: "link" as never, url: "https://example.com/", title: "Example" }];
		announce(this.#state, message, GatewayDispatchEvents.MessageUpdate);
	}

	#find(id: string): MessageRecord {
		return this.#state.message(this.record, id);
	}
}
