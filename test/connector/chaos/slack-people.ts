import type { Random } from "../../random.ts";
import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { Person } from "../../simulators/slack/people/person.ts";
import type { SentInteraction } from "../../simulators/slack/people/sent-interaction.ts";
import type { Simulator } from "../../simulators/slack/platform/simulator.ts";
import { Messages } from "./messages.ts";
import { PendingActions } from "./pending-actions.ts";

const pressed = new Set([
	"Approve once",
	"Approve 1",
	"Approve 2",
	"Approve all",
	"Details",
	"Good",
	"Again",
	"Add to running request",
	"Stop",
	"Approve",
	"Cancel",
	"End trust",
]);

export class SlackPeople {
	readonly rooms: readonly Channel[];
	readonly messages: Messages<Channel, Person>;
	readonly pendingActions: PendingActions;
	readonly requesters: readonly { readonly id: string; readonly name: string }[];
	retries = 0;
	/** Time of the last join of the guest to a channel, by channel id. */
	readonly audiences = new Map<string, number>();
	readonly #simulator: Simulator;
	readonly #random: Random;
	readonly #persons: readonly Person[];
	readonly #guest: Person;
	readonly #signs = new Set<string>();

	constructor(simulator: Simulator, random: Random) {
		this.#simulator = simulator;
		this.#random = random;
		this.pendingActions = new PendingActions(simulator.clock);
		this.messages = new Messages<Channel, Person>(simulator.clock, random, {
			// Direct messages and Parley's threads need no mention.
			address: (text, room) =>
				isOpen({ room }) && room.threadTs === undefined ? `${simulator.mention} ${text}` : text,
		});
		this.#persons = ["Ada", "Bo"].map((name) => simulator.member(name));
		this.requesters = this.#persons.map(({ id, name }) => ({ id, name }));
		this.rooms = [
			...["general", "random"].map((name) => simulator.channel(name)),
			...this.#persons.map(({ dm }) => dm),
		];
		this.#guest = simulator.member("Cy", { guest: true });
		for (const room of this.rooms.slice(0, 2)) room.loses(this.#guest);
	}

	greet(): void {
		for (const room of this.rooms) this.messages.say(this.#whoIsIn(room), room);
	}

	act(): void {
		const room = this.#random.pick(this.rooms);
		const person = this.#whoIsIn(room);
		const kind = this.#random.below(19);
		if (kind < 3) this.messages.say(person, room);
		else if (kind < 5) this.#continueThread(person);
		else if (kind < 6) this.messages.say(person, room, true);
		else if (kind < 9) this.messages.edit();
		else if (kind < 10) this.messages.delete();
		else if (kind < 11) this.#react(person, room);
		else if (kind < 13) this.#invite(room);
		else if (kind < 17) this.#press(person, room);
		else this.#command(person, room);
	}

	#whoIsIn(room: Channel): Person {
		const own = this.#persons.find(({ dm }) => dm.id === room.id);
		return own ?? this.#random.pick(this.#persons);
	}

	#continueThread(person: Person): void {
		const [root] = this.messages.recent.filter((sentMessage) => isTop(sentMessage) && isOpen(sentMessage));
		if (root) this.messages.say(person, root.room.thread(root));
	}

	#react(person: Person, room: Channel): void {
		if (this.#random.chance(0.5)) {
			const sentMessage = this.messages.cross();
			if (sentMessage) this.#sign(sentMessage.person, "❌", sentMessage);
			return;
		}
		const answer = this.#seen(person, room).findLast(({ buttons }) => buttons.includes("Again"));
		if (!answer) return;
		this.retries += 1;
		this.#sign(person, "🔁", answer);
	}

	#sign(person: Person, emoji: string, on: { readonly id: string }): void {
		const sign = `${person.id} ${emoji} ${on.id}`;
		// Slack refuses a reaction that the user has already added.
		if (!this.#signs.has(sign)) person.reacts(emoji, { on });
		this.#signs.add(sign);
	}

	#invite(room: Channel): void {
		if (!isOpen({ room })) return;
		if (room.record.members.has(this.#guest.user)) room.loses(this.#guest);
		else {
			this.audiences.set(room.id, this.#simulator.clock.now());
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
		const expected = buttons.filter(({ label }) => pressed.has(label));
		if (expected.length === 0) return;
		const { id, label } = this.#random.pick(expected);
		if (label === "Again") this.retries += 1;
		this.#await(person.clicks(label, { on: { id } }));
	}

	#command(person: Person, room: Channel): void {
		const name = this.#random.pick(["/whoami", "/session list", "/stop", "/task list", "/why"]);
		this.#await(person.commands(name, {}, { in: room }));
		if (name === "/stop") this.messages.stopped(room);
	}

	#await(interaction: SentInteraction): void {
		if (this.#simulator.delivery.connections === 0) this.pendingActions.disturbed();
		this.pendingActions.add(interaction, interaction.record.kind);
	}
}

function isOpen({ room }: { readonly room: Channel }): boolean {
	return room.record.kind === "channel";
}

function isTop({ room }: { readonly room: Channel }): boolean {
	return room.threadTs === undefined;
}
