import { ParleyError } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { GrantFacts } from "../event.ts";
import type { Principal } from "../principal.ts";
import type { Keyed } from "../session/idempotency.ts";
import type { TrustOptions } from "./trust.ts";

/** What somebody wants a channel to be trusted with. */
export interface WantedGrant {
	/** As `placeKey` writes it. */
	readonly place: string;
	readonly people: readonly string[] | null;
	readonly tools: readonly string[] | null;
	readonly classes: readonly string[] | null;
	readonly maxActions: number;
	readonly lifeMs: number;
	readonly reason: string;
}

/** Granted at once where the operator asks, else a question of the session. */
export type GrantOutcome =
	| { readonly status: "granted"; readonly grant: GrantFacts }
	| { readonly status: "requested"; readonly token: string; readonly sessionId: string };

/** A grant that has ended is kept. */
export type KeptGrant = GrantFacts & { readonly endedAt?: number; readonly endReason?: string };

/** Channels whose calls run unasked for a while: the object behind `accept_all_tools` of a chat platform. */
export class ChannelGrants {
	constructor(_options: TrustOptions) {}

	/** Learns what is in force; what a long stop has ended is ended. */
	async load(): Promise<void> {}

	async request({ principal }: Keyed, _wanted: WantedGrant, _sessionId?: string): Promise<GrantOutcome> {
		authorize(principal, "grant.request");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async list(principal: Principal, _ended: boolean): Promise<KeptGrant[]> {
		authorize(principal, "grant.read");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async revoke({ principal }: Keyed, _grantId: string, _reason: string): Promise<void> {
		authorize(principal, "grant.revoke");
		throw new ParleyError("not available", { code: "unimplemented" });
	}
}
