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

/** Message of a person with its versions and its state. */
export interface SentMessage<Room, Person> {
	readonly id: string;
	/** Versions of the text, newest last. */
	readonly versions: string[];
	readonly room: Room;
	readonly person: Person;
	/** Name of the attached file. */
	readonly file?: string;
	/** Time of the last edit or deletion of the message, or 0. */
	changedAt: number;
	isDeleted: boolean;
	/** True if the connector later lost its database, or if a person may have stopped the message. */
	mayBeLost: boolean;
}

/** Rules of a platform about messages. */
export interface Speech<Room, Person> {
	/** The text of a message to Parley, with a mention if the room requires one. */
	address(text: string, room: Room): string;
	/** Whether a person can edit the message. By default, people can edit and delete every message. */
	mayEdit?(sentMessage: SentMessage<Room, Person>): boolean;
	mayDelete?(sentMessage: SentMessage<Room, Person>): boolean;
}

/** Number of the newest messages from which people choose one to edit, delete or stop. */
const recent = 6;

/** Messages of people, with their edits, deletions and reactions. */
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

	/** Recent messages that are not deleted, newest last. */
	get recent(): readonly SentMessage<Room, Person>[] {
		return this.sentMessages.slice(-recent).filter(({ isDeleted }) => !isDeleted);
	}

	/** Records a loss of the database, which also loses messages that were stored but not delivered. Later messages are safe. */
	databaseLost(): void {
		for (const sentMessage of this.sentMessages) sentMessage.mayBeLost = true;
	}

	/**
	 * Records a stop, which may affect every message of a room. In a channel, `/stop` also stops the only thread with active work.
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

	/** Returns a recent message to stop with a ❌ reaction, or undefined without one. */
	cross(): SentMessage<Room, Person> | undefined {
		const sentMessage = this.#own();
		if (sentMessage) sentMessage.mayBeLost = true;
		return sentMessage;
	}

	#own(): SentMessage<Room, Person> | undefined {
		const left = this.recent;
		return left.length === 0 ? undefined : this.#random.pick(left);
	}
}
