import { defined, type Store } from "@parley/base";
import type { Files } from "../files/files.ts";
import { withImages } from "../files/images.ts";
import { fromRow, type Journal, type Tx } from "../store/journal.ts";
import { deleteSteers, insertStep, oldestOpenRun } from "../store/statements.ts";
import type { Tables } from "../store/tables.ts";
import type { ImageBlock } from "../vocabulary/message.ts";
import type { MessageContext } from "../vocabulary/message-context.ts";
import type { Person } from "../vocabulary/principal.ts";
import { isWithoutGrants, type RunOptions } from "../vocabulary/run-options.ts";
import type { Step } from "../vocabulary/step.ts";
import type { Attachment } from "../vocabulary/stored-file.ts";
import {
	messagesOf,
	type RunMessage,
	type RunTranscript,
	withoutLastReply,
} from "../vocabulary/transcript.ts";
import type { Session } from "./session.ts";

/**
 * Maximum queued messages of a session, in addition to its active run. Also the maximum messages that were
 * added to a run and that the model has not received yet.
 */
export const queueLimit = 32;

/**
 * Activates and returns the oldest queued run of the session. Returns undefined if no run is queued or a run is
 * active.
 */
export async function claimNext(tx: Tx, session: Session, now: number): Promise<RunRow | undefined> {
	const [row] = await oldestOpenRun(tx, { sessionId: session.id });
	if (row?.state !== "queued") return undefined;
	const trusted = session.trusted && !isWithoutGrants(toRunRow(row).options) ? 1 : 0;
	await tx
		.updateTable("runs")
		.set({ state: "active", accept_all: trusted })
		.where("id", "=", row.id)
		.where("state", "=", "queued")
		.execute();
	await insertStep(tx, { runId: row.id, n: 0, at: now, data: JSON.stringify({ kind: "call" }) });
	return toRunRow({ ...row, accept_all: trusted });
}

/** Returns the stored active run of a session, if any. A restarted gateway continues this run. */
export async function findActive(db: Tx, sessionId: string): Promise<RunRow | undefined> {
	const row = await db
		.selectFrom("runs")
		.selectAll()
		.where("session_id", "=", sessionId)
		.where("state", "=", "active")
		.executeTakeFirst();
	return row && toRunRow(row);
}

/** Returns the recorded steps of a run, in order. */
export async function readSteps(store: Store<Tables>, runId: string): Promise<Step[]> {
	const rows = await store.read((db) =>
		db.selectFrom("steps").select("data").where("run_id", "=", runId).orderBy("n").execute(),
	);
	return rows.map(({ data }) => fromRow<Step>(data));
}

/** Returns the transcript of a session before the run with the ordinal `beforeOrdinal`. */
export async function readHistory(
	{ journal, files }: { readonly journal: Journal; readonly files: Files },
	sessionId: string,
	beforeOrdinal: number,
): Promise<readonly RunTranscript[]> {
	const { runs, steps } = await journal.store.read(async (db) => {
		const before = db
			.selectFrom("runs")
			.where("session_id", "=", sessionId)
			.where("ordinal", "<", beforeOrdinal);
		return {
			runs: await before.selectAll().orderBy("ordinal").execute(),
			steps: await db
				.selectFrom("steps")
				.select(["run_id", "data"])
				.where("run_id", "in", before.select("id"))
				.orderBy("n")
				.execute(),
		};
	});
	const byRun = Map.groupBy(steps, (step) => step.run_id);
	let history: readonly RunTranscript[] = [];
	for (const row of runs) {
		const own = byRun.get(row.id) ?? [];
		// A run without steps has not started, so its message never reached the model.
		if (own.length === 0) continue;
		const run = await withImages(files, toRunRow(row));
		const messages = messagesOf(
			run,
			own.map(({ data }) => fromRow<Step>(data)),
		);
		history = [...historyFor(run, history), { ordinal: run.ordinal, messages }];
	}
	return history;
}

/** Returns the transcript before the run. For a retry, omits the repeated reply. */
export function historyFor({ retryOf }: RunRow, history: readonly RunTranscript[]): readonly RunTranscript[] {
	const last = history.at(-1);
	return retryOf === undefined || !last ? history : [...history.slice(0, -1), withoutLastReply(last)];
}

export function toRunRow(row: {
	readonly id: string;
	readonly content: string;
	readonly images: string | null;
	readonly attachments: string | null;
	readonly retry_of: string | null;
	readonly correlation: string | null;
	readonly actor: string | null;
	readonly options: string | null;
	readonly context: string | null;
	readonly accept_all: number;
	readonly cancel_requested: number;
	readonly ordinal: number;
}): RunRow {
	return {
		id: row.id,
		content: row.content,
		images: row.images === null ? [] : fromRow<ImageBlock[]>(row.images),
		...defined({
			attachments: row.attachments === null ? undefined : fromRow<Attachment[]>(row.attachments),
		}),
		retryOf: row.retry_of ?? undefined,
		...defined({
			actor: row.actor === null ? undefined : fromRow<Person>(row.actor),
			context: row.context === null ? undefined : fromRow<MessageContext>(row.context),
		}),
		options: row.options === null ? {} : fromRow<RunOptions>(row.options),
		acceptAll: row.accept_all === 1,
		cancelRequested: row.cancel_requested === 1,
		ordinal: Number(row.ordinal),
		correlation: row.correlation ?? row.id,
	};
}

/** Removes and returns the messages that were added to a run since its last model call, in order. */
export async function drainSteers(tx: Tx, runId: string): Promise<Extract<Step, { kind: "steered" }>[]> {
	const rows = await deleteSteers(tx, { runId });
	return rows
		.sort((a, b) => a.ordinal - b.ordinal)
		.map(({ content, actor, context }) => ({
			kind: "steered",
			content,
			...defined({
				actor: actor === null ? undefined : fromRow<Person>(actor),
				context: context === null ? undefined : fromRow<MessageContext>(context),
			}),
		}));
}

export interface RunRow extends RunMessage {
	readonly id: string;
	readonly options: RunOptions;
	readonly acceptAll: boolean;
	readonly cancelRequested: boolean;
	/** Position among the session's runs, from 1. */
	readonly ordinal: number;
	/** Id in every log line about the message. */
	readonly correlation: string;
}
