import type { Logger } from "@parley/base";
import type { ManualClock } from "@parley/base/testing";
import type { ConnectorStatus } from "@parley/connector";
import type { Config } from "@parley/gateway";
import type { Fault, Name, Scene, Sight } from "./step.ts";

type Chat = NonNullable<Config["chat"]>;

/** Message as a viewer sees it. */
export interface Seen {
	readonly id: string;
	readonly author: string;
	/** As it was sent. */
	readonly content: string;
	/** It is still to come. */
	readonly thinking?: boolean;
}

/** A channel, a thread or direct messages, as people see them. */
export interface Room {
	/** Messages that the viewer sees, oldest first. Default: those that everyone in the channel sees. */
	shows(viewer?: { readonly id: string }): readonly Seen[];
	transcript(viewer?: { readonly id: string }): string;
	/** Names of those who are seen at work. */
	typing(): readonly string[];
}

/** Something that a person did and that is answered: a press, a command, a form. */
export interface Asked {
	/** Present state. */
	readonly state: string;
	readonly failed: boolean;
	readonly form:
		| { readonly title: string; readonly fields: readonly { readonly label: string }[] }
		| undefined;
	/** Autocomplete choices. */
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
		},
	): Message;
	edits(message: Message, text: string): unknown;
	deletes(message: Message): void;
	reacts(emoji: string, where: { readonly on: Message }): void;
	opensThread(name: string, where: { readonly of: Message }): unknown;
	clicks(label: string, where?: { readonly on?: Message; readonly in?: Room }): Asked;
	/** Presses a button that was removed before the press arrives. */
	clicksLate(label: string, where: { readonly on: Message }): Asked;
	chooses(labels: readonly string[], where?: { readonly on?: Message; readonly in?: Room }): Asked;
	submits(asked: Asked, values?: Readonly<Record<string, string>>): Asked;
	commands(name: string, values: Values, where: { readonly in: Room; readonly on?: Message }): Asked;
	/** Choices while a command is typed. Absent if the platform has none. */
	types?(name: string, values: Values, where: { readonly in: Room }): Asked;
}

/** A connector that runs. */
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

export interface SiteParts {
	readonly clock: ManualClock;
	readonly scene: Pick<Scene, "place">;
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
	/** All tenants that the connector speaks for. */
	readonly tenants: readonly string[];
	readonly rules: Chat["allow"];
	/** Of `general`. */
	readonly place: readonly [string, Chat["places"][string]];
	/** Mention of Parley in a text. */
	readonly mention: string;
	/** Whether people find there what they need. */
	readonly isReady: boolean;
	room(name: string, person: Player): Room;
	/** All channels, for reports of a fault. */
	rooms(): readonly Room[];
	/** A post as `messageText` of its simulator writes it. */
	written(seen: Seen): string;
	/** Expected post in the form of the platform. */
	meant(sight: Sight): Sight;
	/** Another text each time that something was posted, edited or deleted. */
	traces(): string;
	/** Violations of the platform's rules, mentions of people, and planned faults that did not occur. */
	takeFaults(): string[];
	connect(connecting: Connecting): Promise<Running>;
	/** The platform has nothing kept for a connector that comes back. */
	forget(): void;
	/** Ends the connection to the platform. */
	cut(): void;
	fail(request: string, fault: Fault): void;
	/** Actions of server administrators. */
	archive(room: Room, locked: boolean): void;
	forbid(room: Room, rights: readonly string[]): void;
	open(room: Room, to: Player): void;
	remove(room: Room): void;
	moderate(room: Room, message: Message): void;
}

/** How the platform of each scene is made. */
export interface SiteClass<S extends Site = Site> {
	readonly platform: string;
	new (parts: SiteParts): S;
}
