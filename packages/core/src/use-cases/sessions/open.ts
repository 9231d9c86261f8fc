import { defined, ParleyError, type Store } from "@parley/base";
import type { Observers } from "../../conversation/observers.ts";
import type { Workspaces } from "../../conversation/workspaces.ts";
import { chooseRoot, type Roots, replacedDirectory } from "../../filesystem/paths.ts";
import { defaultProfile, type Profiles } from "../../policy/profiles/profile.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { rebindSchedules } from "../../store/schedule-rows.ts";
import { indexName } from "../../store/search-texts.ts";
import { sessionRow } from "../../store/session-row.ts";
import type { Tables } from "../../store/tables.ts";
import { oneLine } from "../../text/title-text.ts";
import { placeRoot } from "../../trust/place-check.ts";
import type { Places } from "../../trust/places.ts";
import { writeBudget } from "../../usage/set-budget.ts";
import { authorize, unknownSession } from "../../vocabulary/authorize.ts";
import type { Recorded } from "../../vocabulary/event.ts";
import { hasRole, type Principal, placeKey } from "../../vocabulary/principal.ts";
import { rightTexts } from "../../vocabulary/texts.ts";
import { type HistoryMessage, type ImportedRun, planImport } from "./import-history.ts";
import { type ImportPorts, storeImport } from "./store-import.ts";
import { sessionTexts } from "./texts.ts";

export interface NewSession {
	/** Id of the session, for protocols in which clients choose the id; see `isSessionId`. Default: a new id. */
	readonly id?: string;
	readonly rootDir?: string;
	readonly title?: string;
	readonly externalKey?: string;
	/** Name of an agent profile. Default: `default`. */
	readonly profile?: string;
	/**
	 * History from another program. The model sees it before the first run, and clients see it as imported.
	 * Ignored if the external key finds an existing session. For errors see `planImport`.
	 */
	readonly history?: readonly HistoryMessage[];
}

export interface OpenPorts extends KeyServices, ImportPorts {
	readonly journal: Journal;
	readonly observers: Observers;
	readonly workspaces: Workspaces;
}

/**
 * Creates a session, or finds the principal's session with the same external key. The result is durable, including the
 * `session.created` event of a new session. Rejects if a new session is needed and `usable` rejects.
 */
export async function createSession(
	ports: OpenPorts,
	request: Keyed,
	requested: Opening,
): Promise<{ readonly id: string; readonly status: "created" | "resumed" }> {
	const { journal, ids } = ports;
	const owner = request.principal.id;
	// If the session already exists, the promise is not awaited, and its rejection must have no effect.
	requested.usable?.catch(() => undefined);
	const externalKey = requested.externalKey ?? null;
	let created: readonly Recorded[] = [];
	let createdId: string | undefined;
	const opened = journal.store.commit((tx) =>
		once(tx, request, ports, async () => {
			created = [];
			const known = await findKnown(tx, request.principal, externalKey);
			if (known !== undefined) return { id: known, status: "resumed" as const };
			await requested.usable;
			const id = await newId(tx, requested.id ?? ids.create("sess"));
			if (requested.root === undefined) createdId = id;
			created = await storeSession(tx, ports, { id, owner }, requested);
			return { id, status: "created" as const };
		}),
	);
	const outcome = await opened.catch(async (reason: unknown) => {
		if (createdId !== undefined) await ports.workspaces.remove(createdId);
		throw reason;
	});
	if (outcome.repeated) await refuseDeleted(journal.store, outcome.response.id);
	for (const event of created) ports.observers.notify(event, owner);
	return outcome.response;
}

/**
 * Returns the id of the principal's session with this external key, or undefined. Throws if that session belongs to
 * another channel, because its content must stay in that channel.
 */
async function findKnown(
	tx: Tx,
	principal: Principal,
	externalKey: string | null,
): Promise<string | undefined> {
	if (externalKey === null) return undefined;
	const known = await tx
		.selectFrom("sessions")
		.select(["id", "owner", "place"])
		.where("owner", "=", principal.id)
		.where("external_key", "=", externalKey)
		.executeTakeFirst();
	if (!known) return undefined;
	const { id, owner, place } = known;
	authorize(principal, "session.open", { owner, sessionId: id, place: place ?? undefined });
	return id;
}

