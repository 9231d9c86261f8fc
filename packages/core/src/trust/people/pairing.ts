import { createHash, createHmac } from "node:crypto";
import { type Clock, defined, ParleyError } from "@parley/base";
import { type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { higherRole, userOf } from "../../store/person-role.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { actingId, type Person, type Principal } from "../../vocabulary/principal.ts";
import { requestedBy } from "../audit/audit.ts";
import type { TrustOptions } from "../shared/trust-options.ts";
import {
	findIssuedPairing,
	findOpenPairing,
	findPairing,
	insertPairing,
	maxWaiting,
	type OpenPairing,
	type PairingFacts,
	settlePairing,
	waitingIn,
} from "./pairings.ts";
import { type AssignableRole, findPerson, type PersonFacts, storePerson } from "./person-rows.ts";
import { addTenant, bindTenant, type Tenant, type Tenants } from "./tenants.ts";
import { pairingTexts } from "./texts.ts";

/** Lifetime of a code in milliseconds. */
const lifeMs = 60 * 60 * 1000;

/** Maximum attempts of a person per minute. */
const maxTries = 5;

/**
 * Scope and role of an invitation. Default platform: all. Default tenant: all guilds and teams of the
 * platform.
 */
export interface Invitation {
	readonly role: AssignableRole;
	readonly platform?: string;
	readonly tenant?: string;
}

interface Requester {
	readonly principal: Principal;
	readonly person: Person;
}

/** Stored result of `pair`, which must not contain the code. */
type PairResult =
	| Extract<Paired, { status: "paired" }>
	| { readonly status: "requested"; readonly id: string; readonly expiresAt: number };

type NewPairing = Pick<OpenPairing, "platform" | "tenant" | "role"> &
	Partial<Pick<OpenPairing, "user_id" | "name">>;

/** Gives people access. Either the operator invites a person, or the operator approves a person's access request. */
export class Pairing {
	readonly #options: TrustOptions;
	readonly #tenants: Tenants;
	readonly #tries: Attempts;
	readonly #fingerprint: (text: string) => string;

	constructor(options: TrustOptions, tenants: Tenants) {
		this.#options = options;
		this.#tenants = tenants;
		this.#tries = new Attempts(options.clock, maxTries);
		this.#fingerprint = (text) => options.secrets.fingerprint(text);
	}

	/**
	 * Redeems the code of an invitation. If no code is given, requests access and returns a code that is valid for at most
	 * an hour, unless the person already has access.
	 */
	async pair(request: Keyed, code: string | undefined): Promise<Paired> {
		const { principal } = request;
		authorize(principal, "person.pair");
		const { person } = principal;
		if (!person) {
			const message = pairingTexts.onlyChat;
			throw new ParleyError(message, { code: "permission_denied" });
		}
		const requester = { principal, person };
		try {
			const result = await (code ? this.#redeem(request, requester, code) : this.#ask(request, requester));
			return result.status === "paired" ? result : this.#shown(result);
		} catch (reason) {
			const refused = { action: "person.pair", object: person.id, decision: "denied" };
			this.#options.audit.sample({ ...requestedBy(principal), ...refused });
			throw reason;
		}
	}

	/** Creates a code that gives one person access and expires after an hour. */
	async invite(
		request: Keyed,
		requested: Invitation,
	): Promise<{ code: string; role: AssignableRole; expiresAt: number }> {
		const { principal } = request;
		authorize(principal, "person.manage");
		const { role, platform = null, tenant = null } = requested;
		if (tenant !== null && platform === null) {
			const message = pairingTexts.needsPlatform(tenant);
			throw new ParleyError(message, { code: "invalid_argument" });
		}
		const created = await this.#once(request, async (tx) => {
			const invitation = await this.#write(tx, "invitation", { platform, tenant, role });
			const entry = { action: "person.invite", object: invitation.id, decision: "allowed", args: requested };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return invitation;
		});
		return { ...this.#shown(created), role };
	}

	/**
	 * Gives access to the person who received this code from `pair`. Throws `not_found` if no open access request has the
	 * code.
	 */
	async approve(request: Keyed, code: string, role: AssignableRole): Promise<PersonFacts> {
		const { principal } = request;
		authorize(principal, "person.manage");
		return this.#once(request, async (tx) => {
			const now = this.#options.clock.now();
			const used = await this.#useCode(tx, "request", code);
			if (!used) {
				const message = pairingTexts.noRequest(code);
				throw new ParleyError(message, { code: "not_found" });
			}
			const { platform, tenant, user_id, name } = used;
			// These fields are never null in an access request.
			const facts = {
				platform: platform ?? "",
				tenant: tenant ?? "",
				userId: user_id ?? "",
				name: name ?? "",
			};
			const stored = await storePerson(tx, { ...facts, role, addedBy: actingId(principal) }, now);
			const entry = { action: "person.approve", object: stored.id, decision: "allowed", args: { role } };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return stored;
		});
	}

	/**
	 * Invalidates the code of an invitation or of an access request. `named` is the code, or the id of the invitation or
	 * request. Throws `not_found` if no valid code matches `named`.
	 */
	async withdraw(request: Keyed, named: string): Promise<PairingFacts> {
		const { principal } = request;
		authorize(principal, "person.manage");
		return this.#once(request, async (tx) => {
			const now = this.#options.clock.now();
			const hash = codeHash(named, this.#fingerprint);
			const open = await findOpenPairing(tx, { id: named, hash }, now);
			if (!open || !(await settlePairing(tx, open.id, now))) {
				const message = pairingTexts.noneOpen(named);
				throw new ParleyError(message, { code: "not_found" });
			}
			const { id, kind, person = id, role } = open;
			const args = { kind, pairing: id, ...defined({ role }) };
			const entry = { action: "person.withdraw", object: person, decision: "allowed", args };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return open;
		});
	}

	async #redeem(request: Keyed, { principal, person }: Requester, code: string): Promise<PairResult> {
		if (!this.#tries.countAttempt(person.id)) {
			const message = pairingTexts.tooManyTries(maxTries);
			throw new ParleyError(message, { code: "resource_exhausted" });
		}
		const { place } = person;
		return this.#once(request, async (tx) => {
			const now = this.#options.clock.now();
			const invitation = await this.#useCode(tx, "invitation", code, (open) => isFor(open, person));
			const offered = invitation?.role;
			if (!offered) {
				const message = await this.#refusalReason(tx, person, code);
				throw new ParleyError(message, { code: "permission_denied" });
			}
			const by = `invitation:${invitation.id}`;
			// An error rolls the transaction back, so the code stays unused.
			if (offered !== "owner" && !(await this.#tenants.has(tx, place))) throw notOpen(place);
			if (offered !== "owner") await this.#tenants.require(tx, principal, place);
			else {
				await addTenant(tx, place, { by, now });
				await bindTenant(tx, principal, place);
			}
			const known = await findPerson(tx, person.id);
			const role = known ? higherRole(known.role, offered) : offered;
			const facts = { ...place, userId: userOf(person), name: person.name };
			await storePerson(tx, { ...facts, role, addedBy: by }, now);
			const args = { role, invitation: invitation.id };
			const entry = { action: "person.pair", object: person.id, decision: "allowed", args };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return { status: "paired", person: person.id, role };
		});
	}

	/** Returns the reason why the code is refused. Does not quote the code, which may be nearly correct. */
	async #refusalReason(tx: Tx, person: Person, code: string): Promise<string> {
		const another = pairingTexts.askForCode;
		if (!isPairingCode(code)) {
			return pairingTexts.notCode(another);
		}
		const issued = await findIssuedPairing(tx, codeHash(code, this.#fingerprint));
		if (issued?.kind === "request" && isOwn(issued, person)) {
			return pairingTexts.ownRequest;
		}
		if (issued === undefined || issued.kind === "request") {
			return pairingTexts.wrongCode(another);
		}
		if (!isFor(issued, person)) {
			return pairingTexts.elsewhere(another);
		}
		if (issued.settled_at !== null) return pairingTexts.used(another);
		return pairingTexts.expired(another);
	}

	#ask(request: Keyed, { principal, person }: Requester): Promise<PairResult> {
		const { place } = person;
		const user_id = userOf(person);
		return this.#once<PairResult>(request, async (tx) => {
			if (!(await this.#tenants.has(tx, place))) throw notOpen(place);
			await this.#tenants.require(tx, principal, place);
			if (person.role !== "stranger") return { status: "paired", person: person.id, role: person.role };
			const waiting = await waitingIn(tx, place, this.#options.clock.now());
			const own = waiting.find((result) => result.user_id === user_id);
			// A person with an open access request gets the same request again.
			if (own) return { status: "requested", id: own.id, expiresAt: Number(own.expires_at) };
			if (waiting.length >= maxWaiting) {
				const message = pairingTexts.tooManyRequests(maxWaiting);
				throw new ParleyError(message, { code: "resource_exhausted" });
			}
			const { platform, tenant } = place;
			const facts = { platform, tenant, user_id, name: person.name, role: null };
			const created = await this.#write(tx, "request", facts);
			const entry = { action: "person.pair", object: person.id, decision: "asked" };
			await this.#options.audit.record(tx, { ...requestedBy(principal), ...entry });
			return { status: "requested", ...created };
		});
	}

	async #write(
		tx: Tx,
		kind: "invitation" | "request",
		pairing: NewPairing,
	): Promise<{ id: string; expiresAt: number }> {
		const { clock, ids } = this.#options;
		const now = clock.now();
		const id = ids.create("pairing");
		const expiresAt = now + lifeMs;
		const code_hash = codeHash(pairingCode(id, this.#fingerprint), this.#fingerprint);
		const row = { user_id: null, name: null, ...pairing, id, kind, code_hash, expires_at: expiresAt };
		await insertPairing(tx, row, now);
		return { id, expiresAt };
	}

	/**
	 * Marks the code as used and resolves with the row of the code. Resolves with undefined if the code is not valid, or if
	 * `fits` rejects the row.
	 */
	async #useCode(
		tx: Tx,
		kind: "invitation" | "request",
		code: string,
		fits: (open: OpenPairing) => boolean = () => true,
	): Promise<OpenPairing | undefined> {
		const now = this.#options.clock.now();
		const open = await findPairing(tx, kind, { hash: codeHash(code, this.#fingerprint), now });
		return open && fits(open) && (await settlePairing(tx, open.id, now)) ? open : undefined;
	}

	#shown({ id, expiresAt }: { readonly id: string; readonly expiresAt: number }): {
		status: "requested";
		code: string;
		expiresAt: number;
	} {
		return { status: "requested", code: pairingCode(id, this.#fingerprint), expiresAt };
	}

	async #once<T>(request: Keyed, work: (tx: Tx) => Promise<T>): Promise<T> {
		const { store, clock } = this.#options;
		const deps = { clock, fingerprint: this.#fingerprint };
		return (await store.commit((tx) => once(tx, request, deps, () => work(tx)))).response;
	}
}

function notOpen({ platform, tenant }: Tenant): ParleyError {
	const message = pairingTexts.noOwner(platform, tenant);
	return new ParleyError(message, { code: "permission_denied" });
}

function isOwn({ platform, tenant, user_id }: OpenPairing, person: Person): boolean {
	const { place } = person;
	return platform === place.platform && tenant === place.tenant && user_id === userOf(person);
}

function isFor({ platform, tenant }: OpenPairing, { place }: Person): boolean {
	return (platform ?? place.platform) === place.platform && (tenant ?? place.tenant) === place.tenant;
}

export type Paired =
	| { readonly status: "paired"; readonly person: string; readonly role: AssignableRole }
	| { readonly status: "requested"; readonly code: string; readonly expiresAt: number };

/** The 32 letters and digits without `0`, `1`, `I` and `O`, which are easy to confuse. */
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const length = 8;

/**
 * Derives the code from the id, so that the code need not be stored. The derivation requires the key of the
 * data directory, which `fingerprint` uses.
 */
function pairingCode(id: string, fingerprint: (text: string) => string): string {
	const bytes = createHmac("sha256", fingerprint(`pairing code ${id}`))
		.update(id)
		.digest();
	// Because 256 is a multiple of 32, all letters are equally likely.
	return [...bytes.subarray(0, length)].map((byte) => letters[byte % letters.length]).join("");
}

function isPairingCode(text: string): boolean {
	const plain = plainCode(text);
	return plain.length === length && [...plain].every((letter) => letters.includes(letter));
}

function plainCode(text: string): string {
	return text.toUpperCase().replaceAll(/[\s-]/g, "");
}

/**
 * Returns the hash of a code. Ignores case, blanks and hyphens. The hash is keyed, so that neither the time
 * of a lookup nor the database reveals a code.
 */
function codeHash(code: string, fingerprint: (text: string) => string): string {
	return createHash("sha256")
		.update(fingerprint(`pairing hash ${plainCode(code)}`))
		.digest("hex");
}

const periodMs = 60_000;
/**
 * Maximum names with counted attempts. Above this maximum, the oldest names are removed, so that invented names cannot
 * fill the memory.
 */
const maxNames = 10_000;

/** Limits the attempts of each name per minute. The minute starts with the first attempt. */
export class Attempts {
	readonly #clock: Clock;
	readonly #max: number;
	/** Start of the current minute of each name, and the attempts since then. The oldest start is first. */
	readonly #started = new Map<string, { readonly at: number; times: number }>();

	constructor(clock: Clock, max: number) {
		this.#clock = clock;
		this.#max = max;
	}

	/** Counts one attempt. Returns false if the attempt exceeds the limit. */
	countAttempt(name: string): boolean {
		this.#forget();
		const known = this.#started.get(name);
		if (!known) this.#started.set(name, { at: this.#clock.monotonic(), times: 1 });
		else if (known.times >= this.#max) return false;
		else known.times += 1;
		return true;
	}

	#forget(): void {
		const since = this.#clock.monotonic() - periodMs;
		for (const [name, { at }] of this.#started) {
			if (at > since && this.#started.size < maxNames) return;
			this.#started.delete(name);
		}
	}
}
