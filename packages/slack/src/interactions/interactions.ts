import { type Clock, defined, definedItems, type Logger, ParleyError, parseJson } from "@parley/base";
import {
	type Controls,
	type Form,
	forms,
	hasFormOfTarget,
	type InboundEvent,
	type InboundEventOf,
	type Malformed,
	type Person,
	type Room,
} from "@parley/connector";
import * as z from "zod";
import { isShortcut, orderedBy } from "../commands/shortcuts.ts";
import { readCommand } from "../commands/slash-command.ts";
import { completeText, sharedFiles } from "../intake/beside-text.ts";
import { type Channels, threadOf } from "../intake/channels.ts";
import type { Files } from "../intake/files.ts";
import type { Messages } from "../intake/messages.ts";
import type { People } from "../intake/people.ts";
import { id, ts } from "../intake/wire.ts";
import { type Installation, isForSelf } from "../intake/workspace.ts";
import { interactionTexts } from "../texts/interaction.ts";
import { conversationOf } from "../vocabulary/conversation.ts";
import { readHomeMetadata } from "../vocabulary/home-metadata.ts";
import { limits } from "../vocabulary/limits.ts";
import { messageId, messageTime } from "../vocabulary/message-id.ts";
import type { Interaction, OwnAccount, SlackReply, SlackResponder } from "../vocabulary/slack-port.ts";
import { Answers, type AnswerTarget, privately, ticketFor } from "./answers.ts";
import { BlockActions, MessageAction, OtherInteraction, SlashCommand, ViewSubmission } from "./wire.ts";

export interface InteractionsParts {
	readonly self: OwnAccount;
	readonly port: SlackResponder;
	readonly people: People;
	readonly channels: Channels;
	readonly messages: Messages;
	readonly files: Files;
	readonly controls: Controls;
	readonly malformed: Malformed;
	/** Stores an inbound event; see `Connector.accept`. */
	readonly accept: (
		inbound: InboundEvent,
		key: { readonly id: string; readonly conversation: string },
	) => Promise<unknown>;
	/** Returns the form of a control; see `Connector.form`. */
	readonly form: (pressed: {
		readonly control: string;
		readonly person: Person;
		readonly room: Room;
	}) => Promise<Form | undefined>;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Milliseconds after which an interaction is too old, because Slack has already shown a failure. The clocks of
 * Slack and of this machine may differ by less than this.
 */
const staleMs = 5 * 60_000;

interface Happened {
	/** Unique id of the interaction. */
	readonly trigger: string;
	readonly user: string;
	readonly room: Promise<Room>;
	readonly at: number;
	readonly place: AnswerTarget;
}

type Shared = "room" | "person" | "at" | "ticket";

/** Handles commands, presses, forms and message menus. Slack does not redeliver these interactions. */
export class Interactions {
	readonly #parts: InteractionsParts;
	readonly #answers: Answers;

	constructor(parts: InteractionsParts) {
		this.#parts = parts;
		this.#answers = new Answers(parts);
	}

	/**
	 * Handles an interaction. Resolves within two seconds, when the interaction is stored or answered, or when the
	 * answer will follow privately.
	 */
	async handle({ type, body }: Interaction): Promise<SlackReply> {
		return this.#handlers[type](body);
	}

	readonly #handlers: Readonly<Record<Interaction["type"], (body: unknown) => Promise<SlackReply>>> = {
		command: (body) => this.#command(body),
		action: (body) => this.#pressed(body),
		view: (body) => this.#submitted(body),
		shortcut: (body) => this.#chosen(body),
		unread: async (body) => {
			this.#parts.malformed.read("interactive", OtherInteraction, body);
			return undefined;
		},
	};

	/** Resolves when all work that continues after an acknowledgement has ended. */
	settled(): Promise<void> {
		return this.#answers.settled();
	}

