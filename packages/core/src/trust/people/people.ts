import { ParleyError } from "@parley/base";
import { type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { deleteMemoriesAbout } from "../../store/memory-rows.ts";
import { isDenied, lowerRole, roleOf, userOf } from "../../store/person-role.ts";
import { visible } from "../../text/visible.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { type ChatSettings, noChat } from "../../vocabulary/chat-settings.ts";
import {
	type Actor,
	actingId,
	type Person,
	type Place,
	type Principal,
	type Role,
} from "../../vocabulary/principal.ts";
import { requestedBy } from "../audit/audit.ts";
import type { TrustOptions } from "../shared/trust-options.ts";
import { type Invitation, type Paired, Pairing } from "./pairing.ts";
import { openPairings, type PairingFacts } from "./pairings.ts";
import type { PersonReport } from "./person-checks.ts";
import {
	type AssignableRole,
	findAccessState,
	findPerson,
	type PersonFacts,
	personFacts,
	storePerson,
} from "./person-rows.ts";
import { foreignTenant, isBoundTo, Tenants, unknownTenant } from "./tenants.ts";
import { peopleTexts } from "./texts.ts";

/** Methods that are also allowed in a tenant that the connector does not serve, so that the first owner can get access. */
const allowedAnywhere = new Set(["pair", "whoami"]);

/** Manages chat users and their roles. */
export class People {
	readonly #options: TrustOptions;
	readonly #chat: ChatSettings;
	readonly #tenants: Tenants;
	readonly #pairing: Pairing;

	constructor(options: TrustOptions) {
		this.#options = options;
		this.#chat = options.chat ?? noChat;
		this.#tenants = new Tenants(this.#chat);
		this.#pairing = new Pairing(options, this.#tenants);
	}

	/**
	 * Returns the connector's principal for this person, with the person's current role. Throws `permission_denied` in
	 * these cases:
	 *
	 * - The connector does not serve the tenant, and `method` is neither `pair` nor `whoami`.
	 * - The operator blocks the person, and `method` is `pair`.
	 */
	async identify(
		connector: Principal,
		{ actor, place: there }: { readonly actor: Actor; readonly place: Omit<Place, "platform"> },
		method: string,
	): Promise<Principal> {
		const { platform = "", tokenId = "" } = connector;
		const { tenant } = there;
		const place = { ...there, platform };
		const id = `${platform}:${tenant}:${actor.id}`;
		const [known] = await this.#options.store.read((db) =>
			findAccessState(db, { id, platform, tenant, tokenId }),
		);
		const isKnown = Boolean(known?.tenant) || this.#tenants.isConfigured(place);
		const belongs = isKnown && isBoundTo(known?.own ?? null, place);
		const member = { actor, place, given: known?.role ?? ("stranger" as const) };
		const role = belongs ? roleOf(member, this.#chat) : "stranger";
		const person = { id, name: shownName(actor.name), role, place, platformRoles: actor.roles };
		const acting = { ...connector, person };
		if (!belongs && !allowedAnywhere.has(method)) {
			throw this.#refuse(acting, method, isKnown ? foreignTenant(place) : unknownTenant(place));
		}
		if (method === "pair" && isDenied(member, this.#chat)) {
			const message = peopleTexts.blocked(id);
			throw this.#refuse(acting, method, new ParleyError(message, { code: "permission_denied" }));
		}
		return acting;
	}

	/**
	 * Returns the current role of a person, at most `person.role`. If the platform roles are unknown, returns
	 * `person.role`.
	 */
	async roleNow(db: Tx, person: Person): Promise<Role> {
		const { id, name, place, role, platformRoles } = person;
		if (!platformRoles) return role;
		const { platform, tenant } = place;
		const [known] = await findAccessState(db, { id, platform, tenant, tokenId: "" });
		if (!known?.tenant && !this.#tenants.isConfigured(place)) return "stranger";
		const actor = { id: userOf(person), name, roles: platformRoles, guest: false };
		return lowerRole(role, roleOf({ actor, place, given: known?.role ?? "stranger" }, this.#chat));
	}

	/** Returns the current role of a message's author in the channel `place`: `stranger` for an author without access. */
	async roleOfAuthor(actor: Actor, place: Place): Promise<Role> {
		const { platform, tenant } = place;
		const id = `${platform}:${tenant}:${actor.id}`;
		const [known] = await this.#options.store.read((db) =>
			findAccessState(db, { id, platform, tenant, tokenId: "" }),
		);
		if (!known?.tenant && !this.#tenants.isConfigured(place)) return "stranger";
		return roleOf({ actor, place, given: known?.role ?? "stranger" }, this.#chat);
	}

	/**
	 * Returns the person with a role that is computed again from the reported platform roles. The new role is at most
	 * `person.role`. A guest on the platform gets at most the role guest.
	 */
	async asReported(person: Person, report: Extract<PersonReport, { present: true }>): Promise<Person> {
		const { roles: platformRoles, guest, shared } = report;
		const reported = { ...person, platformRoles, place: { ...person.place, shared } };
		const role = await this.#options.store.read((db) => this.roleNow(db, reported));
		return { ...reported, role: guest ? lowerRole(role, "guest") : role };
	}

	/** Returns the principal with the current role of its person. Without a person, returns the principal unchanged. */
	async asOfNow(principal: Principal): Promise<Principal> {
		const { person } = principal;
		if (!person) return principal;
		const role = await this.#options.store.read((db) => this.roleNow(db, person));
		return { ...principal, person: { ...person, role } };
	}

	/**
	 * Redeems an invitation code. If `code` is undefined, requests access. Throws `permission_denied` for a code that
	 * is not valid. Throws `resource_exhausted` if there are too many attempts or open access requests.
	 */
	pair(request: Keyed, code: string | undefined): Promise<Paired> {
		return this.#pairing.pair(request, code);
	}

	/** Returns all people with a stored role, and the open invitations and access requests. */
	async list(principal: Principal): Promise<{ people: PersonFacts[]; waiting: PairingFacts[] }> {
		authorize(principal, "person.read");
		const { store, clock } = this.#options;
		return store.read(async (db) => {
			const people = await db.selectFrom("people").selectAll().orderBy("created_at").orderBy("id").execute();
			return { people: people.map(personFacts), waiting: await openPairings(db, clock.now()) };
		});
	}

	/**
	 * Creates a code that gives one person access and expires after an hour. A code for the role owner also allows a
	 * new guild or team.
	 */
	invite(request: Keyed, requested: Invitation): ReturnType<Pairing["invite"]> {
		return this.#pairing.invite(request, requested);
	}

	/**
	 * Gives access to the person who received this code from `pair`. Throws `not_found` if no open access request has
	 * the code.
	 */
	approve(request: Keyed, code: string, role: AssignableRole): Promise<PersonFacts> {
		return this.#pairing.approve(request, code, role);
	}

	/**
	 * Withdraws an invitation or denies an access request. `named` is the code, or the id from `list`. Throws `not_found`
	 * if no open invitation or access request matches `named`.
	 */
	withdraw(request: Keyed, named: string): Promise<PairingFacts> {
		return this.#pairing.withdraw(request, named);
	}

	/**
	 * Sets the role of a person. Throws `permission_denied` for an unknown person in a tenant that connectors may not
	 * serve.
	 */
	async setRole(request: Keyed, id: string, role: AssignableRole): Promise<PersonFacts> {
		const { principal } = request;
		authorize(principal, "person.manage");
		return this.#once(request, async (tx) => {
			const [platform = "", tenant = "", userId = ""] = id.split(":");
			const known = await findPerson(tx, id);
			// A mistyped id must not give a person access.
			if (!known && !(await this.#tenants.has(tx, { platform, tenant }))) {
				throw unknownTenant({ platform, tenant });
			}
			const person = { platform, tenant, userId, name: "", role, addedBy: actingId(principal) };
			const stored = await storePerson(tx, person, this.#options.clock.now());
			const entry = { action: "person.role", object: id, decision: "allowed", args: { role } };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return stored;
		});
	}

	/**
	 * Removes a person's stored role and the notes about the person. Access from the configuration remains. Returns the
	 * number of deleted notes. Throws `not_found` if the person has no stored role.
	 */
	async remove(request: Keyed, id: string): Promise<number> {
		const { principal } = request;
		authorize(principal, "person.manage");
		return this.#once(request, async (tx) => {
			if (!(await findPerson(tx, id))) {
				const message = peopleTexts.noStoredRole(id);
				throw new ParleyError(message, { code: "not_found" });
			}
			await tx.deleteFrom("people").where("id", "=", id).execute();
			const forgotten = await deleteMemoriesAbout(tx, id);
			const entry = { action: "person.remove", object: id, decision: "allowed", args: { forgotten } };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return forgotten;
		});
	}

	#refuse(acting: Principal, method: string, reason: ParleyError): ParleyError {
		const entry = { action: "person.identify", object: method, decision: "denied" };
		this.#options.audit.sample({ ...requestedBy(acting), ...entry });
		return reason;
	}

	async #once<T>(request: Keyed, work: (tx: Tx) => Promise<T>): Promise<T> {
		const { store, clock, secrets } = this.#options;
		const deps = { clock, fingerprint: (text: string) => secrets.fingerprint(text) };
		return (await store.commit((tx) => once(tx, request, deps, () => work(tx)))).response;
	}
}

/** Maximum stored characters of a name. */
const maxNameCharacters = 80;

/**
 * Returns the display name of a chat user in one line of at most 80 characters. Makes invisible characters
 * visible.
 */
export function shownName(name: string): string {
	const letters = [...visible(name.trim().replaceAll(/\s+/gu, " "))];
	return letters.length > maxNameCharacters
		? `${letters.slice(0, maxNameCharacters - 1).join("")}…`
		: letters.join("");
}
