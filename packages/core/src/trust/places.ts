import { ParleyError } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { Principal } from "../principal.ts";
import type { Keyed } from "../session/idempotency.ts";
import type { PlaceProfile } from "./place-profile.ts";
import type { TrustOptions } from "./trust.ts";

export interface PlaceFacts {
	readonly key: string;
	readonly profile: PlaceProfile;
	readonly source: "configuration" | "operator";
}

/** How channels work: what the configuration says, and what the operator said since. */
export class Places {
	constructor(_options: TrustOptions) {}

	/** Learns what the database holds, before anybody is let in. */
	async load(): Promise<void> {}

	/** What holds in a channel: its own profile, else that of its guild or team; empty where nothing was said. */
	profileOf(_place: string): PlaceProfile {
		return {};
	}

	async list(principal: Principal): Promise<PlaceFacts[]> {
		authorize(principal, "place.read");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async set({ principal }: Keyed, _key: string, _profile: PlaceProfile): Promise<void> {
		authorize(principal, "place.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async remove({ principal }: Keyed, _key: string): Promise<void> {
		authorize(principal, "place.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}
}