	async #command(body: unknown): Promise<SlackReply> {
		const { self, malformed, clock } = this.#parts;
		const read = malformed.read("slash command", SlashCommand, body);
		if (read === undefined) return privately(interactionTexts.unreadable);
		const { trigger_id: trigger, user_id: user, channel_id: channel, response_url: url } = read;
		if (this.#isElsewhere(read)) return privately(interactionTexts.otherWorkspace);
		const place = { url, channel, user };
		const work = async (): Promise<string | undefined> => {
			// The text is not unescaped, because the manifest disables Slack's escaping.
			const ordered = readCommand(read.text, { slash: read.command, bot: self.name });
			if ("words" in ordered) return ordered.words;
			const outside = await this.#outside(channel);
			if (outside !== undefined) return outside;
			const room = this.#parts.channels.roomWith({ channel });
			return this.#accept(
				{ trigger, user, room, place, at: clock.now() },
				{ type: "command", ...ordered, attachments: [] },
			);
		};
		return this.#answers.inTime(work(), place, privately);
	}

	async #chosen(body: unknown): Promise<SlackReply> {
		const { malformed, messages, channels, files } = this.#parts;
		const read = malformed.read("message_action", MessageAction, body);
		if (read === undefined || !isShortcut(read.callback_id)) return undefined;
		const { trigger_id: trigger, callback_id, message, response_url: url } = read;
		const [channel, user, at] = [read.channel.id, read.user.id, messageTime(read.action_ts)];
		const place = { url, channel, user, thread: threadOf(message) };
		if (this.#isStale(at, place)) return undefined;
		const { team, enterprise, is_enterprise_install } = read;
		if (this.#isElsewhere({ team_id: team?.id, enterprise_id: enterprise?.id, is_enterprise_install })) {
			this.#answers.run(this.#answers.postPrivately(place, interactionTexts.otherWorkspace));
			return undefined;
		}
		const work = async (): Promise<string | undefined> => {
			const [text, outside] = await Promise.all([
				messages.text(completeText(message)),
				this.#outside(channel),
			]);
			const ordered = orderedBy(callback_id, text);
			if ("words" in ordered) return ordered.words;
			if (outside !== undefined) return outside;
			const attachments = await files.read(sharedFiles(message));
			const room = channels.roomOf({ channel }, message);
			const target = { message: messageId(channel, message.ts), text };
			return this.#accept(
				{ trigger, user, room, place, at },
				{ type: "command", ...ordered, attachments, target },
			);
		};
		return this.#answers.inTime(work(), place);
	}

	async #pressed(body: unknown): Promise<SlackReply> {
		const { malformed, controls, channels } = this.#parts;
		const read = malformed.read("block_actions", BlockActions, body);
		const [action] = read?.actions ?? [];
		// Slack opens links without the app.
		if (read === undefined || action === undefined || action.action_id.startsWith("link:")) return undefined;
		const { trigger_id: trigger, response_url: url } = read;
		const home = read.view?.type === "home" ? readHomeMetadata(read.view.private_metadata) : undefined;
		const channel = read.channel?.id ?? home?.channel;
		if (channel === undefined) return undefined;
		const [user, at] = [read.user.id, messageTime(action.action_ts)];
		const { thread, message } = pressedIn(read, channel);
		const place = { url, channel, user, thread };
		if (this.#isStale(at, place)) return undefined;
		const isRating = action.type === "feedback_buttons";
		const control = (isRating ? action.value : undefined) ?? action.action_id;
		const kind = controls.read(control)?.kind;
		const isHome = home === undefined ? undefined : (true as const);
		const metadata = defined({ control, channel, thread, message, home: isHome });
		const form = kind && forms[kind];
		if (form) {
			this.#answers.run(this.#open(trigger, viewOf(form, metadata), place));
			return undefined;
		}
		const values = definedItems([...(action.selected_options ?? []), action.selected_option ?? undefined]);
		const work = async (): Promise<undefined> => {
			const room = channels.roomWith({ channel }, thread);
			const opened = kind && hasFormOfTarget(kind) && (await this.#formOf(control, user, room));
			if (opened) return this.#open(trigger, viewOf(opened, metadata), place);
			const pressed = { control, values: values.map(({ value }) => value), fields: {} };
			return this.#accept(
				{ trigger, user, room, place, at },
				{ type: "press", ...pressed, ...defined({ message, home: isHome }) },
			);
		};
		return this.#answers.inTime(work(), place);
	}

	async #submitted(body: unknown): Promise<SlackReply> {
		const { malformed, channels, clock } = this.#parts;
		const read = malformed.read("view_submission", ViewSubmission, body);
		if (read === undefined || read.view.callback_id !== formId) return undefined;
		const { values } = read.view.state;
		const metadata = readMetadata(read.view.private_metadata);
		if (metadata === undefined) return fieldError(Object.keys(values), interactionTexts.unreadable);
		const { control, channel, thread, message, home }: Metadata = metadata;
		const { id: user } = read.user;
		const place = { channel, user, thread };
		const work = async (): Promise<undefined> => {
			const written = Object.values(values).flatMap((block) => Object.entries(block));
			const fields = Object.fromEntries(written.map(([name, { value }]) => [name, value ?? ""]));
			const room = channels.roomWith({ channel }, thread);
			return this.#accept(
				{ trigger: read.trigger_id, user, room, place, at: clock.now() },
				{ type: "press", control, values: [], fields, ...defined({ message, home }) },
			);
		};
		return this.#answers.inTime(work(), place, (words) => fieldError(Object.keys(values), words));
	}

	async #accept(
		{ trigger, user, at, place, ...happened }: Happened,
		event: Omit<InboundEventOf<"command">, Shared> | Omit<InboundEventOf<"press">, Shared>,
	): Promise<undefined> {
		const [room, person] = await Promise.all([happened.room, this.#parts.people.find(user)]);
		const inbound: InboundEvent = { ...event, room, person, at, ticket: ticketFor(trigger, at, place) };
		const key = { id: `${event.type}:${trigger}`, conversation: conversationOf(room) };
		await this.#parts.accept(inbound, key);
		return undefined;
	}

	async #open(trigger_id: string, view: object, place: AnswerTarget): Promise<undefined> {
		const { port, log } = this.#parts;
		// The trigger is valid for only three seconds.
		const opened = await port
			.call({ method: "views.open", args: { trigger_id, view } })
			.catch(ParleyError.from);
		if (!(opened instanceof ParleyError) && opened.type === "ok") return undefined;
		const why =
			opened instanceof ParleyError
				? opened.message
				: opened.type === "refused"
					? opened.error
					: "rate limited";
		log.warn("could not open a form", { user: place.user, why });
		await this.#answers.postPrivately(place, interactionTexts.formNotOpened);
		return undefined;
	}

	/** Returns the form that a press of `control` opens, or undefined. */
	async #formOf(control: string, user: string, room: Promise<Room>): Promise<Form | undefined> {
		const person = await this.#parts.people.find(user);
		return this.#parts.form({ control, person, room: await room });
	}

	/** Returns the refusal for a channel without the bot, or undefined. */
	async #outside(channel: string): Promise<string | undefined> {
		const { self, channels } = this.#parts;
		// Commands and menus are available in all channels, but the bot can post only in its own.
		if ((await channels.find(channel)).ours) return undefined;
		return interactionTexts.notInConversation({ bot: self.name });
	}

	/**
	 * Whether a command or a message menu is from another workspace. Presses and forms need no such check, because
	 * their controls are signed.
	 */
	#isElsewhere(installation: Installation): boolean {
		const { self, log } = this.#parts;
		const { team_id, enterprise_id } = installation;
		if ((!team_id && !enterprise_id) || isForSelf(installation, self)) return false;
		log.warn("a member of another workspace used a command", { team: team_id });
		return true;
	}

	#isStale(at: number, place: AnswerTarget): boolean {
		const { clock, log } = this.#parts;
		const lateMs = clock.now() - at;
		if (lateMs <= staleMs) return false;
		log.warn("an interaction arrived too late, or the clock of this machine is wrong", {
			user: place.user,
			lateMs,
		});
		this.#answers.run(this.#answers.postPrivately(place, interactionTexts.expired));
		return true;
	}
}

