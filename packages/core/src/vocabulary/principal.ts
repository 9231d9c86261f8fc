import { defined } from "@parley/base";
/**
 * Who acts. A connector speaks for people of one chat platform; `agent` is the model itself: it holds no right on the
 * gateway, whatever it writes.
 */
export type PrincipalKind = "operator" | "observer" | "connector" | "agent";

/** What a person of a chat platform may do, from least to most; `stranger` is who nobody has let in. */
export const roles = ["stranger", "guest", "member", "approver", "owner"] as const;
export type Role = (typeof roles)[number];

export interface Principal {
	/** Stable and unique, for instance `operator` or `connector:discord`; keys and sessions are owned by it. */
	readonly id: string;
	readonly kind: PrincipalKind;
	/** The token that it came with; revoking that ends its connections. Absent for local processes of the operator. */
	readonly tokenId?: string;
	/** Of a connector: the chat platform that it speaks for, such as `discord`, and no other. */
	readonly platform?: string;
	/** Of an observer: the sessions that it may see; none where absent. */
	readonly sessions?: readonly string[] | "all";
	/** Of a connector, for one request: the person that it acts for. */
	readonly person?: Person;
	/** The wire that it came by, for the audit: `ozzie`, `http`. */
	readonly via?: string;
}

/** A person of a chat platform, as the gateway knows them at this moment. */
export interface Person {
	/** `discord:GUILD:USER` or `slack:TEAM:USER`. */
	readonly id: string;
	/** As the platform shows it: text of a stranger. */
	readonly name: string;
	readonly role: Role;
	/** Where they speak. */
	readonly place: Place;
	/** Ids of the platform's roles that they held when they were looked up: `People.roleNow` reckons with them. */
	readonly platformRoles?: readonly string[];
}

/** Where in a chat platform something is said. Ids are the platform's own. */
export interface Place {
	readonly platform: string;
	/** A guild, a team; of direct messages the platform's own id for them. */
	readonly tenant: string;
	readonly channel: string;
	readonly thread?: string | undefined;
	/** Whether people of other organisations are there, too. */
	readonly shared: boolean;
}

/** What a connector says of the person it acts for. What they may do, the gateway knows. */
export interface Actor {
	/** The platform's own id. */
	readonly id: string;
	readonly name: string;
	/** Ids of the platform's roles that they hold. */
	readonly roles: readonly string[];
	/** Whether the platform says that they do not wholly belong to the tenant. */
	readonly guest: boolean;
}

/** The operator of this gateway: one operator is one trust boundary. */
export const operator: Principal = { id: "operator", kind: "operator" };

/** Who is named for what was done: the person where a connector acts for one. */
export function actingId({ id, person }: Principal): string {
	return person?.id ?? id;
}

/** The name of a channel, which settings, sessions and grants of it go by: `discord:GUILD:CHANNEL`. */
export function placeKey({
	platform,
	tenant,
	channel,
}: Pick<Place, "platform" | "tenant" | "channel">): string {
	return `${platform}:${tenant}:${channel}`;
}

/** Whether a role holds at least the rights of another. */
export function hasRole({ role }: Pick<Person, "role">, least: Role): boolean {
	return roles.indexOf(role) >= roles.indexOf(least);
}

/** Some sessions: those of an owner, and further ones by their ids; with `place` only what is of that channel. */
export interface SessionsOf {
	readonly owner: string;
	readonly ids?: readonly string[];
	readonly place?: string;
}

/** The sessions that somebody may see who may not see all: their own, and those that their token lists. */
export function visibleTo({ id, sessions, person }: Principal): SessionsOf {
	return {
		owner: id,
		...defined({
			ids: Array.isArray(sessions) ? sessions : undefined,
			place: person && placeKey(person.place),
		}),
	};
}
