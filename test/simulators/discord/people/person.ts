import { ComponentType, InteractionType, MessageReferenceType } from "discord-api-types/v10";
import type { Upload } from "../platform/attachments.ts";
import { emitMember, openDirect } from "../platform/guilds.ts";
import { type Beginning, beginInteraction } from "../platform/interactions.ts";
import { createMessage, deleteMessage, editMessage } from "../platform/messages.ts";
import { sees } from "../platform/permissions.ts";
import { addReaction, removeReaction } from "../platform/reactions.ts";
import type {
	GuildRecord,
	MemberRecord,
	MessageRecord,
	RoleRecord,
	UserRecord,
} from "../platform/records.ts";
import type { State } from "../platform/state.ts";
import { openThread, openThreadOf } from "../platform/threads.ts";
import { startTyping } from "../platform/typing.ts";
import { Channel } from "./channel.ts";
import { type CommandOptions, runCommand, type Typing, typeCommand } from "./commanding.ts";
import { formData } from "./form-data.ts";
import { SentInteraction } from "./sent-interaction.ts";
import { componentsOf, isSeen, type SeenComponent, type Shown, show } from "./shown.ts";

export interface PersonOptions {
	readonly roles?: readonly string[];
	/**
	 * Whether the member is a guest (IS_GUEST):
	 * https://discord.com/developers/docs/resources/guild#guild-member-object-guild-member-flags
	 */
	readonly guest?: boolean;
	/** Whether the user is the bot of another app. */
	readonly bot?: boolean;
	/** An existing user who is already a member of another guild. */
	readonly is?: Person;
}

export interface File {
	readonly name: string;
	readonly content: string | Uint8Array;
}

export interface SayOptions {
	readonly in: Channel;
	readonly mentions?: readonly { readonly id: string }[];
	readonly replyTo?: { readonly id: string };
	/** Whether the reply does not notify the author of the original message. */
	readonly quiet?: boolean;
	readonly attachments?: readonly File[];
	/** A message to forward. The client posts it as a separate message before the text. */
	readonly forwards?: { readonly id: string };
}

/** Message or channel with a control. By default, the newest visible message with this control. */
export interface Place {
	readonly on?: { readonly id: string };
	readonly in?: Channel;
}

/** User of a Discord client. A method throws if the client does not allow the action. */
export class Person {
	readonly #state: State;
	readonly user: UserRecord;
	readonly #guild: GuildRecord;

	constructor(state: State, user: UserRecord, guild: GuildRecord) {
		this.#state = state;
		this.user = user;
		this.#guild = guild;
	}

	get id(): string {
		return this.user.id;
	}

	get name(): string {
		return this.user.name;
	}

