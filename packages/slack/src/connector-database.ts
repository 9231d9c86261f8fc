import type { Clock, Failpoints, Store } from "@parley/base";
import { type ConnectorTables, type Kept, openConnectorDatabase as openDatabase } from "@parley/connector";
import type { HeardPlace } from "./catch-up/heard-places.ts";

/** What the connector keeps: nothing that could not be found out again from the gateway and from Slack. */
export interface ConnectorDatabase {
	readonly store: Store<ConnectorTables>;
	readonly places: Kept<readonly HeardPlace[]>;
	readonly alive: Kept<number>;
	readonly begun: Kept<true>;
}

/** Opens `connectors/slack.sqlite` in the data directory, readable by its owner only; rejects as `openSqliteStore` does. */
export async function openConnectorDatabase(options: {
	readonly dataDir: string;
	readonly clock: Clock;
	readonly failpoints?: Failpoints | undefined;
}): Promise<ConnectorDatabase> {
	const { store, kept } = await openDatabase({ ...options, platform: "slack" });
	return { store, places: kept("places"), alive: kept("alive"), begun: kept("begun") };
}
