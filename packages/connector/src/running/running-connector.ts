import type { Clock, Failpoints, Ids, Logger } from "@parley/base";
import type { Client } from "@parley/protocol";
import type { GatewayFiles, GatewayHistory } from "../gateway/gateway-files.ts";
import type { ConnectorStatus } from "./connector.ts";
import type { PlatformLink, ReadyLink } from "./platform-side.ts";

/** What a connector runs with, whatever its platform. */
export interface RunOptions {
	readonly gatewayUrl: string;
	/** A connector's token for the platform. */
	readonly gatewayToken: string;
	/** See `ClientOptions` of @parley/protocol. */
	readonly certificate?: string | undefined;
	/** `connectors/PLATFORM.sqlite` is kept in it, readable by its owner only. */
	readonly dataDir: string;
	readonly log: Logger;
	readonly clock: Clock;
	readonly ids: Ids;
	/** From 0 up to but without 1. */
	readonly chance: () => number;
	/** Called when the connection to the platform has changed; `status` tells how. */
	readonly onLink?: () => void;
	/** Those of the store, the inbox and the outbox. */
	readonly failpoints?: Failpoints;
	/** Another one than that of `gatewayUrl`. */
	readonly gateway?: { readonly client: Client; readonly files: GatewayFiles & GatewayHistory };
}

/** How a running connector is doing. */
export interface RunStatus<Ready extends ReadyLink = ReadyLink> {
	/** Absent while it connects for the first time. */
	readonly link?: PlatformLink<Ready>;
	/** Events that were not as the platform documents them. */
	readonly malformed: number;
	/** Places in which something may have been missed that is still to be read; it is tried for as long as it takes. */
	readonly behind: number;
	/** Absent until the bot was ready once. */
	readonly connector?: ConnectorStatus;
}

/** A connector that runs. */
export interface RunningConnector<Ready extends ReadyLink = ReadyLink> {
	/** Ends it so that the next one goes on where it was. */
	stop(): Promise<void>;
	status(): Promise<RunStatus<Ready>>;
	/** Resolves when it is of no use any more: with the reason where the platform or the gateway refuses it, without after `stop`. */
	readonly ended: Promise<Error | undefined>;
}
