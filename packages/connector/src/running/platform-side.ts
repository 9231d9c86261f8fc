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

/** That the connection to a platform is there, with what the platform tells then. */
export interface ReadyLink {
	readonly state: "ready";
}

/** What has become of the connection. `refused` is the end: a new try needs other tokens or settings. */
export type PlatformLink<Ready extends ReadyLink> =
	| Ready
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** What exists once it is known who the bot is. */
export interface StartedParts {
	readonly connector: Connector;
	readonly interactions: { settled(): Promise<void> };
	/** How much was not as the platform documents it. */
	malformed(): number;
	/** Asks the platform about a person. Returns undefined, or rejects, if it does not say. */
	personNow(asked: PersonQuery, signal: AbortSignal): Promise<PersonRights | undefined>;
}

/** What a platform's side is opened with. */
export interface SideOpening<Parts> extends ConnectorDatabase {
	/** What `PlatformSide.start` has made; rejects where it comes to nothing. */
	readonly started: Promise<Parts>;
	/** Aborts when it is time to stop. */
	readonly signal: AbortSignal;
}

/** What a platform's side starts its connector with. */
export interface ConnectorStart extends Posted {
	readonly store: Store<ConnectorTables>;
	/** `GatewayFiles.download`. */
	readonly readFile: UploadReader;
	/** `Connector.start` with all that is no matter of the platform. */
	connector(platform: ChatPlatform, controls: Controls): Promise<Connector>;
}

/** What a platform's package brings to the run of its connector, which calls it. */
export interface PlatformSide<Ready extends ReadyLink, Parts extends StartedParts> {
	/** Connects, which may take as long as it likes, and stays connected; rejects where that cannot be. */
	connect(linked: (link: PlatformLink<Ready>) => void): Promise<void>;
	/** Hears what has become of the connection before anybody else does. */
	linked(link: PlatformLink<Ready>): void;
	/** How many places there are in which something may have been missed that is still to be read. */
	readonly behind: number;
	/** Makes what takes events and shows posts, when it is first known who the bot is. */
	start(ready: Ready, start: ConnectorStart): Promise<Parts>;
	/** Lets the platform have the commands where it wants them told; never rejects. */
	bringCommands?(ready: Ready): Promise<void>;
	/** Called once events are taken. Where the database is lost it reads what the gateway has not heard; see `heardRooms`. */
	readMissed(heardRooms: () => Promise<readonly RoomProgress[]>): Promise<void>;
	/** Takes nothing more, and resolves when what was being taken is or will not be. */
	stop(): Promise<void>;
	/** Ends what outlives the connector; resolves when all is written. */
	close(): Promise<void>;
}
