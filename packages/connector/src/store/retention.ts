import type { Clock, Logger, Store, Timer } from "@parley/base";
import type { ConnectorTables } from "./tables.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Retention of settled rows in milliseconds. Platforms redeliver for up to a day (Slack's delayed events:
 * https://docs.slack.dev/apis/events-api), so three days cover all copies. Posts are stored so that operators can
 * list them. Cards are stored for as long as they may be edited.
 */
const retentionMs = {
	inbound: 3 * dayMs,
	outbox: 7 * dayMs,
	heard: 7 * dayMs,
	cards: 90 * dayMs,
	dead: 30 * dayMs,
} as const;

/**
 * Prefix of the cursors for posts that belong to no session, for example answers to commands. Existing databases
 * contain the word `arrival`, so the prefix cannot change.
 */
export const eventCursor = "arrival:";
/**
 * First key after all keys with the prefix `arrival:`, because a semicolon follows the colon in the order of
 * characters.
 */
const afterEvents = "arrival;";
/**
 * Prefix of the cursors for growing answers. The rows of a growing answer have no recorded event. The row of the
 * complete answer follows them.
 */
export const growingCursor = `${eventCursor}live/`;

/** Deletes old rows. Unsettled inbound events and posts stay. */
export async function sweep(store: Store<ConnectorTables>, now: number): Promise<void> {
	await store.commit(async (tx) => {
		for (const [table, state, maxAge] of [
			["inbound", "done", retentionMs.inbound],
			["inbound", "dead", retentionMs.dead],
			["outbox", "confirmed", retentionMs.outbox],
			["outbox", "dead", retentionMs.dead],
		] as const) {
			await tx
				.deleteFrom(table)
				.where("state", "=", state)
				.where("changed_at", "<", now - maxAge)
				.execute();
		}
		await tx
			.deleteFrom("cards")
			.where("changed_at", "<", now - retentionMs.cards)
			.execute();
		for (const table of ["heard", "typed", "joined", "choices"] as const) {
			await tx
				.deleteFrom(table)
				.where("changed_at", "<", now - retentionMs.heard)
				.execute();
		}
		// Platforms do not deliver an inbound event again after this time, so its cursor is no longer needed.
		await tx
			.deleteFrom("cursors")
			// Keys with this prefix are adjacent, so no other index is needed.
			.where("session", ">=", eventCursor)
			.where("session", "<", afterEvents)
			.where("changed_at", "<", now - retentionMs.inbound)
			.execute();
	});
}

/** Sweeps now and every hour until `stop`. A failed sweep is logged, and the next sweep tries again. */
export function startRetention(parts: {
	readonly store: Store<ConnectorTables>;
	readonly clock: Clock;
	readonly log: Logger;
}): { stop(): void } {
	const { store, clock, log } = parts;
	let timer: Timer;
	const once = (): void => {
		timer = clock.after(hourMs, once);
		sweep(store, clock.now()).catch((error: unknown) => {
			log.warn("old rows of the connector's database could not be deleted", { error });
		});
	};
	once();
	return { stop: () => timer.cancel() };
}
