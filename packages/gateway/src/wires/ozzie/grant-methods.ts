import { ParleyError } from "@parley/base";
import { type OpenWish, placeKey, type WantedGrant } from "@parley/core";
import type { GrantWishPayload, MethodResult } from "@parley/protocol";
import { encodeGrant } from "../shared/grant-json.ts";
import { toTime } from "../shared/time.ts";
import { nameOfToken } from "./hidden-tokens.ts";
import { keyed, type MethodsOf, type RequestOf } from "./request-target.ts";

/** Unless told: four hours, and two hundred calls. */
const minutesUnlessTold = 240;
const actionsUnlessTold = 200;

/** How a channel comes to be trusted for a while, and ceases to be. */
export const grantMethods: MethodsOf<"request_grant" | "list_grants" | "revoke_grant"> = {
	async request_grant(connection, request) {
		const { grants } = connection.deps.runtime.trust;
		const { session_id: named, unseen = false } = request.params;
		const addressed = request.sessionId === undefined ? undefined : connection.target(request)?.id;
		// A person's wish is for the channel they are in, whichever of its conversations the question stands in.
		const outcome = await grants.request(keyed(connection, request), decodeWanted(request), {
			...{ sessionId: named ?? addressed, current: connection.current, unseen },
		});
		if (outcome.status === "granted") return { status: "granted", grant: encodeGrant(outcome.grant) };
		return { status: "requested", token: outcome.token, session_id: outcome.sessionId };
	},

	async list_grants({ deps }, { principal, params }) {
		const { grants: all } = deps.runtime.trust;
		const [grants, wishes] = await Promise.all([
			all.list(principal, params.ended === true),
			all.wishes(principal),
		]);
		// Who may only read gets nothing that a question could be answered with.
		const shown = (token: string): string => (principal.kind === "observer" ? nameOfToken(token) : token);
		return {
			wishes: wishes.map((wish) => encodeWish({ ...wish, token: shown(wish.token) })),
			grants: grants.map((grant): MethodResult<"list_grants">["grants"][number] => ({
				...encodeGrant(grant),
				...(grant.endedAt !== undefined && { ended_at: toTime(grant.endedAt) }),
				...(grant.endReason !== undefined && { end_reason: grant.endReason }),
			})),
		};
	},

	async revoke_grant(connection, request) {
		const { grant_id, reason = "" } = request.params;
		await connection.deps.runtime.trust.grants.revoke(keyed(connection, request), grant_id, reason);
		return { status: "revoked" };
	},
};

/** A person means the channel that they are in; the operator names one. */
function decodeWanted({ params, principal }: RequestOf<"request_grant">): WantedGrant {
	const { channel, people, tools, classes, minutes, max_actions, reason } = params;
	const place = principal.person ? placeKey(principal.person.place) : channel;
	if (place === undefined) {
		throw new ParleyError("channel: name the channel, as PLATFORM:TENANT:CHANNEL", {
			code: "invalid_argument",
		});
	}
	return {
		...{ place, reason, people: people ?? null, tools: tools ?? null, classes: classes ?? null },
		maxActions: max_actions ?? actionsUnlessTold,
		lifeMs: (minutes ?? minutesUnlessTold) * 60_000,
	};
}

/** What somebody asks for. */
function encodeWish({ token, sessionId, wanted, createdAt, expiresAt }: OpenWish): GrantWishPayload {
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