	get dm(): Channel {
		return new Channel(this.#state, openDirect(this.#state, this.user));
	}

	says(text: string, options: SayOptions): Shown {
		const { in: channel, mentions = [], replyTo, attachments = [], forwards } = options;
		const forwarded = forwards && this.#forward(channel, forwards.id);
		if (forwarded && text === "" && mentions.length === 0) return show(this.#state, forwarded);
		const body = {
			content: [...mentions.map(({ id }) => `<@${id}>`), text].join(" "),
			...(replyTo && { message_reference: { message_id: replyTo.id } }),
			...(options.quiet && { allowed_mentions: { parse: everything, replied_user: false } }),
		};
		const message = createMessage(this.#state, this.user, channel.record, {
			body,
			files: uploads(attachments),
		});
		return show(this.#state, message);
	}

	edits(message: { readonly id: string }, text: string): Shown {
		const record = this.#find(message.id);
		const attachments = record.attachments.map(({ id }) => ({ id }));
		const draft = { body: { content: text, attachments }, files: [] };
		return show(this.#state, editMessage(this.#state, this.user, record, draft));
	}

	deletes({ id }: { readonly id: string }): void {
		deleteMessage(this.#state, this.user, this.#find(id));
	}

	reacts(emoji: string, { on }: { readonly on: { readonly id: string } }): void {
		addReaction(this.#state, this.user, this.#find(on.id), emoji);
	}

	unreacts(emoji: string, { on }: { readonly on: { readonly id: string } }): void {
		removeReaction(this.#state, this.user, this.#find(on.id), emoji);
	}

	typesIn({ record }: Channel): void {
		startTyping(this.#state, this.user, record);
	}

	opensThread(
		name: string,
		where: { readonly of: { readonly id: string } } | { readonly in: Channel },
	): Channel {
		const thread =
			"of" in where
				? openThreadOf(this.#state, this.user, this.#find(where.of.id), { name })
				: openThread(this.#state, this.user, where.in.record, { name });
		return new Channel(this.#state, thread);
	}

	clicks(label: string, place: Place = {}): SentInteraction {
		const { message, component } = this.#control(place, (one) => one.label === label, label);
		const data = {
			component_type: ComponentType.Button,
			custom_id: component.custom_id ?? "",
		};
		return this.#begin({ type: InteractionType.MessageComponent, channel: message.channel, data, message });
	}

	/**
	 * Presses a button that was removed or disabled before the press arrives. Discord does not order simultaneous
	 * actions of users and apps: https://discord.com/developers/docs/reference#consistency
	 */
	clicksLate(label: string, { on }: { readonly on: { readonly id: string } }): SentInteraction {
		const { message, components, component } = this.#removedButton(on.id, label);
		const data = { component_type: ComponentType.Button, custom_id: component.custom_id ?? "" };
		const { channel } = message;
		const type = InteractionType.MessageComponent;
		return this.#begin({ type, channel, data, message, pressedOn: components });
	}

	/** Chooses options of a menu. By default, uses the newest visible menu that has all these options. */
	chooses(labels: string | readonly string[], place: Place = {}): SentInteraction {
		const requested = typeof labels === "string" ? [labels] : labels;
		const has = ({ options = [] }: SeenComponent): boolean =>
			requested.every((label) => options.some((option) => option.label === label));
		const isChoice = (one: SeenComponent): boolean => one.options !== undefined && has(one);
		const { message, component } = this.#control(place, isChoice, requested.join(", "));
		const { min_values: least = 1, max_values: maximum = 1, options = [] } = component;
		if (requested.length < least || requested.length > maximum) {
			throw new Error(`${this.name} must choose ${least} to ${maximum}, not ${requested.length}`);
		}
		const values = requested.flatMap(
			(label) => options.find((option) => option.label === label)?.value ?? [],
		);
		const data = {
			component_type: ComponentType.StringSelect,
			custom_id: component.custom_id ?? "",
			values,
		};
		return this.#begin({ type: InteractionType.MessageComponent, channel: message.channel, data, message });
	}

	/** Submits the opened form. The keys of `values` are labels or names of fields. */
	submits(interaction: SentInteraction, values: Readonly<Record<string, string>> = {}): SentInteraction {
		const { modal, channel, message } = interaction.record;
		if (!modal) throw new Error(`no form has opened for ${this.name}`);
		const type = InteractionType.ModalSubmit;
		const data = formData(modal, values);
		return this.#begin({ type, channel, data, trigger: interaction.record, ...(message && { message }) });
	}

	/** Uses a typed command, for example `/task new`, or a command from the menu of a message. */
	commands(
		name: string,
		values: CommandOptions,
		where: { readonly in: Channel; readonly on?: { readonly id: string } },
	): SentInteraction {
		const target = where.on && this.#find(where.on.id);
		const command = { name, values, channel: where.in.record, ...(target && { target }) };
		return new SentInteraction(this.#state, runCommand(this.#state, this.user, command));
	}

	/** Types a command and requests suggestions. The last value is still incomplete. */
	types(name: string, values: Typing, where: { readonly in: Channel }): SentInteraction {
		const command = { name, values, channel: where.in.record };
		return new SentInteraction(this.#state, typeCommand(this.#state, this.user, command));
	}

	gains(role: RoleRecord): void {
		const member = this.#member();
		member.roles.add(role.id);
		emitMember(this.#state, this.#guild, member);
	}

	loses(role: RoleRecord): void {
		const member = this.#member();
		member.roles.delete(role.id);
		emitMember(this.#state, this.#guild, member);
	}

	#member(): MemberRecord {
		return this.#state.member(this.#guild, this.id);
	}

	#begin(beginning: Omit<Beginning, "user">): SentInteraction {
		return new SentInteraction(this.#state, beginInteraction(this.#state, { ...beginning, user: this.user }));
	}

	#seen(channel?: Channel): MessageRecord[] {
		const channels = channel ? [channel.record] : [...this.#state.channels.values()];
		const visible = channels.filter((one) => !one.deleted && sees(this.#state, this.user, one));
		const messages = visible.flatMap((one) => one.messages.filter((message) => isSeen(message, this)));
		return messages.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1));
	}

	#find(id: string): MessageRecord {
		const found = this.#seen().find((message) => message.id === id);
		if (!found) throw new Error(`${this.name} sees no message ${id}`);
		return found;
	}

	#forward({ record }: Channel, id: string): MessageRecord {
		const reference = {
			type: MessageReferenceType.Forward,
			message_id: id,
			channel_id: this.#find(id).channel.id,
		};
		return createMessage(this.#state, this.user, record, {
			body: { message_reference: reference },
			files: [],
		});
	}

	#removedButton(id: string, label: string) {
		const channels = [...this.#state.channels.values()].filter((one) => sees(this.#state, this.user, one));
		const message = channels.flatMap((one) => one.messages).find((one) => one.id === id);
		if (!message || (message.onlyFor && message.onlyFor !== this.user)) {
			throw new Error(`${this.name} has seen no message ${id}`);
		}
		if (!message.deleted && componentsOf(message).some((one) => one.label === label && !one.disabled)) {
			throw new Error(`${this.name} still sees ${label}: it can be pressed as usual`);
		}
		for (const { components } of message.states.toReversed()) {
			const component = componentsOf({ components }).find((one) => one.label === label && !one.disabled);
			if (component?.custom_id !== undefined) return { message, components, component };
		}
		throw new Error(`${this.name} has never seen a button there that says ${label}`);
	}

	#control(place: Place, fits: (component: SeenComponent) => boolean, what: string) {
		const messages = place.on ? [this.#find(place.on.id)] : this.#seen(place.in);
		for (const message of messages) {
			const component = componentsOf(message).find((one) => one.custom_id !== undefined && fits(one));
			if (component && !component.disabled) return { message, component };
		}
		throw new Error(`${this.name} sees nothing to press that says ${what}`);
	}
}

const everything = ["users", "roles", "everyone"] as never;

function uploads(files: readonly File[]): Upload[] {
	return files.map(({ name, content }, index) => ({
		...{ index, name },
		bytes: typeof content === "string" ? new TextEncoder().encode(content) : content,
	}));
}
