import type { Clock } from "@parley/base";
import type { Random } from "../../random.ts";

interface Id {
	readonly id: string;
}

interface Place extends Id {
	threads(): readonly Id[];
}

export interface Author<Room> {
	says(
		text: string,
		options: {
			readonly in: Room;
			readonly attachments: { readonly name: string; readonly content: string }[];
		},
	): Id;
	edits(message: Id, text: string): unknown;
	deletes(message: Id): unknown;
}

export interface SentMessage<Room, Person> {
	readonly id: string;
	readonly versions: string[];
	readonly room: Room;
	readonly person: Person;
	readonly file?: string;
	/** Time of the last edit or deletion, or 0. */
	changedAt: number;
	isDeleted: boolean;
	/** Whether the connector later lost its database, or a user may have stopped the run of the message. */
	mayBeLost: boolean;
}

export interface Speech<Room, Person> {
	/** Returns the text of a message to Parley, with a mention if the room requires one. */
	address(text: string, room: Room): string;
	/** Whether the message may be edited. This and `mayDelete` are true by default. */
	mayEdit?(sentMessage: SentMessage<Room, Person>): boolean;
	mayDelete?(sentMessage: SentMessage<Room, Person>): boolean;
}

const recent = 6;

export class Messages<Room extends Place, Person extends Author<Room>> {
	readonly sentMessages: SentMessage<Room, Person>[] = [];
	readonly #clock: Clock;
	readonly #random: Random;
	readonly #speech: Speech<Room, Person>;
	#edits = 0;

	constructor(clock: Clock, random: Random, speech: Speech<Room, Person>) {
		this.#clock = clock;
		this.#random = random;
		this.#speech = speech;
	}

	/** Returns the newest `recent` messages without the deleted ones among them, newest last. */
	get recent(): readonly SentMessage<Room, Person>[] {
		return this.sentMessages.slice(-recent).filter(({ isDeleted }) => !isDeleted);
	}

	/**
	 * Marks all messages sent so far, because the loss of the database may lose a message that was stored but not
	 * delivered.
	 */
	databaseLost(): void {
		for (const sentMessage of this.sentMessages) sentMessage.mayBeLost = true;
	}

	/**
	 * Marks the messages in the room and its threads, because a `/stop` in the room may affect them. A `/stop` in a
	 * channel can also stop the only thread with active work.
	 */
	stopped(room: Room): void {
		const stopped = new Set([room, ...room.threads()].map(({ id }) => id));
		for (const sentMessage of this.sentMessages) sentMessage.mayBeLost ||= stopped.has(sentMessage.room.id);
	}

	say(person: Person, room: Room, withFile = false): void {
		const number = this.sentMessages.length;
		const text = `say-${number}.`;
		const file = withFile ? `file-${number}.txt` : undefined;
		const attachments = file === undefined ? [] : [{ name: file, content: `of ${text}` }];
		const { id } = person.says(this.#speech.address(text, room), { in: room, attachments });
		const arrivals = { versions: [text], room, person, changedAt: 0, isDeleted: false, mayBeLost: false };
		this.sentMessages.push({ id, ...arrivals, ...(file !== undefined && { file }) });
	}

	edit(): void {
		const sentMessage = this.#own();
		if (!sentMessage || this.#speech.mayEdit?.(sentMessage) === false) return;
		const text = `edit-${this.#edits}.`;
		this.#edits += 1;
		sentMessage.versions.push(text);
		sentMessage.changedAt = this.#clock.now();
		sentMessage.person.edits(sentMessage, this.#speech.address(text, sentMessage.room));
	}

	delete(): void {
		const sentMessage = this.#own();
		if (!sentMessage || this.#speech.mayDelete?.(sentMessage) === false) return;
		sentMessage.isDeleted = true;
		sentMessage.changedAt = this.#clock.now();
		sentMessage.person.deletes(sentMessage);
	}

	/**
	 * Returns a random recent message for the reaction ❌. Marks the message as possibly lost, because the reaction may
	 * stop its run. Undefined without recent messages.
	 */
	cross(): SentMessage<Room, Person> | undefined {
		const sentMessage = this.#own();
		if (sentMessage) sentMessage.mayBeLost = true;
		return sentMessage;
	}

	#own(): SentMessage<Room, Person> | undefined {
		const candidates = this.recent;
		return candidates.length === 0 ? undefined : this.#random.pick(candidates);
	}
}
