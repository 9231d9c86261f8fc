import type { Clock, Failpoints, Ids, Logger } from "@parley/base";
import type { Files } from "../files/files.ts";
import type { Keyed } from "../store/idempotency.ts";
import type { Journal, Tx } from "../store/journal.ts";
import type { TextRedactor } from "../text/session-redactor.ts";
import type { Audit } from "../trust/audit/audit.ts";
import type { Coverable } from "../trust/grants/grant-cover.ts";
import type { AnsweredWish } from "../trust/grants/grant-wish.ts";
import type { People } from "../trust/people/people.ts";
import type { Policies } from "../trust/policies.ts";
import type { TrustBadge } from "../vocabulary/event.ts";
import type { Principal } from "../vocabulary/principal.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import type { Observers } from "./observers.ts";
import type { Prompts } from "./prompts.ts";
import type { Session } from "./session.ts";
import type { Workspaces } from "./workspaces.ts";

/** Trust grants of channels, as far as sessions and runs use them. */
export interface SessionGrants {
	/** Answers the question whether a channel becomes trusted. Returns false if another answer was first. */
	answer(request: Keyed, session: Session, wish: AnsweredWish): Promise<boolean>;
	/** Returns the grant that covers a call, if one does. */
	covering(db: Tx, call: Coverable): Promise<TrustBadge | undefined>;
	/** Returns the grant of a channel, if it is trusted. */
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

/** Parts of the gateway that sessions, runs and use cases work with. */
export interface Services {
	readonly journal: Journal;
	readonly files: Files;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	/** Get everything that happens in every session. */
	readonly observers: Observers;
	/** Milliseconds since the epoch: since when clients could be here. */
	readonly startedAt: number;
	/** See `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
	/** Keeps what people typed into password prompts. */
	readonly secrets: SecretBox;
	/** Knows the secrets of the gateway. */
	readonly redactor: TextRedactor;
	readonly audit: Audit;
	readonly prompts: Prompts;
	/** Grants of channels. */
	readonly grants: SessionGrants;
	/** Present rights of people. */
	readonly people: People;
	/** The rules that calls are decided by. */
	readonly policies: Policies;
	/** Working directories of sessions of chat platforms. */
	readonly workspaces: Workspaces;
	/** Whether the gateway is stopping. Clients that leave now were disconnected by it. */
	readonly stopping: () => boolean;
}