/**
 * Returns the thread and the message of a press. `thread` is undefined for a post outside threads, and for the first
 * post of a thread.
 */
function pressedIn(
	{ message, container }: BlockActions,
	channel: string,
): { thread?: string; message?: string } {
	const shown = message?.ts ?? container?.message_ts;
	const thread = message?.thread_ts ?? container?.thread_ts;
	return defined({
		thread: thread === shown ? undefined : thread,
		message: shown === undefined ? undefined : messageId(channel, shown),
	});
}

const formId = "parley-form";

/** Data of a form, which Slack returns with the submission. */
const Metadata = z.object({
	control: z.string(),
	channel: id,
	thread: ts.optional(),
	message: z.string().optional(),
	home: z.literal(true).optional(),
});
type Metadata = z.output<typeof Metadata>;

/**
 * Maximum characters: https://docs.slack.dev/reference/block-kit/blocks/input-block and
 * https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
 */
const maximum = { title: 24, label: 2000, text: limits.fieldText } as const;

function viewOf({ title, fields }: Form, metadata: Metadata): Readonly<Record<string, unknown>> {
	return {
		type: "modal",
		callback_id: formId,
		private_metadata: JSON.stringify(metadata),
		title: plain(title.slice(0, maximum.title)),
		submit: plain(interactionTexts.send),
		close: plain(interactionTexts.cancel),
		blocks: fields.map(({ name, label, long, required, maximum: longest, value = "" }) => ({
			type: "input",
			block_id: name,
			optional: !required,
			label: plain(label.slice(0, maximum.label)),
			element: {
				type: "plain_text_input",
				action_id: name,
				multiline: long,
				max_length: Math.min(longest, maximum.text),
				...defined({ initial_value: value === "" ? undefined : value }),
			},
		})),
	};
}

function readMetadata(text: string): Metadata | undefined {
	try {
		return Metadata.safeParse(parseJson(text)).data;
	} catch (error) {
		if (error instanceof ParleyError && error.code === "invalid_argument") return undefined;
		throw error;
	}
}

/** Returns a response that shows an error below the first field. The form stays open. */
function fieldError(fields: readonly string[], words: string): Readonly<Record<string, unknown>> {
	const [first = "text"] = fields;
	return { response_action: "errors", errors: { [first]: words } };
}

function plain(text: string): object {
	return { type: "plain_text", text };
}
