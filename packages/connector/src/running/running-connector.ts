import type { Clock, Failpoints, Ids, Logger } from "@parley/base";
import type { Client } from "@parley/protocol";
import type { GatewayFiles, GatewayHistory } from "../gateway/gateway-files.ts";
import type { ConnectorStatus } from "./connector.ts";
import type { PlatformLink, ReadyLink } from "./platform-side.ts";

export interface RunOptions {
	readonly gatewayUrl: string;
	/** Token of the connector on the gateway. */
	readonly gatewayToken: string;
	/** Certificate of the gateway: see `ClientOptions` of @parley/protocol. */
	readonly certificate?: string | undefined;
	/** Data directory. It contains `connectors/PLATFORM.sqlite`, which only the user of this process can read. */
	readonly dataDir: string;
	readonly log: Logger;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Returns a random number from 0 to below 1. */
	readonly chance: () => number;
	/** Runs when the connection to the platform changes. `status` describes the new state. */
	readonly onLink?: () => void;
	/** Time in milliseconds within which messages are joined: see `ConnectorParts`. */
	readonly joinMs?: number;
	/** Failpoints of the store, the inbox and the outbox. */
	readonly failpoints?: Failpoints;
	/** Connection to a gateway, instead of a new connection to `gatewayUrl`. */
	readonly gateway?: { readonly client: Client; readonly files: GatewayFiles & GatewayHistory };
}

export interface RunStatus<Ready extends ReadyLink = ReadyLink> {
	/** State of the connection; absent during the first attempt. */
	readonly link?: PlatformLink<Ready>;
	/** Number of unreadable payloads. */
	readonly malformed: number;
	/** Number of channels and threads whose missed events remain to be read. Failed reads are retried. */
	readonly behind: number;
	/** State of the connector; absent until the bot is ready for the first time. */
	readonly connector?: ConnectorStatus;
}

export interface RunningConnector<Ready extends ReadyLink = ReadyLink> {
	/** Stops the connector, so that the next process can continue. */
	stop(): Promise<void>;
	status(): Promise<RunStatus<Ready>>;
	/**
	 * Promise that resolves when the connector has ended. The result is the reason after a refusal by the platform or
	 * the gateway, or undefined after `stop`.
	 */
	readonly ended: Promise<Error | undefined>;
}
