import type { GrantFacts, TrustBadge } from "@parley/core";
import type { GrantPayload, TrustedPayload } from "@parley/protocol";
import { toTime } from "./time.ts";

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

/** Encodes the mark that an event has if it happened under a trust grant. */
export function encodeBadge({ grantId, until }: TrustBadge): TrustedPayload {
	return { grant_id: grantId, until: toTime(until) };
}
