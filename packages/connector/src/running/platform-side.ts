import type { Store } from "@parley/base";
import type { Controls } from "../controls/controls.ts";
import type { Posted } from "../outbox/posted-in.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { UploadReader } from "../platform/compose-surface.ts";
import type { PersonQuery, PersonRights } from "../platform/person-rights.ts";
import type { RoomProgress } from "../rooms/room-progress.ts";
import type { ConnectorDatabase } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { Connector } from "./connector.ts";
import type { Health } from "./health.ts";

/** An established connection to a platform. Each platform adds its own fields. */
export interface ReadyLink {
	readonly state: "ready";
}

/** State of the connection. `refused` is final, because a retry needs other tokens or settings. */
export type PlatformLink<Ready extends ReadyLink> =
	| Ready
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** Parts that exist when the bot's account is known. */
export interface StartedParts {
	readonly connector: Connector;
	readonly interactions: { settled(): Promise<void> };
	/** Returns the number of unreadable payloads. */
	malformed(): number;
	/**
	 * Resolves with a person's current rights in a channel. Resolves with undefined, or rejects, if the platform does
	 * not answer.
	 */
	personRights(query: PersonQuery, signal: AbortSignal): Promise<PersonRights | undefined>;
}

export interface SideOpening<Parts> extends ConnectorDatabase {
	/** Result of `PlatformSide.start`; rejects if the start fails. */
	readonly started: Promise<Parts>;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

export interface ConnectorStart extends Posted {
	readonly store: Store<ConnectorTables>;
	/** Reads a stored file of the gateway, as `GatewayFiles.download` does. */
	readonly readFile: UploadReader;
	/** Starts the connector as `Connector.start` does. Adds all parts that do not depend on the platform. */
	connector(platform: ChatPlatform, controls: Controls): Promise<Connector>;
}

/** Functions of a platform's package, for `runConnector`. */
export interface PlatformSide<Ready extends ReadyLink, Parts extends StartedParts> {
	/**
	 * Connects without a time limit and stays connected. Reports each change of the connection to `linked`, including a
	 * refusal by the platform. Rejects if another failure ends the connection.
	 */
	connect(linked: (link: PlatformLink<Ready>) => void): Promise<void>;
	/** Receives each change of the connection, before the connector handles the change. */
	linked(link: PlatformLink<Ready>): void;
	/** Number of channels and threads whose missed events remain to be read. */
	readonly behind: number;
	/** Creates the receiver of events and the surface. Called once, when the bot's account is first known. */
	start(ready: Ready, start: ConnectorStart): Promise<Parts>;
	/**
	 * Shows a change of the health, for example as the presence of the bot. Not called for the initial health,
	 * `working`.
	 */
	showHealth?(health: Health): void;
	/** Registers the commands, on platforms that require a registration. Never rejects. */
	syncCommands?(ready: Ready): Promise<void>;
	/**
	 * Reads the events that the connector has missed. Called when live events are already received. After a
	 * loss of the database, reads the events that the gateway does not have; see `readRoomProgress`.
	 */
	readMissed(knownRooms: () => Promise<readonly RoomProgress[]>): Promise<void>;
	/** Stops receiving. Resolves when all received events are stored or refused. */
	stop(): Promise<void>;
	/** Ends parts that outlive the connector. Resolves when all data is saved. */
	close(): Promise<void>;
}
