import type { Clock, Failpoints, Ids, Logger } from "@parley/base";
import type { Client } from "@parley/protocol";
import type { GatewayFiles, GatewayHistory } from "../gateway/gateway-files.ts";
import type { ConnectorStatus } from "./connector.ts";
import type { PlatformLink, ReadyLink } from "./platform-side.ts";

export interface RunOptions {
	readonly gatewayUrl: string;
	/** Token of the connector on the gateway. */
	readonly gatewayToken: string;
	/** See `ClientOptions` of @parley/protocol. */
	readonly certificate?: string | undefined;
	/** Contains `connectors/PLATFORM.sqlite`, readable only by its owner. */
	readonly dataDir: string;
	readonly log: Logger;
	readonly clock: Clock;
	readonly ids: Ids;
	/** A random number of at least 0 and below 1. */
	readonly chance: () => number;
	/** Called when the connection to the platform changes. `status` describes the new state. */
	readonly onLink?: () => void;
	/** See `ConnectorParts`. */
	readonly joinMs?: number;
	/** Failpoints of the store, the inbox and the outbox. */
	readonly failpoints?: Failpoints;
	/** Connection that replaces the one to `gatewayUrl`. */
	readonly gateway?: { readonly client: Client; readonly files: GatewayFiles & GatewayHistory };
}

export interface RunStatus<Ready extends ReadyLink = ReadyLink> {
	/** Absent during the first connection attempt. */
	readonly link?: PlatformLink<Ready>;
	/** Number of undocumented payloads. */
	readonly malformed: number;
	/** Number of channels that may have missed events and are not read yet. Reading is retried. */
	readonly behind: number;
	/** Absent until the bot was ready for the first time. */
	readonly connector?: ConnectorStatus;
}

export interface RunningConnector<Ready extends ReadyLink = ReadyLink> {
	/** Stops the connector so that the next one can continue. */
	stop(): Promise<void>;
	status(): Promise<RunStatus<Ready>>;
	/**
	 * Resolves when the connector has ended: with the reason after a refusal of the platform or the gateway, without one
	 * after `stop`.
	 */
	readonly ended: Promise<Error | undefined>;
}
