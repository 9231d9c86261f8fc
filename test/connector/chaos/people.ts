import type { Random } from "../../random.ts";
import type { Asked } from "../../simulators/discord/people/asked.ts";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Person } from "../../simulators/discord/people/person.ts";
import type { World } from "../../simulators/discord/world/world.ts";
import { Messages } from "./messages.ts";

/** Discord's: interactions/receiving-and-responding#responding-to-an-interaction. */
const answerMs = 3000;
const pressed = new Set(["Approve once", "Deny", "Good", "Again", "Approve", "Cancel", "End trust"]);

interface Wish {
	readonly asked: Asked;
	readonly at: number;
	isJudged: boolean;
}

/** Those who talk, press and command, and how they are answered. */
export class People {
	readonly rooms: readonly Channel[];
	readonly messages: Messages;
	/** Presses and commands that nobody answered in time, although nothing was in the way. */
	readonly unanswered: string[] = [];
	/** How often somebody has asked for an answer once more. */
	retries = 0;
	/** When others than before could read a room, by its id. */
	readonly audiences = new Map<string, number>();
	readonly #world: World;
	readonly #random: Random;
	readonly #persons: readonly Person[];
	/** Somebody who only reads, where they may. */
	readonly #reader: Person;
	readonly #wishes: Wish[] = [];
	/** When something was in the way of an answer. */
	readonly #disturbances: number[] = [];

	constructor(world: World, random: Random) {
		this.#world = world;
		this.#random = random;
		this.#persons = ["Ada", "Bo"].map((name) => world.member(name));
		this.#reader = world.member("Cy");
		this.messages = new Messages(world, random);
		this.rooms = [
			...["general", "random"].map((name) => world.channel(name)),
			...this.#persons.map(({ dm }) => dm),
		];
	}

	/** Each room hears of the connector, which from then on knows of it. */
	greet(): void {
		for (const room of this.rooms) this.messages.say(this.#whoIsIn(room), room);
	}

	/** Somebody does something. */
	act(): void {
		const room = this.#random.pick(this.rooms);
		const person = this.#whoIsIn(room);
		const kind = this.#random.below(19);
		if (kind < 5) this.messages.say(person, room);
		else if (kind < 6) this.messages.say(person, room, true);
		else if (kind < 9) this.messages.edit();
		else if (kind < 10) this.messages.delete();
		else if (kind < 11) this.#react(person, room);
		else if (kind < 13) this.#open(room);
		else if (kind < 17) this.#press(person, room);
		else this.#command(person, room);
	}

	/** From now on for as long as somebody waits an answer may fail to come. */
	disturbed(): void {
		this.#disturbances.push(this.#world.clock.now());
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

	/** ❌ at what somebody said, or 🔁 at what was answered. */
	#react(person: Person, room: Channel): void {
		if (this.#random.chance(0.5)) {
			this.messages.cross();
			return;
		}
		const answer = room.shows().findLast(({ buttons }) => buttons.includes("Again"));
		if (!answer) return;
		this.retries += 1;
		person.reacts("🔁", { on: answer });
	}

	/** Who may read a channel changes. */
	#open(room: Channel): void {
		const { guild, overwrites } = room.record;
		if (guild === undefined) return;
		const mayRead = (overwrites.get(this.#reader.id)?.allow ?? 0n) !== 0n;
		this.audiences.set(room.id, this.#world.clock.now());
		room.permit(this.#reader, { [mayRead ? "deny" : "allow"]: ["ViewChannel"] });
	}

	#press(person: Person, room: Channel): void {
		const places = room.record.guild === undefined ? [room] : [room, ...room.threads()];
		const buttons = places.flatMap((place) =>
			place.shows(person).flatMap(({ id, buttons: labels }) => labels.map((label) => ({ id, label }))),
		);
		const wanted = buttons.filter(({ label }) => pressed.has(label));
		if (wanted.length === 0) return;
		const { id, label } = this.#random.pick(wanted);
		if (label === "Again") this.retries += 1;
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
		if (name === "/stop") this.messages.stopped(room);
	}

	#wish(asked: Asked): void {
		if (this.#world.gateway.connections === 0) this.disturbed();
		this.#wishes.push({ asked, at: this.#world.clock.now(), isJudged: false });
	}
}
