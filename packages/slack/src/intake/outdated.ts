import type { Store } from "@parley/base";
import type { ConnectorTables } from "@parley/connector";
import type { Incoming } from "./incoming.ts";

/** Whether what a message said at `edited`, or at first, has been overtaken by what became of it later. */
export type Outdated = (message: string, edited: string | undefined) => Promise<boolean>;

/**
 * Slack sends again what was not taken, up to minutes later (https://docs.slack.dev/apis/events-api#retries): a message may
 * come after its edit or deletion.
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
						// Up to the sign that follows a colon.
						is.and([is("id", ">", `edited:${message}:${edited}`), is("id", "<", `edited:${message};`)]),
					]),
				)
				.limit(1)
				.executeTakeFirst(),
		);
		return later !== undefined;
	};
}

/** The same of what an event has come to; of other inbound events than messages and edits nothing is. */
export async function isOutdated({ inbound, key }: Incoming, outdated: Outdated): Promise<boolean> {
	if (inbound.type !== "message" && inbound.type !== "edited") return false;
	const version = key.id.slice(`${inbound.type}:${inbound.message}:`.length);
	return outdated(inbound.message, version === "" ? undefined : version);
}
