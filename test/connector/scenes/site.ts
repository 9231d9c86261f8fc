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
	/** Whether this is a placeholder for a later response. */
	readonly thinking?: boolean;
}

export interface Room {
	/** Returns the messages that the viewer sees, oldest first. Without a viewer, returns the public messages. */
	shows(viewer?: { readonly id: string }): readonly Seen[];
	transcript(viewer?: { readonly id: string }): string;
	/** Returns the names of users whose typing indicator is visible. */
	typing(): readonly string[];
}

/** An action that expects a response, for example a press, a command or a submitted form. */
export interface SentInteraction {
	readonly state: string;
	readonly failed: boolean;
	readonly form:
		| { readonly title: string; readonly fields: readonly { readonly label: string }[] }
		| undefined;
	readonly choices?: readonly { readonly name: string }[];
	/** Returns the responses so far, including placeholders. */
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

/** User of a chat client. A method throws if the client does not allow the action. */
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
	/** Requests suggestions for a partial command. Undefined on a platform without suggestions. */
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
	readonly directory: string;
}

/**
 * The chat platform of one scene: its users and channels, its gateway configuration, and its connector. Maps
 * the terms of scenes to the platform.
 */
export interface Site {
	readonly platform: string;
	readonly directory: string;
	readonly people: Readonly<Record<Name, Player>>;
	/** Id of the guild or team. The name of the connector contains this id. */
	readonly tenant: string;
	readonly tenants: readonly string[];
	readonly rules: Chat["allow"];
	/** The key of `general` or of Mia's direct messages, with its channel settings. */
	readonly place: readonly [string, Chat["places"][string]];
	/** The key of `random`, with its channel settings. Undefined unless approvals can be answered there. */
	readonly otherPlace: Site["place"] | undefined;
	/** The key of `general`, with its notice settings for approvals. Undefined without notices. */
	readonly notices: readonly [string, NonNullable<Chat["notices"]>[string]] | undefined;
	readonly mention: string;
	/** Maximum milliseconds without a typing indicator during an active run. */
	readonly typingGapMs: number;
	readonly isReady: boolean;
	room(name: string, person: Player): Room;
	rooms(): readonly Room[];
	/** Formats a post like the simulator's `messageText`. */
	written(seen: Seen): string;
	/**
	 * Returns the direct messages of a user if the platform shows the user's private notices there. Otherwise
	 * undefined.
	 */
	directOf?(person: string): Room | undefined;
	/** Converts the expected content of a post to the platform's format. */
	platformForm(sight: Sight): Sight;
	/** Returns a text that changes whenever a post is added, edited or deleted. */
	traces(): string;
	/** Returns the users whom mentions have notified since the last call, as `@NAME`. */
	drainPings(): string[];
	/**
	 * Returns the faults: violations of the platform's rules, unwanted notifications, and planned faults that did
	 * not occur.
	 */
	drainFaults(): string[];
	connect(connecting: Connecting): Promise<Running>;
	/** Drops the events that the platform has queued for the connector's next connection. */
	forget(): void;
	cut(): void;
	fail(request: string, fault: Fault): void;
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
