import type { Clock, Ids } from "@parley/base";
import { chanceOf } from "@parley/base";
import type { GatewayDispatchEvents } from "discord-api-types/v10";
import { offline, type PresenceRecord } from "./presence.ts";
import type {
	AttachmentRecord,
	ChannelRecord,
	CommandRecord,
	GuildRecord,
	InteractionRecord,
	MemberRecord,
	MessageRecord,
	Ping,
	UserRecord,
} from "./records.ts";
import { refusals } from "./refusal.ts";
import type { SimulatorSettings } from "./settings.ts";
import type { Snowflakes } from "./snowflakes.ts";

export interface SimulatorEvent {
	readonly t: GatewayDispatchEvents;
	readonly d: object;
	/** Bits of intents of which a session needs at least one. If 0, every session receives the event. */
	readonly intents: number;
	/**
	 * Channel of the event. If the app cannot see this channel, the app receives the event only for an ephemeral
	 * message.
	 */
	readonly channel?: ChannelRecord;
	/** Message of the event. Without the intent `MESSAGE_CONTENT`, an app may receive the message without content. */
	readonly message?: MessageRecord;
}

export interface AppRecord {
	readonly id: string;
	readonly name: string;
	readonly user: UserRecord;
	readonly token: string;
	readonly ownerId: string;
	/** Bits of the privileged intents that are enabled for the app in the developer portal. */
	privileged: number;
}

export class State {
	readonly clock: Clock;
	readonly ids: Ids;
	readonly snowflakes: Snowflakes;
	readonly settings: SimulatorSettings;
	readonly app: AppRecord;
	readonly users = new Map<string, UserRecord>();
	readonly guilds = new Map<string, GuildRecord>();
	readonly channels = new Map<string, ChannelRecord>();
	readonly interactions = new Map<string, InteractionRecord>();
	readonly commands = new Map<string, CommandRecord>();
	readonly files = new Map<string, AttachmentRecord>();
	/** Messages by author and nonce: https://discord.com/developers/docs/resources/message#create-message */
	readonly nonces = new Map<string, { readonly message: MessageRecord; readonly at: number }>();
	readonly oldEdits = new Map<string, number[]>();
	readonly commandCreates = new Map<string, number[]>();
	readonly pings: Ping[] = [];
	presence: PresenceRecord = offline;
	/** Times of the presence updates that count for the rate limit. */
	presences: number[] = [];
	/** Requests that were refused because no correct app sends them, and faults of the simulator itself. */
	readonly violations: string[] = [];
	/** Base URL of file links. A front end with its own port changes it. */
	cdn = "https://cdn.discordapp.com";
	/** Address of the gateway. A front end with its own port changes it. */
	gatewayUrl = "wss://gateway.discord.gg";
	/** Times of session starts. */
	readonly identifies: number[] = [];
	readonly #listeners = new Set<(event: SimulatorEvent) => void>();

	constructor(parts: Pick<State, "clock" | "ids" | "snowflakes" | "settings" | "app">) {
		this.clock = parts.clock;
		this.ids = parts.ids;
		this.snowflakes = parts.snowflakes;
		this.settings = parts.settings;
		this.app = parts.app;
		this.users.set(this.app.user.id, this.app.user);
	}

	now(): number {
		return this.clock.now();
	}

	/** Returns a number of at least 0 and below 1, derived from the seed. */
	chance(): number {
		return chanceOf(this.ids);
	}

	timestamp(at: number): string {
		return new Date(at).toISOString().replace("Z", "000+00:00");
	}

	emit(event: SimulatorEvent): void {
		for (const listener of [...this.#listeners]) listener(event);
	}

	listen(listener: (event: SimulatorEvent) => void): void {
		this.#listeners.add(listener);
	}

	user(id: string): UserRecord {
		const user = this.users.get(id);
		if (!user) throw refusals.unknownUser();
		return user;
	}

	guild(id: string): GuildRecord {
		const guild = this.guilds.get(id);
		if (!guild) throw refusals.unknownGuild();
		return guild;
	}

	channel(id: string): ChannelRecord {
		const channel = this.channels.get(id);
		if (!channel || channel.deleted) throw refusals.unknownChannel();
		return channel;
	}

	member(guild: GuildRecord, userId: string): MemberRecord {
		const member = guild.members.get(userId);
		if (!member) throw refusals.unknownMember();
		return member;
	}

	/** Returns a message that the app can request through the channel. Throws for an ephemeral or deleted message. */
	message(channel: ChannelRecord, id: string): MessageRecord {
		const found = channel.messages.find((message) => message.id === id);
		if (!found || found.deleted || found.onlyFor) throw refusals.unknownMessage();
		return found;
	}
}
