import { ParleyError, type Store } from "@parley/base";
import type { Services } from "../../conversation/services.ts";
import { defaultProfile } from "../../policy/profiles/profile-name.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { rebindSchedules } from "../../store/schedule-rows.ts";
import { indexName } from "../../store/search-texts.ts";
import { sessionRow } from "../../store/session-row.ts";
import type { Tables } from "../../store/tables.ts";
import { oneLine } from "../../text/title-text.ts";
import { setBudget } from "../../usage/set-budget.ts";
import { authorize, unknownSession } from "../../vocabulary/authorize.ts";
import type { Recorded } from "../../vocabulary/event.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { type HistoryMessage, storeImport } from "./import-history.ts";
import type { Opening } from "./opening.ts";

/** What a client asks for when it opens a session that has no id yet. */
export interface NewSession {
	/** The id of the session, for wires whose clients choose it; a new one if it is absent. See `isSessionId`. */
	readonly id?: string;
	readonly rootDir?: string;
	readonly title?: string;
	readonly externalKey?: string;
	/** The name of an agent profile; `default` where absent. */
	readonly profile?: string;
	/**
	 * A conversation that the client has had elsewhere. The model sees it before the first run, and it is shown as
	 * imported. Left out if the external key finds a session that exists. See `planImport` for what is refused.
	 */
	readonly history?: readonly HistoryMessage[];
}

/**
 * Creates a session, or finds the one of the same external key; durable, with its `session.created`. `usable` rejects
 * where a new one is not possible.
 */
export async function createSession(
	deps: Services,
	request: Keyed,
	wanted: Opening,
): Promise<{ readonly id: string; readonly status: "created" | "resumed" }> {
	const { journal, ids } = deps;
	const owner = request.principal.id;
	// Where the session is there already nobody looks at it.
	wanted.usable?.catch(() => undefined);
	const externalKey = wanted.externalKey ?? null;
	let created: readonly Recorded[] = [];
	let made: string | undefined;
	const opened = journal.store.commit((tx) =>
		once(tx, request, deps, async () => {
			created = [];
			const known = await findKnown(tx, request.principal, externalKey);
			if (known !== undefined) return { id: known, status: "resumed" as const };
			await wanted.usable;
			const id = await newId(tx, wanted.id ?? ids.create("sess"));
			if (wanted.root === undefined) made = id;
			created = await storeSession(tx, deps, { id, owner }, wanted);
			return { id, status: "created" as const };
		}),
	);
	const outcome = await opened.catch(async (reason: unknown) => {
		if (made !== undefined) await deps.workspaces.remove(made);
		throw reason;
	});
	if (outcome.repeated) await refuseDeleted(journal.store, outcome.response.id);
	for (const event of created) deps.observers.tell(event, owner);
	return outcome.response;
}

/** The session of an external key. One of another channel is refused: what was said there stays there. */
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

/** Stores a new session with all that belongs to it, and returns its first events. */
async function storeSession(
	tx: Tx,
	deps: Services,
	{ id, owner }: { readonly id: string; readonly owner: string },
	wanted: Opening,
): Promise<readonly Recorded[]> {
	const title = oneLine(deps.redactor.redact(wanted.title ?? ""));
	const externalKey = wanted.externalKey ?? null;
	const facts = {
		...{ id, owner, title, external_key: externalKey },
		titled_by: title === "" ? null : ("person" as const),
		root_dir: wanted.root ?? (await deps.workspaces.create(id)),
		profile: wanted.profile ?? defaultProfile,
		place: wanted.place ?? null,
	};
	const row = { ...sessionRow(facts, deps.clock.now()), model: wanted.model ?? null };
	await tx.insertInto("sessions").values(row).execute();
	await setOwnBudget(tx, deps, id, wanted);
	await indexName(tx, id, [title, externalKey]);
	const imported = await storeImport(tx, deps, id, wanted.imported ?? []);
	const created = await deps.journal.append(tx, id, [{ type: "session.created" }, ...imported]);
	if (externalKey !== null) {
		const seenSeq = created.at(-1)?.seq ?? 0;
		await rebindSchedules(tx, { owner, externalKey }, { sessionId: id, seenSeq });
	}
	return created;
}

/** The id, if no session has it. One that the principal may not see looks like one that does not exist. */
async function newId(tx: Tx, id: string): Promise<string> {
	const known = await tx.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst();
	if (known) throw new ParleyError(`session not found: ${id}`, { code: "already_exists" });
	return id;
}

/** What a channel's profile lets each of its sessions spend. */
async function setOwnBudget(
	tx: Tx,
	{ journal, clock }: Services,
	sessionId: string,
	{ budget: limit, place }: Opening,
): Promise<void> {
	if (limit === undefined) return;
	const made = { store: journal.store, by: `place:${place}`, at: clock.now() };
	await setBudget(tx, { scope: "session", sessionId, period: "day", limit }, made);
}

/** The key has done what it was for: it creates no other session, and hands out none that was deleted since. */
async function refuseDeleted(store: Store<Tables>, id: string): Promise<void> {
	const known = await store.read((db) =>
		db.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst(),
	);
	if (!known) throw unknownSession(id);
}
