import type { Logger } from "@parley/base";
import type { ManualClock } from "@parley/base/testing";
import type { ConnectorStatus } from "@parley/connector";
import type { Config } from "@parley/gateway";
import type { Fault, Name, Scene, Sight } from "./step.ts";

type Chat = NonNullable<Config["chat"]>;

export interface Seen {
	readonly id: string;
	readonly author: string;
	readonly content: string;
	/** True for a placeholder of a later response. */
	readonly thinking?: boolean;
}

/** A channel, a thread or direct messages, as people see them. */
export interface Room {
	/** Messages that the viewer sees, oldest first. By default, those that all members of the channel see. */
	shows(viewer?: { readonly id: string }): readonly Seen[];
	transcript(viewer?: { readonly id: string }): string;
	/** Names of people with a typing indicator. */
	typing(): readonly string[];
}

/** An action that has a response: a press, a command or a form. */
export interface SentInteraction {
	readonly state: string;
	readonly failed: boolean;
	readonly form:
		| { readonly title: string; readonly fields: readonly { readonly label: string }[] }
		| undefined;
	readonly choices?: readonly { readonly name: string }[];
	/** Private responses for the person. */
	answers(): readonly Seen[];
}

export interface File {
	readonly name: string;
	readonly content: string | Uint8Array;
}

interface Message {
	readonly id: string;
}

type Values = Readonly<Record<string, string | number | boolean>>;

/** A person at their client. Does only what the client allows, and throws otherwise. */
export interface Player {
	readonly id: string;
	readonly name: string;
	says(
		text: string,
		where: {
			readonly in: Room;
			readonly replyTo?: Message;
			readonly quiet?: boolean;
			readonly attachments?: readonly File[];
			readonly forwards?: Message;
		},
	): Message;
	edits(message: Message, text: string): unknown;
	deletes(message: Message): void;
	reacts(emoji: string, where: { readonly on: Message }): void;
	opensThread(name: string, where: { readonly of: Message }): unknown;
	clicks(label: string, where?: { readonly on?: Message; readonly in?: Room }): SentInteraction;
	/** Presses a button that was removed before the press arrives. */
	clicksLate(label: string, where: { readonly on: Message }): SentInteraction;
	chooses(labels: readonly string[], where?: { readonly on?: Message; readonly in?: Room }): SentInteraction;
	submits(interaction: SentInteraction, values?: Readonly<Record<string, string>>): SentInteraction;
	commands(
		name: string,
		values: Values,
		where: { readonly in: Room; readonly on?: Message },
	): SentInteraction;
	/** Choices while a command is typed. Absent if the platform cannot suggest them. */
	types?(name: string, values: Values, where: { readonly in: Room }): SentInteraction;
}

export interface Running {
	stop(): Promise<void>;
	status(): Promise<{ readonly connector?: ConnectorStatus }>;
}

export interface Connecting {
	readonly gatewayUrl: string;
	readonly gatewayToken: string;
	readonly dataDir: string;
	readonly log: Logger;
	readonly clock: ManualClock;
}

const minuteMs = 60_000;

/** Notices of a scene in the form of the configuration. */
export function noticesOf(
	{ groups, remindMinutes, escalateMinutes }: NonNullable<Scene["notices"]>,
	idOf: (name: Name) => string,
): NonNullable<Chat["notices"]>[string] {
	return {
		groups: groups.map(({ people, by }) => ({ people: people.map(idOf), by })),
		remindMs: remindMinutes * minuteMs,
		escalateMs: escalateMinutes * minuteMs,
	};
}

export interface SiteParts {
	readonly clock: ManualClock;
	readonly scene: Pick<Scene, "place" | "settingsOf" | "robo" | "welcome" | "notices" | "joins">;
	/** Working directory of the agent. */
	readonly directory: string;
}

/**
 * Platform of one scene with its people and channels, their gateway configuration, and the connector for it. Translates the
 * words of scenes to the platform.
 */
export interface Site {
	readonly platform: string;
	readonly directory: string;
	readonly people: Readonly<Record<Name, Player>>;
	/** The guild or team, after which its connector is named. */
	readonly tenant: string;
	readonly tenants: readonly string[];
	readonly rules: Chat["allow"];
	/** Channel settings of `general` or of direct messages, with their id. */
	readonly place: readonly [string, Chat["places"][string]];
	/** Channel settings of `random`, with its id, if it has some. */
	readonly otherPlace: Site["place"] | undefined;
	/** Notices about the approvals of `general`, with its id. */
	readonly notices: readonly [string, NonNullable<Chat["notices"]>[string]] | undefined;
	readonly mention: string;
	/** Time from which on a missing working indicator of an active run is a fault. */
	readonly typingGapMs: number;
	/** True if the channels and commands that people need exist. */
	readonly isReady: boolean;
	room(name: string, person: Player): Room;
	/** All channels, for reports of a fault. */
	rooms(): readonly Room[];
	/** A post as `messageText` of its simulator writes it. */
	written(seen: Seen): string;
	/** The direct messages of a person, if they have notices that other platforms show in a room. */
	directOf?(person: string): Room | undefined;
	/** Expected post in the form of the platform. */
	meant(sight: Sight): Sight;
	/** A text that changes with each post, edit or deletion. */
	traces(): string;
	/** People whom mentions have notified since the last call, for example `@Olga`. */
	drainPings(): string[];
	/** Violations of the platform's rules, mentions of people, and planned faults that did not occur. */
	drainFaults(): string[];
	connect(connecting: Connecting): Promise<Running>;
	/** Drops the events that the platform stores for a connector that reconnects. */
	forget(): void;
	/** Ends the connection to the platform. */
	cut(): void;
	fail(request: string, fault: Fault): void;
	/** Actions of server administrators. */
	archive(room: Room, locked: boolean): void;
	lock(room: Room): void;
	reopen(room: Room): void;
	forbid(room: Room, rights: readonly string[]): void;
	open(room: Room, to: Player): void;
	remove(room: Room): void;
	moderate(room: Room, message: Message): void;
}

export interface SiteClass<S extends Site = Site> {
	readonly platform: string;
	new (parts: SiteParts): S;
}
