import { type Clock, type Ids, ParleyError } from "@parley/base";
import { type Keyed, once } from "../../store/idempotency.ts";
import { fromRow, type Journal, type Tx } from "../../store/journal.ts";
import type { PromptState } from "../../store/tables.ts";
import { byItself, requestedBy } from "../../trust/audit/audit.ts";
import { type Coverable, coversCall, coversPeople } from "../../trust/grants/grant-cover.ts";
import {
	grantWithin,
	newestSessionIn,
	placesOf,
	requireAnnounced,
	wasShared,
} from "../../trust/grants/grant-places.ts";
import {
	type AnsweredGrantRequest,
	checkRequested,
	grantRequestLabel,
	type RequestedGrant,
	type StoredGrantRequest,
} from "../../trust/grants/grant-request.ts";
import {
	countDenial,
	endReason,
	grantFacts,
	listGrants,
	notifiedSessions,
	openGrantOf,
	type StoredGrant,
	useGrantRow,
} from "../../trust/grants/grant-rows.ts";
import { requireSandbox } from "../../trust/grants/grant-sandbox.ts";
import { type OpenGrantRequest, openGrantRequests } from "../../trust/grants/open-grant-requests.ts";
import type { People } from "../../trust/people/people.ts";
import { Tenants } from "../../trust/people/tenants.ts";
import type { Policies } from "../../trust/policies.ts";
import type { TrustOptions } from "../../trust/shared/trust-options.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { noChat } from "../../vocabulary/chat-settings.ts";
import type { GrantFacts, SessionEvent, TrustBadge } from "../../vocabulary/event.ts";
import { type Person, type Principal, placeKey } from "../../vocabulary/principal.ts";
import { type Prompt, readAnswer } from "../../vocabulary/prompt.ts";
import type { RecordEvents } from "../commit.ts";
import { type Prompts, promptLifeMs } from "../prompts.ts";
import type { Session } from "../session.ts";
import type { SessionGrants } from "../session-grants.ts";
import type { Sessions } from "../sessions.ts";
import { OpenGrants } from "./open-grants.ts";
import { channelGrantTexts } from "./texts.ts";

export type { RequestedGrant } from "../../trust/grants/grant-request.ts";
export type { StoredGrant } from "../../trust/grants/grant-rows.ts";

/** Result of a grant request: the new grant for the operator, or the question for a member. */
export type GrantOutcome =
	| { readonly status: "granted"; readonly grant: GrantFacts }
	| { readonly status: "requested"; readonly token: string; readonly sessionId: string };

interface QuestionSession {
	readonly sessionId?: string | undefined;
	/** Open session of the client. Ignored unless it belongs to the channel of the grant. */
	readonly current?: string | undefined;
}

export interface GrantOptions extends TrustOptions {
	readonly journal: Journal;
	readonly prompts: Prompts;
	/** Returns the sessions. A function, because the sessions are created after the grants. */
	readonly sessions: () => Sessions;
}

/** Manages the trust grants of channels. Calls under a grant run without approval for a limited time. */
export class ChannelGrants implements SessionGrants {
	readonly #options: GrantOptions;
	readonly #openGrants: OpenGrants;
	readonly #people: Pick<People, "roleNow">;
	readonly #tenants: Tenants;

	constructor(
		options: GrantOptions,
		policies: Pick<Policies, "version" | "onChange">,
		people: Pick<People, "roleNow">,
	) {
		this.#options = options;
		this.#people = people;
		this.#tenants = new Tenants(options.chat ?? noChat);
		this.#openGrants = new OpenGrants({ ...options, policies });
	}

	/**
	 * Loads the open grants. Ends grants that no longer apply. After a downtime of more than an hour, ends all grants.
	 */
	load(): Promise<void> {
		return this.#openGrants.load();
	}