async function storeSession(
	tx: Tx,
	ports: OpenPorts,
	{ id, owner }: { readonly id: string; readonly owner: string },
	requested: Opening,
): Promise<readonly Recorded[]> {
	const title = oneLine(ports.redactor.redact(requested.title ?? ""));
	const externalKey = requested.externalKey ?? null;
	const facts = {
		id,
		owner,
		title,
		external_key: externalKey,
		titled_by: title === "" ? null : ("person" as const),
		root_dir: requested.root ?? (await ports.workspaces.create(id)),
		profile: requested.profile ?? defaultProfile,
		place: requested.place ?? null,
	};
	const row = { ...sessionRow(facts, ports.clock.now()), model: requested.model ?? null };
	await tx.insertInto("sessions").values(row).execute();
	await setOwnBudget(tx, ports, id, requested);
	await indexName(tx, id, [title, externalKey]);
	const imported = await storeImport(tx, ports, id, requested.imported ?? []);
	const created = await ports.journal.append(tx, id, [{ type: "session.created" }, ...imported]);
	if (externalKey !== null) {
		const seenSeq = created.at(-1)?.seq ?? 0;
		await rebindSchedules(tx, { owner, externalKey }, { sessionId: id, seenSeq });
	}
	return created;
}

/**
 * Returns `id` if it is unused. Throws `already_exists` for a used id. The error message reveals nothing about the
 * existing session.
 */
async function newId(tx: Tx, id: string): Promise<string> {
	const known = await tx.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst();
	if (known) throw new ParleyError(rightTexts.sessionNotFound(id), { code: "already_exists" });
	return id;
}

async function setOwnBudget(
	tx: Tx,
	{ journal, clock }: OpenPorts,
	sessionId: string,
	{ budget: limit, place }: Opening,
): Promise<void> {
	if (limit === undefined) return;
	const context = { store: journal.store, by: `place:${place}`, at: clock.now() };
	await writeBudget(tx, { scope: "session", sessionId, period: "day", limit }, context);
}

async function refuseDeleted(store: Store<Tables>, id: string): Promise<void> {
	const known = await store.read((db) =>
		db.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst(),
	);
	// A repeated key creates no second session, even if the first session was deleted.
	if (!known) throw unknownSession(id);
}

interface Opening extends NewSession {
	/** Working directory. Default: the session's own workspace. */
	readonly root?: string;
	/** Key of the session's channel, as `placeKey` returns it. */
	readonly place?: string;
	readonly model?: string;
	/** Daily limit in billionths of a US dollar. */
	readonly budget?: number;
	readonly imported?: readonly ImportedRun[];
	/** Check of the session's agent. Rejects if the agent cannot be used. */
	readonly usable?: Promise<unknown>;
}

interface OpeningRules {
	readonly roots: Roots;
	readonly places: Places;
	readonly profiles: Profiles;
}

/**
 * Returns the properties of a new session. If a connector acts for a person, the channel settings have precedence over the
 * request. Throws `invalid_argument` for an invalid history or a directory that is not allowed, and `permission_denied` for
 * a choice that the person may not make.
 */
export async function planOpening(
	principal: Principal,
	requested: NewSession,
	rules: OpeningRules,
): Promise<Opening> {
	const opening = await planFor(principal, requested, rules);
	return opening.profile === undefined
		? opening
		: { ...opening, usable: rules.profiles.find(opening.profile) };
}

async function planFor(
	{ person }: Principal,
	requested: NewSession,
	{ roots, places }: OpeningRules,
): Promise<Opening> {
	const { history = [] } = requested;
	if (!person) {
		return { ...requested, imported: planImport(history), root: await chooseRoot(requested.rootDir, roots) };
	}
	if (history.length > 0) {
		const message = sessionTexts.importByConnector;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	const place = placeKey(person.place);
	if (requested.rootDir) {
		const message = sessionTexts.rootByOperator(place);
		throw new ParleyError(message, { code: "permission_denied" });
	}
	const { agent: named, root, model, budget } = places.profileOf(place);
	const agent = named ?? requested.profile;
	if (named === undefined && agent !== undefined && !hasRole(person, "member")) {
		const message = sessionTexts.onlyMembers;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	return {
		...requested,
		place,
		...defined({
			profile: agent,
			root: root === undefined ? undefined : await channelRoot(place, root, roots),
			model,
			budget,
		}),
	};
}

/** Returns the path of the channel's working directory. Throws if the path is now a link or contains one. */
async function channelRoot(place: string, root: string, roots: Roots): Promise<string> {
	const real = await placeRoot(place, root, roots);
	if (real !== root) throw replacedDirectory(root, "root", real);
	return root;
}
