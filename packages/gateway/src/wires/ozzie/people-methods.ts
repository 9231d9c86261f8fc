import {
	actions,
	isAuthorized,
	type PairingFacts,
	type PersonFacts,
	type Principal,
	placeKey,
} from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import { toTime } from "../shared/time.ts";
import { keyed, type MethodsOf } from "./request-target.ts";

type PeopleMethod =
	| "pair"
	| "whoami"
	| "list_people"
	| "invite_person"
	| "approve_person"
	| "withdraw_pairing"
	| "set_person_role"
	| "remove_person";

/** How people of chat platforms come in, and what the operator makes of them. */
export const peopleMethods: MethodsOf<PeopleMethod> = {
	async pair(connection, request) {
		const { people } = connection.deps.runtime.trust;
		const paired = await people.pair(keyed(connection, request), request.params.code);
		if (paired.status === "paired") return paired;
		return { status: "requested", code: paired.code, expires_at: toTime(paired.expiresAt) };
	},

	async whoami({ deps }, { principal }) {
		const { person } = principal;
		if (!person) return encodeSelf(principal);
		const { mention, sessions, agent } = deps.runtime.trust.places.profileOf(placeKey(person.place));
		const place = { mention: mention ?? "required", sessions: sessions ?? "shared" } as const;
		return { ...encodeSelf(principal), place: { ...place, ...(agent !== undefined && { agent }) } };
	},

	async list_people({ deps }, { principal }) {
		const { people, waiting } = await deps.runtime.trust.people.list(principal);
		return {
			people: people.map(encodePerson),
			waiting: waiting.map(encodePairing),
		};
	},

	async invite_person(connection, request) {
		const { role, platform, tenant } = request.params;
		const invited = await connection.deps.runtime.trust.people.invite(keyed(connection, request), {
			role,
			...(platform !== undefined && { platform }),
			...(tenant !== undefined && { tenant }),
		});
		return { code: invited.code, role: invited.role, expires_at: toTime(invited.expiresAt) };
	},

	async approve_person(connection, request) {
		const { code, role } = request.params;
		const { people } = connection.deps.runtime.trust;
		return encodePerson(await people.approve(keyed(connection, request), code, role));
	},

	async withdraw_pairing(connection, request) {
		const { people } = connection.deps.runtime.trust;
		const pairing = await people.withdraw(keyed(connection, request), request.params.pairing);
		return { status: "withdrawn", pairing: encodePairing(pairing) };
	},

	async set_person_role(connection, request) {
		const { person, role } = request.params;
		const { people } = connection.deps.runtime.trust;
		return encodePerson(await people.setRole(keyed(connection, request), person, role));
	},

	async remove_person(connection, request) {
		const { person } = request.params;
		await connection.deps.runtime.trust.people.remove(keyed(connection, request), person);
		return { status: "removed", person };
	},
};

function encodePerson(facts: PersonFacts): MethodResult<"approve_person"> {
	const { id, name, role, addedBy, createdAt } = facts;
	return { person: id, name, role, added_by: addedBy, created_at: toTime(createdAt) };
}

function encodePairing({
	createdAt,
	expiresAt,
	...facts
}: PairingFacts): MethodResult<"list_people">["waiting"][number] {
	return { ...facts, created_at: toTime(createdAt), expires_at: toTime(expiresAt) };
}

function encodeSelf(principal: Principal): MethodResult<"whoami"> {
	const { id, kind, person } = principal;
	const may = actions.filter((action) => isAuthorized(principal, action));
	const isStranger = person?.role === "stranger";
	return {
		...{ principal: id, kind, may },
		...(person && { person: person.id, role: person.role }),
		...(isStranger && { hint: "ask for a code with pair, and the operator lets you in with it" }),
	};
}
