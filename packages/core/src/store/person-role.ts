import type { ChatSettings, PersonRule } from "../vocabulary/chat-settings.ts";
import { type Actor, type Person, type Place, type Role, roles } from "../vocabulary/principal.ts";

/** A person on a chat platform, the channel in which the person acts, and the person's granted role. */
export interface ActingPerson {
	readonly actor: Actor;
	readonly place: Place;
	/** Role from the table `people`, or `stranger` for a person without a row. */
	readonly given: Role;
}

/** Whether the configuration denies access to the person, regardless of other rules. */
export function isDenied(person: ActingPerson, { deny }: { readonly deny: ChatSettings["deny"] }): boolean {
	return deny.some((rule) => matches(rule, person));
}

interface RoleRules {
	readonly allow: ChatSettings["allow"];
	readonly deny: ChatSettings["deny"];
}

/**
 * Returns the current role of a person: the highest role among `given` and the roles from matching `allow` rules.
 * Returns `stranger` if the configuration denies access. If the person is a guest in the tenant, the role is at most
 * `guest`.
 */
export function roleOf(person: ActingPerson, chat: RoleRules): Role {
	if (isDenied(person, chat)) return "stranger";
	const { actor, place, given } = person;
	const allowed = chat.allow.filter((rule) => matches(rule, person));
	// In a channel that is shared with other organisations, a rule without a user also matches outsiders. Therefore a
	// rule without a user gives only the role `guest` there.
	const known = allowed.map(({ as, user }) => (place.shared && user === undefined ? "guest" : as));
	const highest = [given, ...known].reduce(higherRole);
	return actor.guest ? lowerRole(highest, "guest") : highest;
}

export function higherRole<R extends Role>(one: R, other: R): R {
	return roles.indexOf(one) >= roles.indexOf(other) ? one : other;
}

export function lowerRole(one: Role, other: Role): Role {
	return roles.indexOf(one) <= roles.indexOf(other) ? one : other;
}

function matches(rule: PersonRule, { actor, place }: ActingPerson): boolean {
	const { platform, tenant, channel, platformRole, user } = rule;
	return (
		(platform === undefined || platform === place.platform) &&
		(tenant === undefined || tenant === place.tenant) &&
		(channel === undefined || channel === place.channel) &&
		(platformRole === undefined || actor.roles.includes(platformRole)) &&
		(user === undefined || user === actor.id)
	);
}

/** Returns a person's id on the platform. */
export function userOf({ id, place }: Person): string {
	return id.slice(`${place.platform}:${place.tenant}:`.length);
}
