import type { Random } from "../../random.ts";
import type { Asked } from "../../simulators/discord/people/asked.ts";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Person } from "../../simulators/discord/people/person.ts";
import type { World } from "../../simulators/discord/world/world.ts";

/** Discord's: interactions/receiving-and-responding#responding-to-an-interaction. */
const answerMs = 3000;

/** What somebody said, and what may have become of it. */
export interface Said {
	readonly text: string;
	readonly room: Channel;
	/** The connector lost what it knew afterwards, or somebody has stopped what was not at work yet. */
	mayBeLost: boolean;
}

interface Wish {
	readonly asked: Asked;
	readonly at: number;
	isJudged: boolean;
}

/** Those who talk, press and command, and how they are answered. */
export class People {
	readonly rooms: readonly Channel[];
	readonly said: Said[] = [];
	/** Presses and commands that nobody answered in time, although nothing was in the way. */
	readonly unanswered: string[] = [];
	readonly #world: World;
	readonly #random: Random;
	readonly #persons: readonly Person[];
	readonly #wishes: Wish[] = [];
	#hasForgotten = false;
	/** When something was in the way of an answer. */
	readonly #disturbances: number[] = [];

	constructor(world: World, random: Random) {
		this.#world = world;
		this.#random = random;
		this.#persons = ["Ada", "Bo"].map((name) => world.member(name));
		this.rooms = [
			...["general", "random"].map((name) => world.channel(name)),
			...this.#persons.map(({ dm }) => dm),
		];
	}

	/** Each room hears of the connector, which from then on knows of it. */
	greet(): void {
		for (const room of this.rooms) this.#say(this.#whoIsIn(room), room);
	}

	/** Somebody does something. */
	act(): void {
		const room = this.#random.pick(this.rooms);
		const person = this.#whoIsIn(room);
		const kind = this.#random.below(10);
		if (kind < 5) this.#say(person, room);
		else if (kind < 8) this.#press(person, room);
		else this.#command(person, room);
	}

	/** From now on for as long as somebody waits an answer may fail to come. */
	disturbed(): void {
		this.#disturbances.push(this.#world.clock.now());
	}

	/** Who has forgotten which rooms there are reads nothing afterwards of what is said while it is away. */
	databaseLost(): void {
		this.#hasForgotten = true;
		for (const said of this.said) said.mayBeLost = true;
	}

	/** Looks at the presses whose time has come. */
	look(): void {
		const now = this.#world.clock.now();
		for (const wish of this.#wishes) {
			if (wish.isJudged || now < wish.at + answerMs) continue;
			wish.isJudged = true;
			const wasDisturbed = this.#disturbances.some((at) => at >= wish.at - 1000 && at <= wish.at + answerMs);
			if (wish.asked.failed && !wasDisturbed) {
				this.unanswered.push(`${wish.asked.record.type} at ${new Date(wish.at).toISOString()}`);
			}
		}
	}

	#whoIsIn(room: Channel): Person {
		const own = this.#persons.find(({ dm }) => dm.id === room.id);
		return own ?? this.#random.pick(this.#persons);
	}

	#say(person: Person, room: Channel): void {
		const text = `say-${this.said.length}.`;
		const isDirect = this.#persons.some(({ dm }) => dm.id === room.id);
		const isAway = this.#world.gateway.connections === 0;
		this.said.push({ text, room, mayBeLost: this.#hasForgotten && isAway });
		person.says(text, { in: room, mentions: isDirect ? [] : [this.#world.bot] });
	}

	#press(person: Person, room: Channel): void {
		const labels = room.shows(person).flatMap(({ id, buttons }) => buttons.map((label) => ({ id, label })));
		const wanted = labels.filter(({ label }) => ["Approve once", "Deny", "Good", "Again"].includes(label));
		if (wanted.length === 0) return;
		const { id, label } = this.#random.pick(wanted);
		this.#wish(person.clicks(label, { on: { id } }));
	}

	#command(person: Person, room: Channel): void {
		const name = this.#random.pick([
			"/whoami",
			"/session new",
			"/session list",
			"/stop",
			"/task list",
			"/why",
		]);
		const isThere = this.#world.commands().some((command) => name.startsWith(`/${command.name}`));
		if (!isThere) return;
		this.#wish(person.commands(name, {}, { in: room }));
		if (name !== "/stop") return;
		for (const said of this.said) said.mayBeLost ||= said.room === room;
	}

	#wish(asked: Asked): void {
		if (this.#world.gateway.connections === 0) this.disturbed();
		this.#wishes.push({ asked, at: this.#world.clock.now(), isJudged: false });
	}
}
