import { defined } from "@parley/base";
/**
 * Kind of a caller. A connector acts for people of one chat platform. `agent` is the model itself, which has no right on the
 * gateway.
 */
export type PrincipalKind = "operator" | "observer" | "connector" | "agent";

/** Roles of a person of a chat platform, from the least to the most rights. A `stranger` has no access. */
export const roles = ["stranger", "guest", "member", "approver", "owner"] as const;
export type Role = (typeof roles)[number];

export interface Principal {
	/** Stable and unique, for example `operator` or `connector:discord`. It owns keys and sessions. */
	readonly id: string;
	readonly kind: PrincipalKind;
	/** Token of the client. Its revocation ends the client's connections. Absent for local processes of the operator. */
	readonly tokenId?: string;
	/** For a connector: its chat platform, such as `discord`. */
	readonly platform?: string;
	/** For an observer: the sessions that it may read. None if absent. */
	readonly sessions?: readonly string[] | "all";
	/** For a connector, in one request: the person that it acts for. */
	readonly person?: Person;
	/** Wire of the request, for the audit: `ozzie`, `http`. */
	readonly via?: string;
	/**
	 * Source of the decisions of a request. Absent for the principal itself. An agent never approves. A form, which the client
	 * of an agent shows to a person, never approves a call that always requires approval.
	 */
	readonly through?: "agent" | "form";
}

/** A person of a chat platform, with the present facts of the gateway. */
export interface Person {
	/** `discord:GUILD:USER` or `slack:TEAM:USER`. */
	readonly id: string;
	/** Name as the platform shows it. Untrusted text. */
	readonly name: string;
	readonly role: Role;
	/** Channel in which they write. */
	readonly place: Place;
	/** Ids of the platform's roles of the person at the time of the lookup. `People.roleNow` uses them. */
	readonly platformRoles?: readonly string[];
}

/** Channel or direct message of a chat platform. Ids are the platform's own. */
interface ChannelId {
	readonly platform: string;
	/** A guild or a team. For direct messages, the id that the platform has for them. */
	readonly tenant: string;
	readonly channel: string;
}

/** Channel, thread or direct message of a chat platform. */
export interface Place extends ChannelId {
	readonly thread?: string | undefined;
	/** Whether people of other organisations are members. */
	readonly shared: boolean;
}

/** Statement of a connector about the person it acts for. The gateway decides their rights. */
export interface Actor {
	/** The platform's own id. */
	readonly id: string;
	readonly name: string;
	/** Ids of the platform's roles of the person. */
	readonly roles: readonly string[];
	/** Whether the platform marks the person as a guest of the tenant. */
	readonly guest: boolean;
}

/** The operator of this gateway: one operator is one trust boundary. */
export const operator: Principal = { id: "operator", kind: "operator" };

/** Id to record for an action: the person's if a connector acts for one. */
export function actingId({ id, person }: Principal): string {
	return person?.id ?? id;
}

/** Key of a channel in settings, sessions and grants: `discord:GUILD:CHANNEL`. */
export function placeKey({ platform, tenant, channel }: ChannelId): string {
	return `${platform}:${tenant}:${channel}`;
}

/** Whether a role has at least the rights of another role. */
export function hasRole({ role }: { readonly role: Role }, least: Role): boolean {
	return roles.indexOf(role) >= roles.indexOf(least);
}

/** Some sessions: those of an owner, and further ones by their ids. With `place`, only those of that channel. */
export interface SessionsOf {
	readonly owner: string;
	readonly ids?: readonly string[];
	readonly place?: string;
}

/** Sessions that a principal with limited rights may see: its own, and those in its token's list. */
export function visibleTo({ id, sessions, person }: Principal): SessionsOf {
	return {
		owner: id,
		...defined({
			ids: Array.isArray(sessions) ? sessions : undefined,
			place: person && placeKey(person.place),
		}),
	};
}
