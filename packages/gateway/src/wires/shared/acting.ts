import { defined, ParleyError } from "@parley/base";
import { type Keyed, type Principal, placeKey, type Runtime } from "@parley/core";

type Claim = Parameters<Runtime["trust"]["identify"]>[1];

type OnBehalf = { readonly [Name in keyof Claim]?: Claim[Name] | undefined };

/**
 * Returns the principal of a request. A connector acts for the person that the request names. `method` is for the audit log.
 * Throws `invalid_argument` if a request has only one of `actor` and `place`.
 */
export async function actingPrincipal(
	runtime: Runtime,
	principal: Principal,
	{ actor, place }: OnBehalf,
	method: string,
): Promise<Principal> {
	if (principal.kind !== "connector" || (!actor && !place)) return principal;
	if (!actor || !place) {
		const missing = actor ? "place {tenant, channel}" : "actor {id, name, roles, guest}";
		throw new ParleyError(`${missing} is missing`, { code: "invalid_argument" });
	}
	return runtime.trust.identify(principal, { actor, place }, method);
}

/**
 * Builds a request for the runtime. Two requests are the same if they have the same key, method, parameters, session, person
 * and channel.
 */
export function keyedRequest(
	{ principal, key, method }: Omit<Keyed, "params">,
	params: object,
	sessionId: string | undefined,
): Keyed {
	const { person } = principal;
	const meant = {
		...params,
		...defined({ session: sessionId, person: person?.id, place: person && placeKey(person.place) }),
	};
	return { principal, key, method, params: meant };
}
