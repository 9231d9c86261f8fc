import type { TokenFacts } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import { toTime } from "../shared/time.ts";
import { keyed, type MethodsOf } from "./request-target.ts";

type TokenMethod = "create_token" | "list_tokens" | "rotate_token" | "revoke_token";

const dayMs = 24 * 60 * 60 * 1000;

/** How the operator hands out ways in, and takes them back. */
export const tokenMethods: MethodsOf<TokenMethod> = {
	async create_token(connection, request) {
		const { kind, name, platform, tenants, sessions, days } = request.params;
		const { runtime, now } = connection.deps;
		const { text, facts } = await runtime.trust.tokens.create(keyed(connection, request), {
			...{ kind, name },
			...(platform !== undefined && { platform }),
			...(tenants && { tenants }),
			...(sessions && { sessions }),
			...(days !== undefined && { lifeMs: days * dayMs }),
		});
		return { token: text, info: encodeToken(facts, now()) };
	},

	async list_tokens({ deps }, { principal }) {
		const tokens = await deps.runtime.trust.tokens.list(principal);
		return { tokens: tokens.map((token) => encodeToken(token, deps.now())) };
	},

	async rotate_token(connection, request) {
		const { token_id, grace_seconds = 0 } = request.params;
		const { runtime, now } = connection.deps;
		const { text, facts } = await runtime.trust.tokens.rotate(
			keyed(connection, request),
			token_id,
			grace_seconds * 1000,
		);
		return { token: text, info: encodeToken(facts, now()) };
	},

	async revoke_token(connection, request) {
		const { runtime, now } = connection.deps;
		const facts = await runtime.trust.tokens.revoke(keyed(connection, request), request.params.token_id);
		return { status: "revoked", info: encodeToken(facts, now()) };
	},
};

function encodeToken(facts: TokenFacts, now: number): MethodResult<"revoke_token">["info"] {
	const { id, kind, name, platform, tenants, sessions, lastUsedAt, expiresAt, revokedAt } = facts;
	const expired = expiresAt !== undefined && expiresAt <= now;
	return {
		...{ id, kind, name, created_at: toTime(facts.createdAt) },
		...(platform !== undefined && { platform }),
		...(tenants && { tenants: [...tenants] }),
		...(sessions && { sessions: [...sessions] }),
		...(lastUsedAt !== undefined && { last_used_at: toTime(lastUsedAt) }),
		...(expiresAt !== undefined && { expires_at: toTime(expiresAt) }),
		status: revokedAt !== undefined ? "revoked" : expired ? "expired" : "active",
	};
}
