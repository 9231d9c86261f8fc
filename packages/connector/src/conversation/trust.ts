import { endedGrantCard, endNotice, openGrantCard } from "./trust/grant-card.ts";
import type { Part } from "./vocabulary/reducer.ts";

/** What the channel is trusted with. */
export interface TrustSlice {
	/** The grant that holds. */
	readonly open?: { readonly id: string };
}

/** A channel whose tools run unasked for a while: everybody there can see that, and until when. */
export const trust: Part<TrustSlice> = {
	empty: {},
	tell(slice, told, scene) {
		const { event } = told;
		if (event.event === "grant.created") {
			const { grant_id: id } = event.payload;
			return { slice: { open: { id } }, intentions: [openGrantCard(event.payload, scene)] };
		}
		if (event.event !== "grant.ended" || event.payload.grant_id !== slice.open?.id) {
			return { slice, intentions: [] };
		}
		const { grant_id: id, reason } = event.payload;
		const ended = { told, scene };
		return { slice: {}, intentions: [endedGrantCard(id, reason, ended), endNotice(id, reason, ended)] };
	},
};
