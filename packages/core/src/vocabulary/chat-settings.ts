import type { PlaceProfile } from "./place-profile.ts";
import type { Role } from "./principal.ts";

/** One rule of the configuration about people: it concerns whom all that it names fits. */
export interface PersonRule {
	readonly platform?: string;
	readonly tenant?: string;
	readonly channel?: string;
	/** The platform's id of a role. */
	readonly platformRole?: string;
	/** The platform's id of a user. */
	readonly user?: string;
}

/** What the configuration says of chat platforms. */
export interface ChatSettings {
	/** Who is let in without pairing, and as what. A person's own role counts where it is higher. */
	readonly allow: readonly (PersonRule & { readonly as: Exclude<Role, "stranger"> })[];
	/** Who is kept out, whatever else is said of them. */
	readonly deny: readonly PersonRule[];
	/** Guilds and teams that connectors may speak for, by platform. */
	readonly tenants: Readonly<Record<string, readonly string[]>>;
	/** By channel, or `PLATFORM:TENANT` for all of a guild or team. */
	readonly places: Readonly<Record<string, PlaceProfile>>;
	/** Whether a channel is trusted no more as soon as somebody speaks there whom nobody has let in; so unless told. */
	readonly endTrustOnStranger?: boolean;
}

/** Nobody is let in. */
export const noChat: ChatSettings = { allow: [], deny: [], tenants: {}, places: {} };
