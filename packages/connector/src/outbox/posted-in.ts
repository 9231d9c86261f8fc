import type { Store } from "@parley/base";
import type { ConnectorTables } from "../store/tables.ts";

export interface Posted {
	/** Resolves with the platform id of a card's post; undefined while it is not posted. */
	cards(card: string): Promise<string | undefined>;
	/** Resolves with the id of the row that created the post `message`; undefined if no such row is stored. */
	ownerOf(message: string): Promise<string | undefined>;
}

/**
 * Returns lookups in a connector's database: the platform id of a card's post, and the id of the outbox row that
 * created a post.
 */
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
					// The first row created the post, and later rows edited it.
					.orderBy("position")
					.executeTakeFirst(),
			);
			return row?.id;
		},
	};
}
