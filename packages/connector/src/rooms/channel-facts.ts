import type { Clock } from "@parley/base";
import type { MethodInput, MethodResult, Requester } from "@parley/protocol";
import { type LiveLevel, usualLevel } from "../platform/answer-card.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { type RoomFacts, usualFacts } from "../platform/is-for-us.ts";
import { Lookup } from "../platform/lookup.ts";
import { onBehalf } from "./on-behalf.ts";

/** Maximum age of a channel's settings, in milliseconds. */
const factsMs = 30_000;
/** Maximum number of channels in memory. */
const maxKnown = 10_000;

/**
 * Display of messages. `reacts`: reactions show the state of messages. `offers`: a queued message can be added to the
 * active run.
 */
export interface MessageDisplay {
	readonly reacts: boolean;
	readonly offers: boolean;
}

export type Self = MethodResult<"whoami">;

/** Settings of channels, and rights of people, according to the gateway. */
export class ChannelFacts {
	readonly #gateway: Requester;
	readonly #facts: Lookup<RoomFacts>;

	constructor({ gateway, clock }: { readonly gateway: Requester; readonly clock: Clock }) {
		this.#gateway = gateway;
		this.#facts = new Lookup({ clock, max: maxKnown, retentionMs: factsMs });
	}

	/** Returns the settings of the room's channel. The settings are at most half a minute old. */
	facts(person: Person, room: Room): Promise<RoomFacts> {
		return this.#facts.find(`${room.tenant}:${room.channel}`, async () => {
			const { place = usualFacts } = await this.whoami(person, room);
			return place;
		});
	}

	/** Returns the role and rights of a person according to the gateway. */
	whoami(person: Person, room: Room): Promise<Self> {
		// The cast is safe on the wire: `actor` and `place` are separate from the parameters of a method, and `whoami` has no
		// parameters.
		const input = onBehalf(person, room) as unknown as MethodInput<"whoami">;
		return this.#gateway.request("whoami", input);
	}

	/**
	 * Returns how much of an answer is shown in a channel while the agent is working. `author`: author of the
	 * message. If the author is unknown, the default applies.
	 */
	async liveLevel(
		room: Room,
		author: { readonly id: string; readonly name: string } | undefined,
	): Promise<LiveLevel> {
		return (await this.#factsFor(room, author)).live ?? usualLevel;
	}

	/**
	 * Returns the display of messages in a channel. `author`: author of the message; if unknown, the default applies.
	 */
	async display(
		room: Room,
		author: { readonly id: string; readonly name: string } | undefined,
	): Promise<MessageDisplay> {
		const { status, busy } = await this.#factsFor(room, author);
		return { reacts: status === "reactions", offers: busy === "offer" };
	}

	async #factsFor(
		room: Room,
		author: { readonly id: string; readonly name: string } | undefined,
	): Promise<RoomFacts> {
		const id = author?.id.split(":")[2];
		if (author === undefined || id === undefined) return usualFacts;
		const person = { id, name: author.name, roles: [], guest: false, bot: false };
		return this.facts(person, room);
	}
}
