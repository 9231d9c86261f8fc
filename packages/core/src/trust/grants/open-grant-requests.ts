import { fromRow, type Tx } from "../../store/journal.ts";
import type { StoredGrantRequest } from "./grant-request.ts";

/** Unanswered grant request in a session. Times are milliseconds since the epoch. */
export interface OpenGrantRequest {
	readonly token: string;
	readonly sessionId: string;
	readonly requested: StoredGrantRequest;
	readonly createdAt: number;
	readonly expiresAt: number;
}

const maxListed = 1_000;

/**
 * Returns at most 1,000 open grant requests, oldest first: of the channels in `places` or, if it is undefined, of all
 * channels.
 */
export async function openGrantRequests(
	db: Tx,
	places: readonly string[] | undefined,
): Promise<OpenGrantRequest[]> {
	let selected = db
		.selectFrom("prompts")
		.innerJoin("sessions", "sessions.id", "prompts.session_id")
		.select(["prompts.token", "prompts.session_id", "prompts.wanted_grant"])
		.select(["prompts.created_at", "prompts.expires_at"])
		.where("prompts.state", "=", "open")
		.where("prompts.wanted_grant", "is not", null)
		.orderBy("prompts.created_at")
		.orderBy("prompts.token")
		.limit(maxListed);
	if (places !== undefined)
		selected = selected.where("sessions.place", "in", places.length > 0 ? places : [""]);
	return (await selected.execute()).flatMap(({ token, session_id, wanted_grant, created_at, expires_at }) =>
		wanted_grant === null
			? []
			: {
					token,
					sessionId: session_id,
					requested: fromRow<StoredGrantRequest>(wanted_grant),
					createdAt: Number(created_at),
					expiresAt: Number(expires_at),
				},
	);
}
