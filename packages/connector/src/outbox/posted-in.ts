import type { Store } from "@parley/base";
import type { ConnectorTables } from "../store/tables.ts";

/** What the outbox has written down of what was posted. */
export interface Posted {
	/** The platform's id of a card's post; undefined while it is not posted. */
	cards(card: string): Promise<string | undefined>;
	/** The row that a post was made for; undefined where none is known. */
	ownerOf(message: string): Promise<string | undefined>;
}

/** Reads it from a connector's database. */
export function postedIn(store: Store<ConnectorTables>): Posted {
	return {
		async cards(card) {
			const row = await store.read((db) =>
				db.selectFrom("cards").select("remote").where("card", "=", card).executeTakeFirst(),
			);
			return row?.remote;
		},
		async ownerOf(message) {
			const row = await store.read((db) =>
				db
					.selectFrom("outbox")
					.select("id")
					.where("remote", "=", message)
					// Whatever was done with it later came after its own row.
					.orderBy("position")
					.executeTakeFirst(),
			);
			return row?.id;
		},
	};
}
