import type { Stamped } from "./stamped.ts";

/**
 * Table of client tokens. The rows do not contain the text of a token. The text of the operator's own token is in a
 * file.
 */
interface TokensTable extends Stamped {
	/** Id of the token, 26 characters. The id is part of the token's text. */
	id: string;
	kind: "operator" | "observer" | "connector";
	/**
	 * Name that the operator gave to the token. For a connector or an observer, the id of the principal ends with the
	 * name.
	 */
	name: string;
	/** SHA-256 of the secret part of the token's text, in hexadecimal. */
	hash: string;
	platform: string | null;
	/** Guilds or teams of a connector, as JSON. Null for all guilds or teams of its platform. */
	tenants: string | null;
	/** For an observer, the ids of the sessions that it may read, as JSON. Null if it may read all sessions. */
	sessions: string | null;
	created_at: number;
	last_used_at: number | null;
	expires_at: number | null;
	revoked_at: number | null;
}

/**
 * Table of the guilds and teams that connectors of a platform may serve, in addition to the guilds and teams in the
 * configuration.
 */
interface TenantsTable extends Stamped {
	platform: string;
	tenant: string;
	added_by: string;
	created_at: number;
}

interface PeopleTable extends Stamped {
	/** Id of the person: `PLATFORM:TENANT:USER`, for example `discord:GUILD:USER`. */
	id: string;
	platform: string;
	tenant: string;
	/** The person's id on the platform. */
	user_id: string;
	/** Name of the person on the platform, from the last role change that included a name. "" if unknown. */
	name: string;
	role: "guest" | "member" | "approver" | "owner";
	added_by: string;
	created_at: number;
	updated_at: number;
}

/** Table of one-time codes. Each code belongs to an invitation of the operator or to an access request. */
interface PairingsTable extends Stamped {
	id: string;
	kind: "invitation" | "request";
	/** Keyed hash of the code, in hexadecimal; see trust/people/pairing.ts. */
	code_hash: string;
	/** Platform of the code. Null in an invitation for all platforms. */
	platform: string | null;
	tenant: string | null;
	/** Person who sent the access request. Null in an invitation. */
	user_id: string | null;
	name: string | null;
	/** Role that the invitation grants. Null in an access request. */
	role: "guest" | "member" | "approver" | "owner" | null;
	created_at: number;
	expires_at: number;
	/**
	 * Time when the code was used or withdrawn. Null if the code was neither used nor withdrawn, even after its expiry.
	 */
	settled_at: number | null;
}

/**
 * Table of channel settings that the operator has set at run time. A row replaces the configured settings for the same
 * key.
 */
interface PlacesTable extends Stamped {
	/** Key from `placeKey`, or `PLATFORM:TENANT` for all channels of a tenant. */
	key: string;
	/** One `PlaceProfile` as JSON. */
	profile: string;
	set_by: string;
	set_at: number;
}

/** Table of trust grants. Each grant applies to one channel (see trust/grants/grant-rows.ts). */
interface ChannelGrantsTable extends Stamped {
	id: string;
	/** Key from `placeKey`. */
	place: string;
	/** People, tools and classes of the grant, each as a JSON array or null; see `GrantFacts`. */
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
	/**
	 * Last recorded time at which the gateway was running and the grant was open. After a long stop, the gateway ends
	 * the grant.
	 */
	alive_at: number;
	/**
	 * Ids of the sessions that received the event about the start of the grant, as JSON. The same sessions receive the
	 * event about the end of the grant.
	 */
	told: string;
	ended_at: number | null;
	end_reason: string | null;
}

/** Table of the audit log. Each row contains the hash of the previous row; see trust/audit/audit.ts. */
interface AuditTable {
	/** Number of the row, from 1, without gaps. */
	seq: number;
	at: number;
	principal: string;
	via: string;
	action: string;
	object: string;
	decision: string;
	args_sha256: string | null;
	/** Arguments as JSON, without secrets and message bodies. */
	args: string | null;
	grant_id: string | null;
	/** SHA-256 of the previous row in hexadecimal. For the first row, 64 zeros. */
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
