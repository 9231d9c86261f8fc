import { defined } from "@parley/base";
import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { Person } from "../../simulators/slack/people/person.ts";
import type { SentInteraction as SlackInteraction } from "../../simulators/slack/people/sent-interaction.ts";
import type { Shown } from "../../simulators/slack/people/shown.ts";
import type { File, Player, SentInteraction } from "./site.ts";
import type { SlackRoom } from "./slack-room.ts";

interface Message {
	readonly id: string;
}

type Values = Readonly<Record<string, string | number | boolean>>;

/** A command typed after a mention, because Slack allows no slash commands in threads. */
class Written implements SentInteraction {
	readonly state = "acknowledged";
	readonly failed = false;
	readonly form = undefined;
	readonly #thread: Channel;
	readonly #sentMessage: Shown;

	constructor(thread: Channel, sentMessage: Shown) {
		this.#thread = thread;
		this.#sentMessage = sentMessage;
	}

	answers(): Shown[] {
		const since = this.#thread.shows().filter(({ ts }) => Number(ts) > Number(this.#sentMessage.ts));
		return since.filter(({ author }) => author !== this.#sentMessage.author);
	}
}

/**
 * User of a Slack client. A message to Parley starts the thread of a conversation. Commands in this thread are
 * typed after a mention.
 */
export class SlackPlayer implements Player {
	readonly person: Person;
	readonly #mention: string;
	readonly #opens: (name: string, thread: Channel) => void;

	constructor(person: Person, mention: string, opens: (name: string, thread: Channel) => void) {
		this.person = person;
		this.#mention = mention;
		this.#opens = opens;
	}

	get id(): string {
		return this.person.id;
	}

	get name(): string {
		return this.person.name;
	}

	says(
		text: string,
		{
			in: room,
			replyTo,
			attachments = [],
			forwards,
		}: {
			readonly in: SlackRoom;
			readonly replyTo?: Message;
			readonly attachments?: readonly File[];
			readonly forwards?: Message;
		},
	): Message {
		if (replyTo) return this.person.replies(text, { to: replyTo, attachments });
		const task = text.startsWith(`${this.#mention} !`) ? text.slice(this.#mention.length + 2) : "";
		// A task that is requested outside of a thread gets its own thread, as on other platforms.
		if (task.startsWith("task new ") && room.hasThreads && !room.conversation) {
			return this.person.commands(`/parley ${task}`, {}, { in: room.channel });
		}
		const sentMessage = this.person.says(text, { in: room.here, attachments, ...defined({ forwards }) });
		const isConversation = text.includes(this.#mention) || room.channel.record.kind === "im";
		if (room.hasThreads && isConversation) room.conversation ??= room.channel.thread(sentMessage);
		return sentMessage;
	}

	edits(message: Message, text: string): void {
		this.person.edits(message, text);
	}

	deletes(message: Message): void {
		this.person.deletes(message);
	}

	reacts(emoji: string, where: { readonly on: Message }): void {
		this.person.reacts(emoji, where);
	}

	opensThread(name: string, where: { readonly of: Message }): void {
		this.#opens(name, this.person.opensThread(name, where));
	}

	clicks(label: string, where: { readonly on?: Message; readonly in?: SlackRoom } = {}): SlackInteraction {
		return this.person.clicks(label, placeOf(where));
	}

	clicksLate(label: string, where: { readonly on: Message }): SlackInteraction {
		return this.person.clicksLate(label, where);
	}

	chooses(
		labels: readonly string[],
		where: { readonly on?: Message; readonly in?: SlackRoom } = {},
	): SlackInteraction {
		return this.person.chooses(labels, placeOf(where));
	}

	submits(interaction: SlackInteraction, values: Readonly<Record<string, string>> = {}): SlackInteraction {
		return this.person.submits(interaction, values);
	}

	commands(
		name: string,
		values: Values,
		{ in: room, on }: { readonly in: SlackRoom; readonly on?: Message },
	): SentInteraction {
		if (on) return this.person.commands(name, {}, { in: room.channel, on });
		const thread = room.conversation ?? (room.channel.threadTs === undefined ? undefined : room.channel);
		if (!thread) return this.person.commands(name, values, { in: room.channel });
		const options = Object.entries(values).map(([key, value]) => `${key}:${quoted(value)}`);
		const text = [`${this.#mention} !${name.replace(/^\//, "")}`, ...options].join(" ");
		return new Written(thread, this.person.says(text, { in: thread }));
	}
}

function placeOf({ on, in: room }: { readonly on?: Message; readonly in?: SlackRoom }) {
	return { ...(on && { on }), ...(room && { in: room.channel }) };
}

function quoted(value: string | number | boolean): string {
	if (typeof value === "boolean") return value ? "yes" : "no";
	return typeof value === "string" && /\s/.test(value) ? `"${value}"` : String(value);
}
