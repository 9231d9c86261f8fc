import type { Keyed } from "../store/idempotency.ts";
import type { Tx } from "../store/journal.ts";
import type { Coverable } from "../trust/grants/grant-cover.ts";
import type { AnsweredGrantRequest } from "../trust/grants/grant-request.ts";
import type { TrustBadge } from "../vocabulary/event.ts";
import type { Principal } from "../vocabulary/principal.ts";
import type { Session } from "./session.ts";

/** Trust grants of channels, for sessions and runs. */
export interface SessionGrants {
	/** Answers the question whether a channel becomes trusted. Returns false if another answer was first. */
	answer(request: Keyed, session: Session, grant: AnsweredGrantRequest): Promise<boolean>;
	covering(db: Tx, call: Coverable): Promise<TrustBadge | undefined>;
	badge(db: Tx, place: string | undefined): Promise<TrustBadge | undefined>;
	/** Counts a call that starts under a grant. `last`: no further call may. `ended`: this call may not start. */
	use(tx: Tx, grantId: string): Promise<"counted" | "last" | "ended">;
	/** Counts a denied call of the channel; `review` follows. */
	denied(tx: Tx, place: string | undefined): Promise<void>;
	/** Ends the grant of the channel if its limits are reached. */
	review(place: string | undefined): Promise<void>;
	/** Throws `permission_denied` unless the channel is trusted for this person. */
	requireCover(principal: Principal, session: Session): Promise<void>;
	/** Ends the grant of the channel because its person stopped a run. */
	stopped(place: string | undefined, principal: Principal): Promise<void>;
}
