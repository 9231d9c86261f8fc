import type { Random } from "../../random.ts";
import type { Asked } from "../../simulators/slack/people/asked.ts";
import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { Person } from "../../simulators/slack/people/person.ts";
import type { World } from "../../simulators/slack/world/world.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response */
const answerMs = 3000;
const pressed = new Set(["Approve once", "Good", "Again", "Approve", "Cancel", "End trust"]);
/** So many of what was said last somebody comes back to. */
const recent = 6;

/** What somebody said, and what may have become of it. */
export interface Said {
	readonly id: string;
	/** What it says and said before, the newest last. */
	readonly versions: string[];
	/** A channel, or a thread of one. */
	readonly room: Channel;
	readonly person: Person;
	/** The name of what was attached. */
	readonly file?: string;
	isDeleted: boolean;
	/** Somebody has stopped what was not at work yet. */
	mayBeLost: boolean;
}

interface Wish {
	readonly asked: Asked;
	readonly at: number;
	isJudged: boolean;
}

/** Those who talk, press and command on Slack, and how they are answered. */
export class SlackPeople {
	readonly rooms: readonly Channel[];
	readonly said: Said[] = [];
	/** Presses and commands that nobody acknowledged in time, although nothing was in the way. */
	readonly unanswered: string[] = [];
	/** How often somebody has asked for an answer once more. */
	retries = 0;
	/** When a guest came into a channel, by its id. */
	readonly audiences = new Map<string, number>();
	readonly #world: World;
	readonly #random: Random;
	readonly #persons: readonly Person[];
	readonly #guest: Person;
	readonly #wishes: Wish[] = [];
	/** When something was in the way of an answer. */
	readonly #disturbances: number[] = [];
	readonly #signs = new Set<string>();
	#edits = 0;

	constructor(world: World, random: Random) {
		this.#world = world;
		this.#random = random;
		this.#persons = ["Ada", "Bo"].map((name) => world.member(name));
		this.rooms = [
			...["general", "random"].map((name) => world.channel(name)),
			...this.#persons.map(({ dm }) => dm),
		];
		this.#guest = world.member("Cy", { guest: true });
		for (const room of this.rooms.slice(0, 2)) room.loses(this.#guest);
	}

	/** Each room hears of the connector. */
	greet(): void {
		for (const room of this.rooms) this.#say(this.#whoIsIn(room), room);
	}

	/** Somebody does something. */
	act(): void {
		const room = this.#random.pick(this.rooms);
		const person = this.#whoIsIn(room);
		const kind = this.#random.below(19);
		if (kind < 3) this.#say(person, room);
		else if (kind < 5) this.#goOn(person);
		else if (kind < 6) this.#say(person, room, true);
		else if (kind < 9) this.#edit();
		else if (kind < 10) this.#delete();
		else if (kind < 11) this.#react(person, room);
		else if (kind < 13) this.#invite(room);
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
				this.unanswered.push(`${wish.asked.record.kind} at ${new Date(wish.at).toISOString()}`);
			}
		}
	}

	#whoIsIn(room: Channel): Person {
		const own = this.#persons.find(({ dm }) => dm.id === room.id);
		return own ?? this.#random.pick(this.#persons);
	}

	#say(person: Person, room: Channel, withFile = false): void {
		const number = this.said.length;
		const text = `say-${number}.`;
		const file = withFile ? `file-${number}.txt` : undefined;
		const attachments = file === undefined ? [] : [{ name: file, content: `of ${text}` }];
		const { id } = person.says(this.#addressed(text, room), { in: room, attachments });
		const heard = { versions: [text], room, person, isDeleted: false, mayBeLost: false };
		this.said.push({ id, ...heard, ...(file !== undefined && { file }) });
	}

	/** In a thread that began with a mention, nobody has to be named any more. */
	#goOn(person: Person): void {
		const [root] = this.said.slice(-recent).filter((said) => isTop(said) && !said.isDeleted && isOpen(said));
		if (root) this.#say(person, root.room.thread(root));
	}

	#edit(): void {
		const said = this.#own();
		if (!said) return;
		const text = `edit-${this.#edits}.`;
		this.#edits += 1;
		said.versions.push(text);
		said.person.edits(said, this.#addressed(text, said.room));
	}

	#delete(): void {
		const said = this.#own();
		if (!said) return;
		said.isDeleted = true;
		said.person.deletes(said);
	}

	#own(): Said | undefined {
		const left = this.said.slice(-recent).filter(({ isDeleted }) => !isDeleted);
		return left.length === 0 ? undefined : this.#random.pick(left);
	}

	/** ❌ at what somebody said, or 🔁 at what was answered. */
	#react(person: Person, room: Channel): void {
		if (this.#random.chance(0.5)) {
			const said = this.#own();
			if (!said) return;
			said.mayBeLost = true;
			this.#sign(said.person, "❌", said);
			return;
		}
		const answer = this.#seen(person, room).findLast(({ buttons }) => buttons.includes("Again"));
		if (!answer) return;
		this.retries += 1;
		this.#sign(person, "🔁", answer);
	}

	/** Nobody can do it twice. */
	#sign(person: Person, emoji: string, on: { readonly id: string }): void {
		const sign = `${person.id} ${emoji} ${on.id}`;
		if (!this.#signs.has(sign)) person.reacts(emoji, { on });
		this.#signs.add(sign);
	}

	/** A guest comes into a channel, or goes. */
	#invite(room: Channel): void {
		if (!isOpen({ room })) return;
		if (room.record.members.has(this.#guest.user)) room.loses(this.#guest);
		else {
			this.audiences.set(room.id, this.#world.clock.now());
			room.joins(this.#guest);
		}
	}

	#seen(person: Person, room: Channel) {
		return [room, ...room.threads()].flatMap((place) => place.shows(person));
	}

	#press(person: Person, room: Channel): void {
		const buttons = this.#seen(person, room).flatMap(({ id, buttons: labels }) =>
			labels.map((label) => ({ id, label })),
		);
		const wanted = buttons.filter(({ label }) => pressed.has(label));
		if (wanted.length === 0) return;
		const { id, label } = this.#random.pick(wanted);
		if (label === "Again") this.retries += 1;
		this.#wish(person.clicks(label, { on: { id } }));
	}

	#command(person: Person, room: Channel): void {
		const name = this.#random.pick(["/whoami", "/session list", "/stop", "/task list", "/why"]);
		this.#wish(person.commands(name, {}, { in: room }));
		if (name !== "/stop") return;
		for (const said of this.said) said.mayBeLost ||= said.room.id === room.id;
	}

	#wish(asked: Asked): void {
		if (this.#world.delivery.connections === 0) this.disturbed();
		this.#wishes.push({ asked, at: this.#world.clock.now(), isJudged: false });
	}

	/** Direct messages and our threads need no name. */
	#addressed(text: string, room: Channel): string {
		return isOpen({ room }) && room.threadTs === undefined ? `${this.#world.mention} ${text}` : text;
	}
}

function isOpen({ room }: { readonly room: Channel }): boolean {
	return room.record.kind === "channel";
}

function isTop({ room }: { readonly room: Channel }): boolean {
	return room.threadTs === undefined;
}
