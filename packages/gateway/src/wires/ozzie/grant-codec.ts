import type { GrantFacts, OpenWish, TrustBadge } from "@parley/core";
import type { GrantPayload, GrantWishPayload, TrustedPayload } from "@parley/protocol";
import { toTime } from "./time.ts";

/** A channel's grant as this wire shows it. */
export function encodeGrant(grant: GrantFacts): GrantPayload {
	return {
		grant_id: grant.id,
		place: grant.place,
		people: grant.people && [...grant.people],
		tools: grant.tools && [...grant.tools],
		classes: grant.classes && [...grant.classes],
		max_actions: grant.maxActions,
		used_actions: grant.usedActions,
		reason: grant.reason,
		granted_by: grant.grantedBy,
		created_at: toTime(grant.createdAt),
		expires_at: toTime(grant.expiresAt),
	};
}

/** What somebody asks for. */
export function encodeWish({ token, sessionId, wanted, createdAt, expiresAt }: OpenWish): GrantWishPayload {
	const { place, people, tools, classes, maxActions, lifeMs, reason, by } = wanted;
	return {
		...{ token, session_id: sessionId, place },
		...(by && { person: by.id, name: by.name }),
		people: people && [...people],
		tools: tools && [...tools],
		classes: classes && [...classes],
		...{ max_actions: maxActions, minutes: lifeMs / 60_000, reason },
		...{ created_at: toTime(createdAt), expires_at: toTime(expiresAt) },
	};
}

/** What stands on events that happened under a grant. */
export function encodeBadge({ grantId, until }: TrustBadge): TrustedPayload {
	return { grant_id: grantId, until: toTime(until) };
}
