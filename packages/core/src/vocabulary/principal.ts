import { defined } from "@parley/base";
/** Kind of a caller. A connector acts for users of one chat platform. `agent` is the model, which has no permissions on the gateway. */
export type PrincipalKind = "operator" | "observer" | "connector" | "agent";

/**
 * Roles of a person of a chat platform, in the order of their permissions. The lowest role is first. A `stranger` has no
 * access.
 */
export const roles = ["stranger", "guest", "member", "approver", "owner"] as const;
export type Role = (typeof roles)[number];

export interface Principal {
	/** Stable unique id, for example `operator` or `connector:discord`. Idempotency keys and sessions belong to this id. */
	readonly id: string;
	readonly kind: PrincipalKind;
	/**
	 * Id of the client's token. A revocation of the token closes the client's connections. Absent for local processes of
	 * the operator.
	 */
	readonly tokenId?: string;
	/** For a connector, its chat platform, such as `discord`. */
	readonly platform?: string;
	/** For an observer, the sessions that it may read. If absent, it may read none. */
	readonly sessions?: readonly string[] | "all";
	/** Person for whom a connector sends the request, if any. */
	readonly person?: Person;
	/** Wire of the request, such as `ozzie` or `http`. The audit log contains the wire. */
	readonly via?: string;
	/**
	 * Origin of the decisions in a request. Absent if the principal itself decides. An `agent` never approves a tool
	 * call. A `form` is a question that the client of an agent shows to a person. A form never approves a call that
	 * always requires approval.
	 */
	readonly through?: "agent" | "form";
}

/** A person of a chat platform, with the role that the gateway assigns. */
export interface Person {
	/** For example `discord:GUILD:USER` or `slack:TEAM:USER`. */
	readonly id: string;
	/** Name as the platform shows it. Untrusted text. */
	readonly name: string;
	readonly role: Role;
	/** Channel in which the person writes. */
	readonly place: Place;
	/** Ids of the person's platform roles at the time of the lookup. `People.roleNow` uses them. */
	readonly platformRoles?: readonly string[];
}

/** Channel or direct message of a chat platform. Ids are the platform's own. */
interface ChannelId {
	readonly platform: string;
	/** Guild or team. For direct messages, the id that the platform uses instead. */
	readonly tenant: string;
	readonly channel: string;
}

/** Channel, thread or direct message of a chat platform. */
export interface Place extends ChannelId {
	readonly thread?: string | undefined;
	/** Whether people of other organisations are members of the channel. */
	readonly shared: boolean;
}

/**
 * Information from a connector about the person for whom the connector acts. The gateway decides the person's
 * permissions.
 */
export interface Actor {
	/** The person's id on the platform. */
	readonly id: string;
	readonly name: string;
	/** Ids of the person's platform roles. */
	readonly roles: readonly string[];
	/** Whether the platform marks the person as a guest of the tenant. */
	readonly guest: boolean;
}

/** Operator of this gateway. A gateway has one operator and one trust boundary. */
export const operator: Principal = { id: "operator", kind: "operator" };

/**
 * Returns the id to record for an action: the id of the principal's person if there is a person, otherwise the
 * principal's own id.
 */
export function actingId({ id, person }: Principal): string {
	return person?.id ?? id;
}

/** Returns the key of a channel in settings, sessions and grants: `discord:GUILD:CHANNEL`. */
export function placeKey({ platform, tenant, channel }: ChannelId): string {
	return `${platform}:${tenant}:${channel}`;
}

/** Whether a role has at least the permissions of another role. */
export function hasRole({ role }: { readonly role: Role }, least: Role): boolean {
	return roles.indexOf(role) >= roles.indexOf(least);
}

/**
 * Filter for sessions: all sessions of `owner`, and the sessions in `ids`. If `place` is set, only sessions of that
 * channel.
 */
export interface SessionsOf {
	readonly owner: string;
	readonly ids?: readonly string[];
	readonly place?: string;
}

/**
 * Returns the filter for the sessions that the principal owns or that its token lists. If the principal has a person,
 * selects only sessions of the person's channel. Ignores `sessions: "all"`.
 */
export function visibleSessions({ id, sessions, person }: Principal): SessionsOf {
	return {
		owner: id,
		...defined({
			ids: Array.isArray(sessions) ? sessions : undefined,
			place: person && placeKey(person.place),
		}),
	};
}
