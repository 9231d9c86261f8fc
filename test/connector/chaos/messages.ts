import type { Random } from "../../random.ts";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Person } from "../../simulators/discord/people/person.ts";
import type { World } from "../../simulators/discord/world/world.ts";

/** What somebody said, and what may have become of it. */
export interface Said {
	readonly id: string;
	/** What it says and said before, the newest last. */
	readonly versions: string[];
	readonly room: Channel;
	readonly person: Person;
	/** The name of what was attached. */
	readonly file?: string;
	/** When it was edited or deleted last. */
	changedAt: number;
	isDeleted: boolean;
	/** The connector lost what it knew afterwards, or somebody has stopped what was not at work yet. */
	mayBeLost: boolean;
}

/** So many of what was said last somebody comes back to. */
const recent = 6;

/** What people say, and what they do with what they have said. */
export class Messages {
	readonly said: Said[] = [];
	readonly #world: World;
	readonly #random: Random;
	#edits = 0;

	constructor(world: World, random: Random) {
		this.#world = world;
		this.#random = random;
	}

	/** What was taken and not handed on is gone with it; what is said afterwards is not. */
	databaseLost(): void {
		for (const said of this.said) said.mayBeLost = true;
	}

	/** All of a room may be stopped. */
	stopped(room: Channel): void {
		for (const said of this.said) said.mayBeLost ||= said.room.id === room.id;
	}

	say(person: Person, room: Channel, withFile = false): void {
		const number = this.said.length;
		const text = `say-${number}.`;
		const file = withFile ? `file-${number}.txt` : undefined;
		const { id } = person.says(this.#addressed(text, room), {
			in: room,
			attachments: file === undefined ? [] : [{ name: file, content: `of ${text}` }],
		});
		this.said.push({
			...{ id, versions: [text], room, person, changedAt: 0, isDeleted: false },
			mayBeLost: false,
			...(file !== undefined && { file }),
		});
	}

	edit(): void {
		const said = this.#own();
		// Nobody edits twice in a millisecond, by which Discord tells edits apart.
		if (!said || said.changedAt === this.#world.clock.now()) return;
		const text = `edit-${this.#edits}.`;
		this.#edits += 1;
		said.versions.push(text);
		this.#changed(said);
		said.person.edits(said, this.#addressed(text, said.room));
	}

	delete(): void {
		const said = this.#own();
		// The first of a room stays: who sees none at all there cannot tell an empty room from one that they may not read.
		if (!said || said === this.said.find(({ room }) => room === said.room)) return;
		said.isDeleted = true;
		this.#changed(said);
		said.person.deletes(said);
	}

	/** ❌ at what was said ends it. */
	cross(): void {
		const said = this.#own();
		if (!said) return;
		said.mayBeLost = true;
		said.person.reacts("❌", { on: said });
	}

	#changed(said: Said): void {
		said.changedAt = this.#world.clock.now();
	}

	#own(): Said | undefined {
		const left = this.said.slice(-recent).filter(({ isDeleted }) => !isDeleted);
		return left.length === 0 ? undefined : this.#random.pick(left);
	}

	/** Direct messages need no name. */
	#addressed(text: string, { record }: Channel): string {
		return record.guild === undefined ? text : `${this.#world.mention} ${text}`;
	}
}
