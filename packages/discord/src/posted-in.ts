import type { Store } from "@parley/base";
import type { ConnectorTables } from "@parley/connector";
import type { SurfaceParts } from "./surface/discord-surface.ts";

/** What the outbox has written down of what was posted. */
export function postedIn(store: Store<ConnectorTables>): Pick<SurfaceParts, "cards" | "ownerOf"> {
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
