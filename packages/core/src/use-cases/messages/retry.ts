import { defined, ParleyError, type Store } from "@parley/base";
import { type RunRow, toRunRow } from "../../conversation/queue.ts";
import type { Session } from "../../conversation/session.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import type { Tables } from "../../store/tables.ts";
import type { Person, Principal } from "../../vocabulary/principal.ts";
import { optionsThrough, type RunOptions } from "../../vocabulary/run-options.ts";
import { isUndecided, publicFileFacts } from "../../vocabulary/stored-file.ts";
import { type Accepted, type AcceptPorts, enqueue, logAccepted, type NewRun, type Queued } from "./send.ts";
import { retryTexts } from "./texts.ts";

/**
 * Requests the last reply of the session again. The new run gets the work of the last run, without the text of the last
 * reply. Side effects of tools remain. Throws `failed_precondition` in these cases:
 * - There is no run.
 * - The last run has not ended.
 * - The last run ran a command or an undo of the operator.
 * - Another person wrote the message, and the message never reached the model.
 */
export async function retryLast(
	services: AcceptPorts,
	session: Session,
	request: Keyed,
): Promise<{ readonly accepted: Accepted; readonly start: RunRow | undefined }> {
	const { trusted } = session;
	let queued: Queued | undefined;
	const outcome = await session.commit((tx, record) =>
		once<Accepted>(tx, request, services, async () => {
			const newRun = await lastMessage(tx, session.id, request.principal);
			const writer = await writerOf(tx, newRun);
			queued = await enqueue(services, tx, session, { ...newRun, trusted });
			const { id: runId } = queued.run;
			const { content, correlation, retryOf, attachments } = newRun;
			await record({
				type: "user.message",
				runId,
				content,
				...defined({
					correlation,
					author: writer && { id: writer.id, name: writer.name },
					retryOf,
					attachments: attachments?.map(publicFileFacts),
				}),
			});
			return { runId, queuedPosition: queued.position };
		}),
	);
	if (queued) logAccepted(services.log, session.id, request, queued);
	const start = !outcome.repeated && queued?.position === 0 ? queued.run : undefined;
	return { accepted: outcome.response, start };
}

/** Returns the options of the session's last run. Ignores runs that joined another run. Returns `{}` if no run is left. */
export async function lastOptions(store: Store<Tables>, sessionId: string): Promise<RunOptions> {
	const row = await store.read((db) => lastRun(db, sessionId));
	return row ? toRunRow(row).options : {};
}

function lastRun(db: Tx, sessionId: string) {
	return (
		db
			.selectFrom("runs")
			.selectAll()
			.where("session_id", "=", sessionId)
			// The message of a joined run belongs to the run that it joined.
			.where("joined", "is", null)
			.orderBy("ordinal", "desc")
			.limit(1)
			.executeTakeFirst()
	);
}

async function lastMessage(
	tx: Tx,
	sessionId: string,
	principal: Principal,
): Promise<Omit<NewRun, "trusted">> {
	const { person } = principal;
	const row = await lastRun(tx, sessionId);
	if (!row) throw refused(retryTexts.none);
	if (row.state !== "ended") throw refused(retryTexts.busy);
	const { content, images, attachments, retryOf, id, actor, context, options: chosen } = toRunRow(row);
	if (chosen.command !== undefined) throw refused(retryTexts.command);
	if (chosen.undo !== undefined) throw refused(retryTexts.undo);
	// The new run belongs to the person who requested it, so the origin of the last run is removed. A message that came through an
	// agent gets no grants in the new run either.
	const { origin: _origin, afterCrash: _afterCrash, ...repeated } = chosen;
	const options = optionsThrough(principal, repeated);
	const firstStep = await tx
		.selectFrom("steps")
		.select("n")
		.where("run_id", "=", id)
		.limit(1)
		.executeTakeFirst();
	// The message never reached the model if it was cancelled in the queue, or if its files were missing. In that case,
	// a message that is not itself a retry is sent as a new message.
	const reached = firstStep !== undefined && !attachments?.some(isUndecided);
	const retriedRun = reached ? id : retryOf;
	// The stored message already starts with its author's name, so it must not get another name.
	const isOther = person !== undefined && person.id !== actor?.id;
	if (retriedRun === undefined && isOther) {
		throw refused(retryTexts.onlyAuthor);
	}
	const asks = retriedRun === undefined ? (person ?? actor) : person;
	const newRun = { content, images, options, ...defined({ attachments, context }) };
	// A retry has the correlation id of the repeated message, even if another person requests the retry.
	const named = { correlation: row.correlation ?? undefined };
	return { ...newRun, ...named, retryOf: retriedRun, ...defined({ actor: asks }) };
}

async function writerOf(tx: Tx, { retryOf, actor }: Omit<NewRun, "trusted">): Promise<Person | undefined> {
	let writer = actor ? JSON.stringify(actor) : null;
	// The first run of the repeated message stores its author.
	for (let id: string | null = retryOf ?? null; id !== null; ) {
		const run = await tx
			.selectFrom("runs")
			.select(["actor", "retry_of"])
			.where("id", "=", id)
			.executeTakeFirst();
		writer = run?.actor ?? null;
		id = run?.retry_of ?? null;
	}
	return writer === null ? undefined : fromRow<Person>(writer);
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
