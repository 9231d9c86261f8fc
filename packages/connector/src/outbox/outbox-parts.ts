import type { Clock, Failpoints, Logger, Store } from "@parley/base";
import type { Surface } from "../platform/surface.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { Dialect } from "../text/dialect.ts";

export interface OutboxParts {
	readonly store: Store<ConnectorTables>;
	readonly surface: Surface;
	/** Dialect of the note above a copied answer. */
	readonly dialect: Dialect;
	readonly clock: Clock;
	/** Returns a random number from 0 to below 1. */
	readonly chance: () => number;
	readonly log: Logger;
	/**
	 * Failpoints with the prefix `outbox.`: `claim`, `claimed`, `answered`, `look`, `looked`, `settled`, `draft` and
	 * `drafted`.
	 */
	readonly failpoints?: Failpoints;
}
