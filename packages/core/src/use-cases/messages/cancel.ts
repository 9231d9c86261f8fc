import type { Clock } from "@parley/base";
import { sql } from "kysely";
import type { RecordEvents } from "../../conversation/commit.ts";
import { compactionId, type Session } from "../../conversation/session.ts";
import type { SessionGrants } from "../../conversation/session-grants.ts";
import { answerOf, type Keyed, type KeyedOutcome, once } from "../../store/idempotency.ts";
import { fromRow, type Journal, type Tx } from "../../store/journal.ts";
import { indexMessages } from "../../store/search-texts.ts";
import type { RunState } from "../../store/tables.ts";
import { actingId, type Person } from "../../vocabulary/principal.ts";
import { noUsage } from "../../vocabulary/usage.ts";

export interface Cancelled {
	readonly status: "cancelled" | "idle";
}

interface OpenRun {
	readonly id: string;
	readonly state: RunState;
	readonly content: string;
}

/**
 * Runs to cancel. Default: the active run. If `queued` is true, also the queued runs. If `runId` is present, only the run
 * with this id.
 */
export interface CancelScope {
	readonly queued?: boolean;
	readonly runId?: string | undefined;
}

/** `atWork` is true if one of the cancelled runs was active. */
interface Ended extends KeyedOutcome<Cancelled> {
	readonly atWork: boolean;
}

export interface CancelPorts {
	readonly clock: Clock;
	readonly journal: Journal;
	/** Returns a keyed hash of the text. See `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
}

/**
 * Cancels runs durably: they stay cancelled even if the gateway exits before they have stopped. If `runId` is
 * undefined, also cancels the compaction of the session.
 */
export async function cancelTurn(
	ports: CancelPorts,
	session: Session,
	request: Keyed,
	{ queued = false, runId }: CancelScope,
): Promise<Ended> {
	const { clock } = ports;
	let ending: OpenRun[] = [];
	const compaction = runId === undefined ? session.live.get(compactionId) : undefined;
	const outcome = await session.commit((tx, record) =>
		once<Cancelled>(tx, request, ports, async () => {
			const open = await openRuns(tx, session.id);
			ending = open.filter(({ id, state }) =>
				runId === undefined ? queued || state === "active" : id === runId,
			);
			for (const run of ending) {
				const by = actingId(request.principal);
				const requested = { cancel_requested: 1, cancelled_by: sql<string>`coalesce(cancelled_by, ${by})` };
				await tx.updateTable("runs").set(requested).where("id", "=", run.id).execute();
				if (run.state === "queued") await endQueued({ tx, record, session, by }, run, clock.now());
			}
			return { status: ending.length > 0 || compaction ? "cancelled" : "idle" };
		}),
	);
	compaction?.cancel();
	for (const { id, state } of ending) if (state === "queued") session.startedHere.delete(id);
	const active = ending.filter(({ state }) => state === "active");
	for (const run of active) session.cancel(run.id);
	return { ...outcome, atWork: active.length > 0 };
}

/**
 * Cancels runs for a principal, as `cancelTurn` does. Also ends the trust of the session's channel, unless a person
 * withdraws their own queued message.
 */
export async function stopTurn(
	ports: CancelPorts & { readonly grants: SessionGrants },
	session: Session,
	request: Keyed,
	ending: CancelScope,
): Promise<Cancelled> {
	const { journal, grants } = ports;
	const { place } = session;
	const known = await journal.store.read((db) => answerOf<Cancelled>(db, request, ports));
	if (known) return known.response;
	const isWithdrawal = await isOwnAndWaits(journal, session, request, ending);
	// The trust ends before the cancel is stored. After a crash, a repeated request would return above and
	// leave the trust in place.
	if (!isWithdrawal) await grants.stopped(place, request.principal);
	const { response, atWork } = await cancelTurn(ports, session, request, ending);
	// If `atWork` is true, the run of the message started after the check above, so the message was not withdrawn.
	if (isWithdrawal && atWork) await grants.stopped(place, request.principal);
	return response;
}

async function isOwnAndWaits(
	journal: Journal,
	session: Session,
	{ principal }: Keyed,
	{ runId }: CancelScope,
): Promise<boolean> {
	const { person } = principal;
	if (runId === undefined || person === undefined) return false;
	const run = await journal.store.read((db) =>
		db
			.selectFrom("runs")
			.select(["actor", "state"])
			.where("session_id", "=", session.id)
			.where("id", "=", runId)
			.executeTakeFirst(),
	);
	const actor = run?.actor ?? null;
	return actor !== null && run?.state !== "active" && fromRow<Person>(actor).id === person.id;
}

function openRuns(tx: Tx, sessionId: string): Promise<OpenRun[]> {
	return tx
		.selectFrom("runs")
		.select(["id", "state", "content"])
		.where("session_id", "=", sessionId)
		.where("state", "<>", "ended")
		.orderBy("ordinal")
		.execute();
}

/** Records the end of a queued run. An active run records its own end when it has stopped. */
async function endQueued(
	{
		tx,
		record,
		session,
		by,
	}: {
		readonly tx: Tx;
		readonly record: RecordEvents;
		readonly session: Session;
		readonly by: string;
	},
	{ id: runId, content }: OpenRun,
	now: number,
): Promise<void> {
	await tx.updateTable("runs").set({ state: "ended", ended_at: now }).where("id", "=", runId).execute();
	await indexMessages(tx, session.id, [content]);
	const facts = { runId, content: "", error: "cancelled", stoppedBy: by, model: "", usage: noUsage };
	await record({ type: "assistant.message", ...facts });
}
