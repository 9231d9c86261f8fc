import { setImmediate } from "node:timers/promises";
import { type Failpoints, ParleyError } from "@parley/base";
import type { Observers } from "../../conversation/observers.ts";
import type { Session } from "../../conversation/session.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import type { Files } from "../../files/files.ts";
import { answerOf, type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { indexName } from "../../store/search-texts.ts";
import { sessionRow } from "../../store/session-row.ts";
import { stamp } from "../../store/tables.ts";
import { forkTitle } from "../../text/fork-title.ts";
import { oneLine } from "../../text/title-text.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { writeBudget } from "../../usage/set-budget.ts";
import { unknownSession } from "../../vocabulary/authorize.ts";
import type { Recorded } from "../../vocabulary/event.ts";
import { HistoryCopy, readHistoryRows } from "./copy-history.ts";
import type { ImportPorts } from "./store-import.ts";
import { forkTexts } from "./texts.ts";

interface ForkPorts extends KeyServices, Omit<ImportPorts, "redactor"> {
	readonly journal: Journal;
	readonly audit: Audit;
	/** Failpoints: `fork-files` after the files were copied, `fork` after the commit. */
	readonly failpoints: Failpoints;
	readonly observers: Observers;
	readonly files: Files;
	readonly sessions: Sessions;
}

export interface ForkOptions {
	/**
	 * Number of the fork's last turn, from 1. A negative number leaves out that many turns at the end. Default:
	 * the last turn before the first turn that has not ended.
	 */
	readonly at?: number;
	/** Title of the fork. Default: the title of the original session with "(fork)" or a number, see `forkTitle`. */
	readonly title?: string;
	readonly externalKey?: string;
}

export interface Fork {
	readonly id: string;
	readonly title: string;
	readonly turns: number;
	readonly lastSeq: number;
}

/**
 * Creates a session with the first turns of another session, in one transaction. The fork has its own copy of the
 * transcript and of the stored files, and shares the working directory. The fork gets the taint, profile, model, system
 * prompt, budgets, owner and channel of the original session. The fork gets no grants, questions, passwords, queued
 * messages or background work. Throws `failed_precondition` for a turn that has not ended, and `invalid_argument` for a
 * turn that does not exist. Throws `already_exists` for a used external key.
 */
export async function forkSession(
	ports: ForkPorts,
	request: Keyed,
	sessionId: string,
	options: ForkOptions,
): Promise<Fork> {
	const { journal, ids } = ports;
	// The request's key is looked up before the session, because the session may have been deleted since an earlier request
	// with this key.
	const known = await journal.store.read((db) => answerOf<Fork>(db, request, ports));
	if (known) return await stillThere(journal, known.response);
	using lease = await ports.sessions.lease(request.principal, sessionId, "session.fork");
	const { session } = lease;
	const { turns, history } = await journal.store.read(async (db) => {
		const last = await chooseTurn(db, sessionId, options.at);
		return { turns: last, history: await readHistoryRows(db, sessionId, last) };
	});
	const id = ids.create("sess");
	const copy = new HistoryCopy(history, id, { ids, redactor: session.redactor });
	let created: readonly Recorded[] = [];
	const { response } = await ports.files.copying(copy.files, async () => {
		await ports.failpoints.reach("fork-files");
		// The fork is stored in a commit of the original session, so that the original session cannot be deleted meanwhile.
		return await session.commit((tx) =>
			once<Fork>(tx, request, ports, async () => {
				const title = await storeFork(tx, ports, session, { ...options, id });
				await copy.store(tx);
				await ports.files.recordCopies(tx, id, copy.files);
				created = await appendEvents(tx, journal, copy, { id, turns, sessionId });
				const entry = { action: "session.fork", object: sessionId, decision: "created" };
				await ports.audit.record(tx, {
					...requestedBy(request.principal),
					...entry,
					args: { fork: id, turns },
				});
				return { id, title, turns, lastSeq: created.at(-1)?.seq ?? 0 };
			}),
		);
	});
	// If the ids differ, another request with the same key was faster, so this copy of the files is not used.
	if (response.id !== id) await ports.files.unlink(copy.files.map((file) => file.id));
	await ports.failpoints.reach("fork");
	for (const event of created) ports.observers.notify(event, session.owner);
	return response;
}

/** Number of events that are stored without a pause for the event loop. */
const eventsAtOnce = 500;

async function appendEvents(
	tx: Tx,
	journal: Journal,
	copy: HistoryCopy,
	{ id, turns, sessionId }: { readonly id: string; readonly turns: number; readonly sessionId: string },
): Promise<readonly Recorded[]> {
	const first = await journal.append(tx, id, [{ type: "session.created", forkedFrom: { sessionId, turns } }]);
	const copied = copy.events();
	const rest: Recorded[] = [];
	for (let from = 0; from < copied.length; from += eventsAtOnce) {
		const some = copied.slice(from, from + eventsAtOnce);
		const events = some.map(({ event }) => event);
		const times = some.map(({ at }) => at);
		rest.push(...(await journal.append(tx, id, events, times)));
		if (from + eventsAtOnce < copied.length) await setImmediate();
	}
	return [...first, ...rest];
}

/**
 * Returns the number of the last turn to copy. For `at`, see `ForkOptions`. Throws `invalid_argument` for an
 * unknown turn, and `failed_precondition` unless the turn and all earlier turns have ended.
 */
async function chooseTurn(db: Tx, sessionId: string, at: number | undefined): Promise<number> {
	const runs = db.selectFrom("runs").where("session_id", "=", sessionId);
	const { last } = await runs
		.select((eb) => eb.fn.max<number | null>("ordinal").as("last"))
		.executeTakeFirstOrThrow();
	const { open } = await runs
		.where("state", "<>", "ended")
		.select((eb) => eb.fn.min<number | null>("ordinal").as("open"))
		.executeTakeFirstOrThrow();
	const all = Number(last ?? 0);
	const ended = open === null ? all : Number(open) - 1;
	const turn = at === undefined ? ended : at < 0 ? all + at : at;
	if (at !== undefined && (turn < 1 || turn > all)) {
		throw new ParleyError(forkTexts.noTurn(at, all), { code: "invalid_argument" });
	}
	if (turn >= 1 && turn <= ended) return turn;
	throw new ParleyError(forkTexts.notEnded(turn, ended, all), { code: "failed_precondition" });
}

/** Stores the session of the fork with its budgets and system prompt. Returns the title. */
async function storeFork(
	tx: Tx,
	ports: ForkPorts,
	session: Session,
	{
		id,
		title: chosen = "",
		externalKey = null,
	}: Omit<ForkOptions, "externalKey"> & {
		readonly id: string;
		readonly externalKey?: string | null;
	},
): Promise<string> {
	const from = await tx
		.selectFrom("sessions")
		.selectAll()
		.where("id", "=", session.id)
		.executeTakeFirstOrThrow();
	await refuseUsedKey(tx, from.owner, externalKey);
	const own = oneLine(session.redactor.redact(chosen));
	const title = own === "" ? forkTitle(from.title) : own;
	const { owner, root_dir, profile, place, model, taint } = from;
	const named = { title, titled_by: own === "" ? from.titled_by : ("person" as const) };
	const facts = { id, owner, root_dir, profile, place, external_key: externalKey, ...named };
	await tx
		.insertInto("sessions")
		.values({ ...sessionRow(facts, ports.clock.now()), model, taint })
		.execute();
	await indexName(tx, id, [title, externalKey]);
	const { store } = ports.journal;
	const budgets = await tx.selectFrom("budgets").selectAll().where("scope", "=", session.id).execute();
	for (const { period, limit_cost, set_by: by } of budgets) {
		const limit = limit_cost === null ? null : Number(limit_cost);
		await writeBudget(
			tx,
			{ scope: "session", sessionId: id, period, limit },
			{ store, by, at: ports.clock.now() },
		);
	}
	const prompt = await tx
		.selectFrom("system_prompts")
		.select("text")
		.where("session_id", "=", session.id)
		.executeTakeFirst();
	if (prompt) {
		await tx
			.insertInto("system_prompts")
			.values({ session_id: id, text: prompt.text, ...stamp })
			.execute();
	}
	return title;
}

async function refuseUsedKey(tx: Tx, owner: string, externalKey: string | null): Promise<void> {
	if (externalKey === null) return;
	const known = await tx
		.selectFrom("sessions")
		.select("id")
		.where("owner", "=", owner)
		.where("external_key", "=", externalKey)
		.executeTakeFirst();
	if (known) throw new ParleyError(forkTexts.usedKey, { code: "already_exists" });
}

/** Returns the fork of an earlier request. Throws if that fork was deleted. */
async function stillThere(journal: Journal, fork: Fork): Promise<Fork> {
	const known = await journal.store.read((db) =>
		db.selectFrom("sessions").select("id").where("id", "=", fork.id).executeTakeFirst(),
	);
	if (known) return fork;
	throw unknownSession(fork.id);
}
