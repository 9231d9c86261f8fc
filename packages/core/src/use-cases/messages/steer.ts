import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import { queueLimit, type RunRow } from "../../conversation/queue.ts";
import type { Session } from "../../conversation/session.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { addTaint, taintOfMessage } from "../../store/session-taint.ts";
import { stamp } from "../../store/tables.ts";
import { steerHash } from "../../store/text-hash.ts";
import { actingId, hasRole, type Person } from "../../vocabulary/principal.ts";
import { isWithoutGrants, optionsThrough } from "../../vocabulary/run-options.ts";
import { type Accepted, type AcceptPorts, authorOf, enqueue, logAccepted, type Queued } from "./send.ts";
import { storable } from "./storable.ts";
import { queueTexts } from "./texts.ts";

/** A message for the active run. Has only a text, because the run's next model call gets only the text. */
export interface SteerMessage {
	readonly content: string;
}

/** Result of a message for the active run. `sent` if the message got its own run instead. */
export interface Steered extends Accepted {
	readonly status: "steered" | "sent";
}

/**
 * Adds a message to the active run for the run's next model call, or for an additional call. Sends an ordinary message
 * instead if an agent or an agent's form sent the message, or if `findAtWork` finds no run.
 */
export async function steer(
	services: AcceptPorts,
	session: Session,
	request: Keyed,
	message: SteerMessage,
): Promise<{ readonly steered: Steered; readonly start: RunRow | undefined }> {
	const { trusted } = session;
	let queued: Queued | undefined;
	const outcome = await session.commit((tx, record) =>
		once<Steered>(tx, request, services, async () => {
			queued = undefined;
			const content = storable(session.redactor.redactKnown(message.content));
			const { person: actor } = request.principal;
			const author = authorOf(request.principal, message);
			const by = author && { author };
			await addTaint(tx, session.id, taintOfMessage(request.principal, author));
			const options = optionsThrough(request.principal);
			// The active run may have grants, which do not cover work for an agent.
			const runId = isWithoutGrants(options) ? undefined : await findAtWork(tx, session.id, actor);
			if (runId !== undefined) {
				await insertSteer(services, tx, runId, { content, actor });
				await record({ type: "user.message", runId, content, ...by, steered: true });
				return { status: "steered", runId, queuedPosition: 0 };
			}
			const newRun = { content, images: [], retryOf: undefined, options, ...defined({ actor }) };
			queued = await enqueue(services, tx, session, { ...newRun, trusted });
			await record({ type: "user.message", runId: queued.run.id, content, ...by });
			return { status: "sent", runId: queued.run.id, queuedPosition: queued.position };
		}),
	);
	const { status, runId } = outcome.response;
	if (queued) logAccepted(services.log, session.id, request, queued);
	else if (status === "steered" && !outcome.repeated) {
		const facts = { principal: actingId(request.principal), bytes: Buffer.byteLength(message.content) };
		session.live.get(runId)?.log.info(queueTexts.entered, facts);
	}
	const start = !outcome.repeated && queued?.position === 0 ? queued.run : undefined;
	return { steered: outcome.response, start };
}

/**
 * Returns the id of the active run to which the message can be added, or undefined. A run that is being cancelled accepts
 * no message. An author with a role below member can add messages only to a run that the author started with the same
 * role. Other runs may have more permissions than the author.
 */
export async function findAtWork(
	tx: Tx,
	sessionId: string,
	actor: Person | undefined,
): Promise<string | undefined> {
	const row = await tx
		.selectFrom("runs")
		.select(["id", "actor"])
		.where("session_id", "=", sessionId)
		.where("state", "=", "active")
		.where("cancel_requested", "=", 0)
		.executeTakeFirst();
	if (!row || !actor || hasRole(actor, "member")) return row?.id;
	const asker = row.actor === null ? undefined : fromRow<Person>(row.actor);
	return asker?.id === actor.id && asker.role === actor.role ? row.id : undefined;
}

/** `context` is the `MessageContext` as JSON. */
interface Steer {
	readonly content: string;
	readonly actor: Person | undefined;
	readonly context?: string | null;
}

export async function insertSteer(
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
	tx: Tx,
	runId: string,
	{ content, actor, context = null }: Steer,
): Promise<void> {
	const waiting = await tx.selectFrom("steers").select("ordinal").where("run_id", "=", runId).execute();
	if (waiting.length >= queueLimit) {
		throw new ParleyError(queueTexts.busyRun(queueLimit), {
			code: "resource_exhausted",
		});
	}
	const ordinal = Math.max(0, ...waiting.map((steer) => steer.ordinal)) + 1;
	const steer = { content, actor: actor ? JSON.stringify(actor) : null };
	const row = { id: ids.create("steer"), run_id: runId, ordinal, ...steer, created_at: clock.now() };
	await tx
		.insertInto("steers")
		.values({ ...row, context, hash: steerHash({ ...row, runId }), ...stamp })
		.execute();
}
