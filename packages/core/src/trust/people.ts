import { ParleyError } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { Actor, Place, Principal, Role } from "../principal.ts";
import type { Keyed } from "../session/idempotency.ts";
import type { TrustOptions } from "./trust.ts";

export type GivenRole = Exclude<Role, "stranger">;

/** Somebody whom the operator has let in. */
export interface PersonFacts {
	readonly id: string;
	readonly name: string;
	readonly role: GivenRole;
	readonly addedBy: string;
	readonly createdAt: number;
}

/** A code that nobody has used yet. */
export interface PairingFacts {
	readonly kind: "invitation" | "request";
	readonly person?: string;
	readonly name?: string;
	readonly role?: GivenRole;
	readonly expiresAt: number;
}

/** What became of somebody's wish to come in. */
export type Paired =
	| { readonly status: "paired"; readonly person: string; readonly role: GivenRole }
	| { readonly status: "requested"; readonly code: string; readonly expiresAt: number };

/** The people of chat platforms: who they are, and what they may do. */
export class People {
	constructor(_options: TrustOptions) {}

	/**
	 * The connector, acting for this person: with their role of this moment. Throws `permission_denied` for a tenant that
	 * the platform's connectors do not speak for; what `pair` asks is let through with the code of an invitation.
	 */
	async identify(
		connector: Principal,
		{ actor, place }: { readonly actor: Actor; readonly place: Omit<Place, "platform"> },
		_method: string,
	): Promise<Principal> {
		const platform = connector.platform ?? "";
		const id = `${platform}:${place.tenant}:${actor.id}`;
		return {
			...connector,
			person: { id, name: actor.name, role: "stranger", place: { ...place, platform } },
		};
	}

	async pair({ principal }: Keyed, _code: string | undefined): Promise<Paired> {
		authorize(principal, "person.pair");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async list(principal: Principal): Promise<{ people: PersonFacts[]; waiting: PairingFacts[] }> {
		authorize(principal, "person.read");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async invite(
		{ principal }: Keyed,
		_wanted: { readonly role: GivenRole; readonly platform?: string; readonly tenant?: string },
	): Promise<{ code: string; role: GivenRole; expiresAt: number }> {
		authorize(principal, "person.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async approve({ principal }: Keyed, _code: string, _role: GivenRole): Promise<PersonFacts> {
		authorize(principal, "person.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async setRole({ principal }: Keyed, _person: string, _role: GivenRole): Promise<PersonFacts> {
		authorize(principal, "person.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async remove({ principal }: Keyed, _person: string): Promise<void> {
		authorize(principal, "person.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}
}
