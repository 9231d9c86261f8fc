import type { Random } from "../../random.ts";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Person } from "../../simulators/discord/people/person.ts";
import type { SentInteraction } from "../../simulators/discord/people/sent-interaction.ts";
import type { Simulator } from "../../simulators/discord/platform/simulator.ts";
import { Messages } from "./messages.ts";
import { PendingActions } from "./pending-actions.ts";

const pressed = new Set([
	"Approve once",
	"Approve 1",
	"Approve 2",
	"Approve all",
	"Details",
	"Deny",
	"Good",
	"Again",
	"Add to running request",
	"Stop",
	"Approve",
	"Cancel",
	"End trust",
]);

export class People {
	readonly rooms: readonly Channel[];
	readonly messages: Messages<Channel, Person>;
	readonly pendingActions: PendingActions;
	readonly requesters: readonly { readonly id: string; readonly name: string }[];
	retries = 0;
	/** Time of the last change of a channel's readers, by channel id. */
	readonly audiences = new Map<string, number>();
	readonly #simulator: Simulator;
	readonly #random: Random;
	readonly #persons: readonly Person[];
	readonly #reader: Person;

	constructor(simulator: Simulator, random: Random) {
		this.#simulator = simulator;
		this.#random = random;
		this.#persons = ["Ada", "Bo"].map((name) => simulator.member(name));
		this.#reader = simulator.member("Cy");
		this.requesters = this.#persons.map(({ id, name }) => ({ id, name }));
		this.pendingActions = new PendingActions(simulator.clock);
		this.messages = new Messages<Channel, Person>(simulator.clock, random, {
			// Direct messages do not need a mention.
			address: (text, { record }) => (record.guild === undefined ? text : `${simulator.mention} ${text}`),
			// Discord reports edit times in milliseconds, so two edits within one millisecond are indistinguishable.
			mayEdit: ({ changedAt }) => changedAt !== simulator.clock.now(),
			// The first message of a channel is never deleted, because an empty channel looks like an unreadable channel.
			mayDelete: (sentMessage) =>
				sentMessage !== this.messages.sentMessages.find(({ room }) => room === sentMessage.room),
		});
		this.rooms = [
			...["general", "random"].map((name) => simulator.channel(name)),
			...this.#persons.map(({ dm }) => dm),
		];
	}

	greet(): void {
		for (const room of this.rooms) this.messages.say(this.#whoIsIn(room), room);
	}

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

	#whoIsIn(room: Channel): Person {
		const own = this.#persons.find(({ dm }) => dm.id === room.id);
		return own ?? this.#random.pick(this.#persons);
	}

	#react(person: Person, room: Channel): void {
		if (this.#random.chance(0.5)) {
			const sentMessage = this.messages.cross();
			sentMessage?.person.reacts("❌", { on: sentMessage });
			return;
		}
		const answer = room.shows().findLast(({ buttons }) => buttons.includes("Again"));
		if (!answer) return;
		this.retries += 1;
		person.reacts("🔁", { on: answer });
	}

	#open(room: Channel): void {
		const { guild, overwrites } = room.record;
		if (guild === undefined) return;
		const mayRead = (overwrites.get(this.#reader.id)?.allow ?? 0n) !== 0n;
		this.audiences.set(room.id, this.#simulator.clock.now());
		room.permit(this.#reader, { [mayRead ? "deny" : "allow"]: ["ViewChannel"] });
	}

	#press(person: Person, room: Channel): void {
		const places = room.record.guild === undefined ? [room] : [room, ...room.threads()];
		const buttons = places.flatMap((place) =>
			place.shows(person).flatMap(({ id, buttons: labels }) => labels.map((label) => ({ id, label }))),
		);
		const expected = buttons.filter(({ label }) => pressed.has(label));
		if (expected.length === 0) return;
		const { id, label } = this.#random.pick(expected);
		if (label === "Again") this.retries += 1;
		this.#await(person.clicks(label, { on: { id } }));
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
		const isRegistered = this.#simulator.commands().some((command) => name.startsWith(`/${command.name}`));
		if (!isRegistered) return;
		this.#await(person.commands(name, {}, { in: room }));
		if (name === "/stop") this.messages.stopped(room);
	}

	#await(interaction: SentInteraction): void {
		if (this.#simulator.gateway.connections === 0) this.pendingActions.disturbed();
		this.pendingActions.add(interaction, String(interaction.record.type));
	}
}
