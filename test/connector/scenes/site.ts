import type { Logger } from "@parley/base";
import type { ManualClock } from "@parley/base/testing";
import type { ConnectorStatus } from "@parley/connector";
import type { Config } from "@parley/gateway";
import type { Fault, Name, Scene, Sight } from "./step.ts";

type Chat = NonNullable<Config["chat"]>;

/** A message as somebody sees it. */
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
	/** What somebody sees, the oldest first; nobody given: what everybody there sees. */
	shows(viewer?: { readonly id: string }): readonly Seen[];
	transcript(viewer?: { readonly id: string }): string;
	/** Names of those who are seen at work. */
	typing(): readonly string[];
}

/** Something that a person did and that is answered: a press, a command, a form. */
export interface Asked {
	/** What has become of it by now. */
	readonly state: string;
	readonly failed: boolean;
	readonly form:
		| { readonly title: string; readonly fields: readonly { readonly label: string }[] }
		| undefined;
	/** What was offered while it was written. */
	readonly choices?: readonly { readonly name: string }[];
	/** What the person reads of it alone. */
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

/** Somebody at their client, who does only what it would let them do, and throws otherwise. */
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
	/** Presses what stood on a message and is gone by the time it arrives. */
	clicksLate(label: string, where: { readonly on: Message }): Asked;
	chooses(labels: readonly string[], where?: { readonly on?: Message; readonly in?: Room }): Asked;
	submits(asked: Asked, values?: Readonly<Record<string, string>>): Asked;
	commands(name: string, values: Values, where: { readonly in: Room; readonly on?: Message }): Asked;
	/** What is offered while a command is written; not there where the platform offers nothing. */
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
	/** Where the agent works. */
	readonly directory: string;
}

/**
 * The platform of one scene with its people and rooms, what the gateway's configuration says of them, and the connector
 * for it. What scenes say is meant here as the platform has it.
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
	/** What calls Parley in a text. */
	readonly mention: string;
	/** Whether people find there what they need. */
	readonly isReady: boolean;
	room(name: string, person: Player): Room;
	/** What is shown to who looks for a fault. */
	rooms(): readonly Room[];
	/** A post as `messageText` of its simulator writes it. */
	written(seen: Seen): string;
	/** What is looked for, as the platform shows it. */
	meant(sight: Sight): Sight;
	/** Another text each time that something was posted, edited or deleted. */
	traces(): string;
	/** What broke the platform's rules, called somebody, or was planned and has not happened. */
	takeFaults(): string[];
	connect(connecting: Connecting): Promise<Running>;
	/** The platform has nothing kept for a connector that comes back. */
	forget(): void;
	/** Ends the connection to the platform. */
	cut(): void;
	fail(request: string, fault: Fault): void;
	/** What those who run the server do. */
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
