import type { Keyed } from "../store/idempotency.ts";
import type { Tx } from "../store/journal.ts";
import type { Coverable } from "../trust/grants/grant-cover.ts";
import type { AnsweredGrantRequest } from "../trust/grants/grant-request.ts";
import type { TrustBadge } from "../vocabulary/event.ts";
import type { Principal } from "../vocabulary/principal.ts";
import type { Session } from "./session.ts";

/** Operations on channel grants that sessions and runs use. */
export interface SessionGrants {
	/** Answers a grant request. Returns false if the request was already closed. */
	answer(request: Keyed, session: Session, grant: AnsweredGrantRequest): Promise<boolean>;
	covering(db: Tx, call: Coverable): Promise<TrustBadge | undefined>;
	badge(db: Tx, place: string | undefined): Promise<TrustBadge | undefined>;
	/**
	 * Counts a call against a grant when the call starts. `last`: no further call may start under the grant. `ended`: the
	 * call may not start.
	 */
	use(tx: Tx, grantId: string): Promise<"counted" | "last" | "ended">;
	/** Counts a denied call of the channel. The caller must call `review` after the commit. */
	denied(tx: Tx, place: string | undefined): Promise<void>;
	/**
	 * Checks the grants of all channels, and ends grants that no longer apply. Does nothing if `place` cannot have an
	 * open grant.
	 */
	review(place: string | undefined): Promise<void>;
	/** Throws `permission_denied` unless a grant of the session's channel covers the person. */
	requireCover(principal: Principal, session: Session): Promise<void>;
	/** Ends the grant of the channel, if any, because the principal stopped a run. */
	stopped(place: string | undefined, principal: Principal): Promise<void>;
}
