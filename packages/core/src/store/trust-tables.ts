import type { Stamped } from "./stamped.ts";

/** Tokens of clients. The operator's first token is a file instead. */
interface TokensTable extends Stamped {
	/** The 26 characters that the token's text names. */
	id: string;
	kind: "operator" | "observer" | "connector";
	/** Name given by the operator. For a connector, the end of its principal's id. */
	name: string;
	/** sha256 of the secret part, hexadecimal. */
	hash: string;
	platform: string | null;
	/** For a connector: its guilds or teams as JSON. Null for all of its platform. */
	tenants: string | null;
	/** For an observer: ids of the sessions that it may read, as JSON. Null for all. */
	sessions: string | null;
	created_at: number;
	last_used_at: number | null;
	expires_at: number | null;
	revoked_at: number | null;
}

/** Guilds and teams that connectors of a platform may serve, in addition to those of the configuration. */
interface TenantsTable extends Stamped {
	platform: string;
	tenant: string;
	added_by: string;
	created_at: number;
}

interface PeopleTable extends Stamped {
	/** `discord:GUILD:USER`. */
	id: string;
	platform: string;
	tenant: string;
	/** The platform's own id. */
	user_id: string;
	/** Name on the platform at the time of admission. */
	name: string;
	role: "guest" | "member" | "approver" | "owner";
	added_by: string;
	created_at: number;
	updated_at: number;
}

/** One-time codes: an invitation of the operator, or an access request. */
interface PairingsTable extends Stamped {
	id: string;
	kind: "invitation" | "request";
	/** Keyed hash of the code, hexadecimal: see trust/pairing-code.ts. */
	code_hash: string;
	/** Null in an invitation without a platform. */
	platform: string | null;
	tenant: string | null;
	/** Person of an access request. Null in invitations. */
	user_id: string | null;
	name: string | null;
	/** Role of an invitation. Null in requests. */
	role: "guest" | "member" | "approver" | "owner" | null;
	created_at: number;
	expires_at: number;
	/** Time at which it was used, approved or refused. */
	settled_at: number | null;
}

/** Channel settings of the operator at run time, which replace those of the configuration. */
interface PlacesTable extends Stamped {
	/** As `placeKey` writes it, or `PLATFORM:TENANT` for all channels there. */
	key: string;
	/** One `PlaceProfile` as JSON. */
	profile: string;
	set_by: string;
	set_at: number;
}

/** Grants of trusted channels: see trust/channel-grants.ts. */
interface ChannelGrantsTable extends Stamped {
	id: string;
	/** Key from `placeKey`. */
	place: string;
	/** Ids of people and names of tools and classes as JSON. Null for all that the floor allows. */
	people: string | null;
	tools: string | null;
	classes: string | null;
	reason: string;
	max_actions: number;
	used_actions: number;
	denials: number;
	policy_version: string;
	granted_by: string;
	created_at: number;
	expires_at: number;
	/** Last time at which the gateway worked under the grant. A long stop ends the grant. */
	alive_at: number;
	/** Ids of the sessions that received the start of the grant, as JSON. They receive its end. */
	told: string;
	ended_at: number | null;
	end_reason: string | null;
}

/** Audit rows, each bound to the previous one: see trust/audit.ts. */
interface AuditTable {
	/** From 1, without gaps. */
	seq: number;
	at: number;
	principal: string;
	via: string;
	action: string;
	object: string;
	decision: string;
	args_sha256: string | null;
	/** JSON without secrets and message bodies. */
	args: string | null;
	grant_id: string | null;
	/** sha256 in hexadecimal of the row before; of the first, 64 zeros. */
	prev_hash: string;
	hash: string;
	v: number;
}

export interface TrustTables {
	tokens: TokensTable;
	tenants: TenantsTable;
	people: PeopleTable;
	pairings: PairingsTable;
	places: PlacesTable;
	channel_grants: ChannelGrantsTable;
	audit: AuditTable;
}