	/**
	 * Checks the grants of all channels, and ends grants that no longer apply. Does nothing if `place` cannot have an
	 * open grant.
	 */
	async review(place: string | undefined): Promise<void> {
		if (this.#openGrants.mayCount(place)) await this.#openGrants.review();
	}

	/** Stops the automatic checks of the grants. Resolves when the running checks are done. */
	stop(): Promise<void> {
		return this.#openGrants.stop();
	}

	/**
	 * Requests a grant. A grant of the operator applies immediately. A member's request becomes a question for the
	 * operator and the owners of the member's guild or team. The first of the following sessions gets the question:
	 * 1. the session `sessionId`, if it is given
	 * 2. `current`, if that session belongs to the channel
	 * 3. the channel's session with the newest message
	 *
	 * Throws `invalid_argument` if the request is invalid. Throws `failed_precondition` if the channel cannot be trusted
	 * or has no session. For the operator, `unseen` allows a channel that has no session.
	 */
	async request(
		request: Keyed,
		requested: RequestedGrant,
		{ unseen = false, ...origin }: QuestionSession & { readonly unseen?: boolean } = {},
	): Promise<GrantOutcome> {
		const { principal } = request;
		authorize(principal, "grant.request", { place: requested.place });
		checkRequested(requested, this.#options.tools);
		await this.#requireSafety(requested.place, principal.person);
		if (principal.person) return this.#ask(request, requested, { person: principal.person, ...origin });
		if (!unseen) await this.#options.store.read((db) => requireAnnounced(db, requested.place));
		const { response: grant, repeated } = await this.#openGrants.inPlace(
			requested.place,
			[],
			(tx, recipients) =>
				once(tx, request, this.#onceDeps, () => this.#openGrants.begin(tx, recipients, requested, principal)),
		);
		if (!repeated) this.#openGrants.watch(grant);
		return { status: "granted", grant };
	}

	/**
	 * Returns at most 1,000 grants of the channels that the principal may see, newest first. If `ended` is true, the
	 * result includes ended grants.
	 */
	async list(principal: Principal, ended: boolean): Promise<StoredGrant[]> {
		authorize(principal, "grant.read");
		return this.#options.store.read(async (db) =>
			listGrants(db, { places: await placesOf(db, principal, this.#tenants), ended }),
		);
	}

	/** Returns open grant requests of the channels that the principal may see, oldest first. */
	async requests(principal: Principal): Promise<OpenGrantRequest[]> {
		authorize(principal, "grant.read");
		return this.#options.store.read(async (db) =>
			openGrantRequests(db, await placesOf(db, principal, this.#tenants)),
		);
	}

	/** Ends a grant immediately, including for active runs. A grant that has already ended stays unchanged. */
	async revoke(request: Keyed, grantId: string, reason: string): Promise<void> {
		const { principal } = request;
		authorize(principal, "grant.revoke");
		const { store } = this.#options;
		const row = await store.read((db) => grantWithin(db, grantId, principal, this.#tenants));
		if (!row) throw new ParleyError(channelGrantTexts.notFound(grantId), { code: "not_found" });
		authorize(principal, "grant.revoke", { place: row.place });
		const asker = requestedBy(principal);
		const endText = channelGrantTexts.revoked(asker.principal, reason);
		await this.#openGrants.inPlace(row.place, notifiedSessions(row), (tx, recipients) =>
			once(tx, request, this.#onceDeps, async () => {
				await this.#openGrants.endIn(tx, recipients, { row, reason: endText, asker });
				return null;
			}),
		);
		this.#openGrants.unwatch(row, endText);
	}

	/**
	 * Answers a grant request of a member. Returns false if the request was already closed. The caller must have
	 * authorized the principal.
	 */
	async answer(
		request: Keyed,
		session: Session,
		{ token, ...answered }: AnsweredGrantRequest,
	): Promise<boolean> {
		const { principal } = request;
		const { response } = answered;
		const { by: _, ...requested } = fromRow<StoredGrantRequest>(answered.wanted_grant);
		const approves = readAnswer(fromRow<Prompt>(answered.request), true, response).kind === "approved";
		if (approves) await this.#requireSafety(requested.place, principal.person);
		let grant: GrantFacts | undefined;
		const { response: counts } = await this.#openGrants.inPlace(
			requested.place,
			[session.id],
			(tx, recipients) =>
				once(tx, request, this.#onceDeps, async () => {
					const answering = { token, response, by: principal, change: undefined };
					const { counts: isFirst } = await this.#options.prompts.answer(
						tx,
						recipients.recordIn.bind(undefined, session),
						session,
						answering,
					);
					const state = isFirst ? await stateOf(tx, token) : undefined;
					if (state === "answered")
						grant = await this.#openGrants.begin(tx, recipients, requested, principal);
					if (state === "cancelled") {
						const facts = { action: "grant.refuse", object: requested.place, decision: "denied" };
						await this.#options.audit.record(tx, { ...requestedBy(principal), ...facts });
					}
					return isFirst;
				}),
		);
		if (grant) this.#openGrants.watch(grant);
		return counts;
	}

	/**
	 * Ends the trust in the channel in which the person writes a message, in the following cases:
	 * - Other organisations share the channel.
	 * - The person has no access, and the operator has not set `endTrustOnStranger` to false.
	 */
	async witness({ person }: Principal): Promise<void> {
		if (!person || !this.#openGrants.mayCount(placeKey(person.place))) return;
		const reason = this.#unsafeReason(person);
		if (reason !== undefined) await this.#openGrants.endOf(placeKey(person.place), reason, byItself);
	}

	/** Ends the grant of a channel, if any, because the principal stopped a run. */
	stopped(place: string | undefined, principal: Principal): Promise<void> {
		const asker = requestedBy(principal);
		return this.#openGrants.endOf(place, channelGrantTexts.stopped(asker.principal), asker);
	}

	/** Ends the trust in each channel that uses a spent budget. Receives all events. */
	observe({ sessionId, event }: Pick<SessionEvent, "sessionId" | "event">): void {
		if (event.type !== "budget.reached" || event.percent < 100) return;
		this.#openGrants.spent(event.scope === "session" ? sessionId : undefined);
	}

	/**
	 * Returns the badge of the grant that covers a call, or undefined. Does not check whether the policy allows a
	 * grant to replace the approval.
	 */
	async covering(db: Tx, { place, participants, call, pending }: Coverable): Promise<TrustBadge | undefined> {
		const grant = await this.#inForce(db, place);
		if (!grant || grant.usedActions + pending >= grant.maxActions) return undefined;
		const people = await this.#asOfNow(db, participants);
		return coversPeople(grant, people) && coversCall(grant, call) ? badgeOf(grant) : undefined;
	}

	/** Returns the badge for messages of a trusted channel, or undefined. */
	async badge(db: Tx, place: string | undefined): Promise<TrustBadge | undefined> {
		const grant = await this.#inForce(db, place);
		return grant && badgeOf(grant);
	}

	/**
	 * Counts a call against a grant, in the transaction that starts the call. `ended`: the grant has ended, and the call
	 * must not use it. `last`: the grant covers no further call.
	 */
	async use(tx: Tx, grantId: string): Promise<"counted" | "last" | "ended"> {
		const moment = await this.#openGrants.moment();
		const row = await useGrantRow(tx, grantId, moment);
		if (!row) return "ended";
		return endReason(row, moment) === undefined ? "counted" : "last";
	}

	/** Counts a denied call of the channel. The caller must call `review` after the commit. */
	async denied(tx: Tx, place: string | undefined): Promise<void> {
		if (this.#openGrants.mayCount(place)) await countDenial(tx, place);
	}

	/**
	 * Checks whether a connector may use `accept_all_tools`. Throws `permission_denied` unless a grant of the channel
	 * covers the person.
	 */
	async requireCover({ person }: Principal, { place }: Session): Promise<void> {
		const grant = await this.#options.store.read((db) => this.#inForce(db, place));
		if (grant && coversPeople(grant, [person])) return;
		const message = channelGrantTexts.acceptAll;
		throw new ParleyError(message, { code: "permission_denied" });
	}

	async #ask(
		request: Keyed,
		requested: RequestedGrant,
		{ person, sessionId: named, current }: QuestionSession & { readonly person: Person },
	): Promise<GrantOutcome> {
		const { principal } = request;
		const { store, sessions } = this.#options;
		// A connector that has reconnected has joined no session, so the question goes to the session of the channel.
		const sessionId =
			named ??
			(await store.read((db) =>
				newestSessionIn(db, { place: requested.place, owner: principal.id, current }),
			));
		if (sessionId === undefined) {
			throw refused(channelGrantTexts.noConversation(requested.place));
		}
		using lease = await sessions().lease(principal, sessionId, "grant.request");
		const { session } = lease;
		if (session.place !== requested.place)
			throw refused(channelGrantTexts.otherChannel(sessionId, requested.place));
		const outcome = await session.commit((tx, record) =>
			once<GrantOutcome>(tx, request, this.#onceDeps, async () => {
				const token = await askForGrant(this.#options, { tx, record }, session, { requested, person });
				const facts = { action: "grant.request", object: requested.place, decision: "asked" };
				await this.#options.audit.record(tx, { ...requestedBy(principal), ...facts, args: requested });
				return { status: "requested", token, sessionId };
			}),
		);
		return outcome.response;
	}

	/** Returns the participants with their current roles, in the same order and with the undefined entries. */
	#asOfNow(db: Tx, participants: Coverable["participants"]): Promise<(Person | undefined)[]> {
		return Promise.all(
			participants.map(async (one) => one && { ...one, role: await this.#people.roleNow(db, one) }),
		);
	}

	async #inForce(db: Tx, place: string | undefined): Promise<GrantFacts | undefined> {
		if (!this.#openGrants.mayCount(place)) return undefined;
		const row = await openGrantOf(db, place);
		return row && endReason(row, await this.#openGrants.moment()) === undefined ? grantFacts(row) : undefined;
	}

	async #requireSafety(place: string, person: Person | undefined): Promise<void> {
		await requireSandbox(this.#options.sandbox);
		const reason = person && this.#unsafeReason(person);
		if (reason !== undefined) throw refused(channelGrantTexts.cannotTrust(reason));
		if (person || !(await this.#options.store.read((db) => wasShared(db, place)))) return;
		throw refused(channelGrantTexts.cannotTrustShared);
	}

	#unsafeReason({ place, role }: Person): string | undefined {
		if (place.shared) return channelGrantTexts.shared;
		const ends = this.#options.chat?.endTrustOnStranger ?? true;
		return role === "stranger" && ends ? channelGrantTexts.strangerWrote : undefined;
	}

	get #onceDeps(): Parameters<typeof once>[2] {
		const { clock, secrets } = this.#options;
		return { clock, fingerprint: (text) => secrets.fingerprint(text) };
	}
}

function badgeOf({ id, expiresAt }: GrantFacts): TrustBadge {
	return { grantId: id, until: expiresAt };
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}

/**
 * Raises the question for a grant and returns the token of the question. The question belongs to no run. Throws
 * `failed_precondition` if the session already has an open grant request.
 */
async function askForGrant(
	{ prompts, clock, ids }: { readonly prompts: Prompts; readonly clock: Clock; readonly ids: Ids },
	{ tx, record }: { readonly tx: Tx; readonly record: RecordEvents },
	session: Session,
	{ requested, person }: { readonly requested: RequestedGrant; readonly person: Person },
): Promise<string> {
	const open = await tx
		.selectFrom("prompts")
		.select("token")
		.where("session_id", "=", session.id)
		.where("state", "=", "open")
		.where("wanted_grant", "is not", null)
		.limit(1)
		.executeTakeFirst();
	if (open) {
		const message = channelGrantTexts.alreadyRequested;
		throw new ParleyError(message, { code: "failed_precondition" });
	}
	const requestedGrant = { ...requested, by: { id: person.id, name: person.name } };
	const prompt: Prompt = {
		token: ids.create("prompt"),
		runId: "",
		type: "confirm",
		label: grantRequestLabel(requested, person),
		required: true,
		options: [],
		validation: "",
		placeholder: "",
		expiresAt: clock.now() + promptLifeMs,
	};
	await prompts.raise(tx, record, session, { prompt, callId: "", requestedGrant });
	return prompt.token;
}

async function stateOf(tx: Tx, token: string): Promise<PromptState | undefined> {
	const row = await tx.selectFrom("prompts").select("state").where("token", "=", token).executeTakeFirst();
	return row?.state;
}
