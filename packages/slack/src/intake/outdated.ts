import type { Store } from "@parley/base";
import type { ConnectorTables } from "@parley/connector";
import type { Incoming } from "./incoming.ts";

/**
 * Whether a later edit or a deletion has replaced the text of a message. `edited` is the timestamp of the edit that
 * wrote the text, or undefined for the original text.
 */
export type Outdated = (message: string, edited: string | undefined) => Promise<boolean>;

/**
 * Returns a check that reads the connector's database. Slack redelivers events up to minutes later
 * (https://docs.slack.dev/apis/events-api#retries), so a message may arrive after its edit or deletion.
 */
export function outdatedIn(store: Store<ConnectorTables>): Outdated {
	return async (message, edited = "") => {
		const later = await store.read((db) =>
			db
				.selectFrom("inbound")
				.select("id")
				.where((is) =>
					is.or([
						is("id", "=", `deleted:${message}`),
						// In ASCII, `;` follows the colon, so the range contains the ids of all later edits.
						is.and([is("id", ">", `edited:${message}:${edited}`), is("id", "<", `edited:${message};`)]),
					]),
				)
				.limit(1)
				.executeTakeFirst(),
		);
		return later !== undefined;
	};
}

/** Whether an inbound event is outdated. Only messages and edits can be outdated. */
export async function isOutdated({ inbound, key }: Incoming, outdated: Outdated): Promise<boolean> {
	if (inbound.type !== "message" && inbound.type !== "edited") return false;
	const version = key.id.slice(`${inbound.type}:${inbound.message}:`.length);
	return outdated(inbound.message, version === "" ? undefined : version);
}
