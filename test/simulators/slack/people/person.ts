import { controlsOf, isButton, isChoice, labelOf, optionsOf, type SeenControl } from "../blocks/controls.ts";
import { addFile } from "../platform/files.ts";
import { openHome, startAssistant, viewChannel } from "../platform/home.ts";
import { beginInteraction } from "../platform/interactions.ts";
import { messageId } from "../platform/message-id.ts";
import { addMessage, announce, changeMessage, removeMessage, threadOf } from "../platform/messages.ts";
import { addReaction, removeReaction } from "../platform/reactions.ts";
import type { ChannelRecord, FileRecord, MessageRecord, UserRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import { openConversation } from "../platform/rooms.ts";
import { retitleSession } from "../platform/sessions.ts";
import type { State } from "../platform/state.ts";
import { stopSession } from "../platform/statuses.ts";
import { forwardShape } from "../shapes/messages.ts";
import { viewShape } from "../shapes/views.ts";
import { Channel, promptsIn } from "./channel.ts";
import { type CommandOptions, runCommand, runShortcut } from "./commanding.ts";
import { compose } from "./composer.ts";
import { emojiName } from "./emoji.ts";
import { formState } from "./form-state.ts";
import { chooseOptions, type Pressing, pressButton, pressHome } from "./pressing.ts";
import { SentInteraction } from "./sent-interaction.ts";
import { isSeen, type Shown, type ShownHome, show, showHome } from "./shown.ts";

export interface PersonOptions {
	/**
	 * Kind of guest. `true` and `several channels` mean a multi-channel guest, and `one channel` means a
	 * single-channel guest.
	 */
	readonly guest?: boolean | "several channels" | "one channel";
	/** Whether the user is the bot of another app. */
	readonly bot?: boolean;
	readonly admin?: boolean;
	readonly owner?: boolean;
	/** Locale, for example `de-DE`. By default, `en-US`. */
	readonly locale?: string;
}

export interface File {
	readonly name: string;
	readonly content: string | Uint8Array;
}

export interface SayOptions {
	/** Channel or thread of the message. In a thread, the message is a reply. */
	readonly in: Channel;
	readonly mentions?: readonly { readonly id: string }[];
	/** Message whose thread receives the reply. */
	readonly replyTo?: { readonly id: string };
	/** Whether a reply in a thread also appears in the channel. */
	readonly broadcast?: boolean;
	readonly attachments?: readonly File[];
	readonly forwards?: { readonly id: string };
}

/** Message or channel with a control. By default, the newest visible message with this control. */
export interface Place {
	readonly on?: { readonly id: string };
	readonly in?: Channel;
}

/** User of a Slack client. A method throws if the client does not allow the action. */
export class Person {
	readonly #state: State;
	readonly user: UserRecord;

	constructor(state: State, user: UserRecord) {
		this.#state = state;
		this.user = user;
	}

	get id(): string {
		return this.user.id;
	}

	get name(): string {
		return this.user.name;
	}

	get dm(): Channel {
		return new Channel(this.#state, openConversation(this.#state, [this.user]));
	}

	says(text: string, options: SayOptions): Shown {
		const { in: where, mentions = [], replyTo, broadcast, attachments = [], forwards } = options;
		const channel = where.record;
		this.#demandSpeech(channel);
		const answered = replyTo && this.#find(replyTo.id);
		const thread = answered ? (answered.threadTs ?? answered.ts) : where.threadTs;
		const typed = [...mentions.map(({ id }) => `<@${id}>`), text].join(" ");
		const message = addMessage(this.#state, {
			...{ author: this.user, channel, ...compose(typed, this.#state.stamps.id("b")) },
			files: attachments.map((file) => this.#file(file)),
			...(forwards && { attachments: [forwardShape(this.#state, this.#find(forwards.id))] }),
			...(thread !== undefined && { threadTs: threadOf(this.#state, channel, thread) }),
			...(broadcast && { broadcast }),
		});
		announce(this.#state, message);
		return show(this.#state, message);
	}

	replies(
		text: string,
		{ to, ...options }: Omit<SayOptions, "in" | "replyTo"> & { readonly to: { readonly id: string } },
	): Shown {
		const { channel } = this.#find(to.id);
		return this.says(text, { ...options, in: new Channel(this.#state, channel), replyTo: to });
	}

	edits({ id }: { readonly id: string }, text: string): Shown {
		const message = this.#own(id, "cant_update_message");
		const { editWindowMs } = this.#state.settings;
		const isLate = editWindowMs !== undefined && this.#state.now() - message.createdAt > editWindowMs;
		if (isLate) throw new Refusal("edit_window_closed");
		const change = compose(text, this.#state.stamps.id("b"));
		changeMessage(this.#state, message, change, { by: this.user, isEdit: true });
		return show(this.#state, message);
	}

	deletes({ id }: { readonly id: string }): void {
		removeMessage(this.#state, this.#own(id, "cant_delete_message"));
	}

	reacts(emoji: string, { on }: { readonly on: { readonly id: string } }): void {
		addReaction(this.#state, this.user, this.#find(on.id), emojiName(emoji));
	}

	unreacts(emoji: string, { on }: { readonly on: { readonly id: string } }): void {
		removeReaction(this.#state, this.user, this.#find(on.id), emojiName(emoji));
	}

	/** Presses the stop button of a thread in which the app is working. */
	stopsSession({ record: channel, threadTs }: Channel): void {
		if (!channel.members.has(this.user)) throw new Refusal("not_in_channel");
		if (threadTs === undefined) throw new Error("only threads have sessions");
		stopSession(this.#state, this.user, { channel, threadTs });
	}

	renamesSession({ record: channel, threadTs }: Channel, title: string): void {
		if (threadTs === undefined) throw new Error("only threads have sessions");
		retitleSession(this.#state, this.user, { channel, threadTs }, title);
	}

	/** Returns the thread of a message. Ignores the name, because threads on Slack have no names. */
	opensThread(_: string, { of }: { readonly of: { readonly id: string } }): Channel {
		const { channel, ts, threadTs } = this.#find(of.id);
		return new Channel(this.#state, channel, threadTs ?? ts);
	}

	opensHome(tab: "home" | "messages" = "home"): void {
		openHome(this.#state, this.user, tab);
	}

	/** Returns the Home tab, or undefined if the app has not published one. */
	get home(): ShownHome | undefined {
		const home = this.#state.homes.get(this.id);
		return home && showHome(this.#state, home);
	}

	clicksHome(label: string): SentInteraction {
		const home = this.#state.homes.get(this.id);
		const fits = ({ element }: SeenControl): boolean => isButton(element.type) && labelOf(element) === label;
		const control = home && controlsOf(home.view.blocks).find(fits);
		if (!control) throw new Error(`${this.name} sees no button ${label} in the Home tab`);
		return this.#sent(pressHome(this.#state, home, control));
	}

	/**
	 * Looks at a channel while the app is open. Without `agent_view`, the app receives an event only for an
	 * assistant's thread.
	 */
	looksAt({ record }: Channel, { thread }: { readonly thread?: Channel } = {}): void {
		const root = thread?.record.messages.find(({ ts }) => ts === thread.threadTs);
		viewChannel(this.#state, this.user, record, root);
	}

	/** Opens a thread with an app that has `assistant_view`. */
	startsAssistant(): Channel {
		const { channel, ts } = startAssistant(this.#state, this.user);
		return new Channel(this.#state, channel, ts);
	}

	/** Presses a suggested prompt. The client then sends the prompt's text as a message of the user. */
	picks(title: string, { in: where }: { readonly in: Channel }): Shown {
		const found = promptsIn(this.#state, where).find((prompt) => prompt.title === title);
		if (!found) throw new Error(`${this.name} sees no suggestion ${title}`);
		return this.says(found.message, { in: where });
	}

	clicks(label: string, place: Place = {}): SentInteraction {
		const fits = ({ element }: SeenControl): boolean => isButton(element.type) && labelOf(element) === label;
		return this.#sent(pressButton(this.#state, this.user, this.#control(place, fits, label)));
	}

	/**
	 * Presses a button that was removed, or whose message was deleted. Clients receive changes as events, and no
	 * Slack document says that Slack refuses such a press. The payload contains the message in the state that the
	 * client showed: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
	 */
	clicksLate(label: string, { on }: { readonly on: { readonly id: string } }): SentInteraction {
		return this.#sent(pressButton(this.#state, this.user, this.#removedButton(on.id, label)));
	}

	/** Chooses options of a menu. By default, uses the newest visible menu that has all these options. */
	chooses(labels: string | readonly string[], place: Place = {}): SentInteraction {
		const requested = typeof labels === "string" ? [labels] : labels;
		const fits = ({ element }: SeenControl): boolean => {
			const offered = optionsOf(element).map(labelOf);
			return isChoice(element.type) && requested.every((label) => offered.includes(label));
		};
		const pressing = this.#control(place, fits, requested.join(", "));
		return this.#sent(chooseOptions(this.#state, this.user, pressing, requested));
	}

	/** Submits the opened form. The keys of `values` are labels or names of fields. */
	submits({ record }: SentInteraction, values: Readonly<Record<string, string>> = {}): SentInteraction {
		const opened = record.opened ?? record.view;
		if (!opened?.view) throw new Error(`no form has opened for ${this.name}`);
		const filled = formState(opened.view, values);
		opened.errors = {};
		const view = viewShape(this.#state, opened, filled);
		return this.#sent(
			beginInteraction(this.#state, { kind: "form", user: this.user, view: opened, data: { view } }),
		);
	}

	/**
	 * Uses a command, for example `/parley task new` or its short form `/task new`, or a shortcut from the menu
	 * of a message.
	 */
	commands(
		name: string,
		values: CommandOptions,
		where: { readonly in: Channel; readonly on?: { readonly id: string } },
	): SentInteraction {
		if (where.on) {
			const message = this.#find(where.on.id);
			return this.#sent(runShortcut(this.#state, this.user, { name, message }));
		}
		this.#demandSpeech(where.in.record);
		return this.#sent(runCommand(this.#state, this.user, { name, values, channel: where.in }));
	}

	becomes(guest: "guest" | "member"): void {
		this.user.isRestricted = guest === "guest";
		this.user.isUltraRestricted = false;
	}

	deactivates(): void {
		this.user.deleted = true;
	}

	#sent(record: ConstructorParameters<typeof SentInteraction>[1]): SentInteraction {
		return new SentInteraction(this.#state, record);
	}

	#demandSpeech(channel: ChannelRecord): void {
		if (channel.deleted) throw new Refusal("channel_not_found");
		if (channel.archived) throw new Refusal("is_archived");
		if (!channel.members.has(this.user)) throw new Refusal("not_in_channel");
	}

	#file({ name, content }: File): FileRecord {
		const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
		return addFile(this.#state, { name, bytes, size: bytes.byteLength, owner: this.user });
	}

	#seen(place?: Channel): MessageRecord[] {
		const channels = place ? [place.record] : [...this.#state.channels.values()];
		const visible = channels.filter((one) => !one.deleted && one.members.has(this.user));
		const messages = visible.flatMap((one) => one.messages.filter((message) => isSeen(message, this)));
		const there =
			place?.threadTs === undefined ? messages : messages.filter((one) => one.threadTs === place.threadTs);
		return there.sort((one, other) => Number(other.ts) - Number(one.ts));
	}

	#find(id: string): MessageRecord {
		const found = this.#seen().find((message) => messageId(message) === id);
		if (!found) throw new Error(`${this.name} sees no message ${id}`);
		return found;
	}

	#own(id: string, error: string): MessageRecord {
		const found = this.#find(id);
		if (found.author !== this.user) throw new Refusal(error);
		return found;
	}

	#removedButton(id: string, label: string): Pressing {
		const channels = [...this.#state.channels.values()].filter(({ members }) => members.has(this.user));
		const message = channels.flatMap(({ messages }) => messages).find((one) => messageId(one) === id);
		if (!message || (message.onlyFor && message.onlyFor !== this.user)) {
			throw new Error(`${this.name} has seen no message ${id}`);
		}
		const fits = ({ element }: SeenControl): boolean => isButton(element.type) && labelOf(element) === label;
		if (!message.deleted && controlsOf(message.blocks).some(fits)) {
			throw new Error(`${this.name} still sees ${label}: it can be pressed as usual`);
		}
		for (const pressedOn of message.states.toReversed()) {
			const control = controlsOf(pressedOn.blocks).find(fits);
			const { text, blocks } = pressedOn;
			if (control) return { message, control, pressedOn: { text, blocks } };
		}
		throw new Error(`${this.name} has never seen a button there that says ${label}`);
	}

	#control(place: Place, fits: (control: SeenControl) => boolean, what: string): Pressing {
		const messages = place.on ? [this.#find(place.on.id)] : this.#seen(place.in);
		for (const message of messages) {
			const control = message.tombstone ? undefined : controlsOf(message.blocks).find(fits);
			if (control) return { message, control };
		}
		throw new Error(`${this.name} sees nothing to press that says ${what}`);
	}
}
