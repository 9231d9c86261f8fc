import { defined, ParleyError } from "@parley/base";
import type { RecordEvents } from "../../conversation/commit.ts";
import type { Session } from "../../conversation/session.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import type { Person, Principal } from "../../vocabulary/principal.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { recordRead } from "./select-context.ts";
import type { AcceptPorts } from "./send.ts";
import { findAtWork, insertSteer } from "./steer.ts";
import { feedbackTexts, queueTexts } from "./texts.ts";

/**
 * Result of `joinTurn`:
 * - `joined`: the message joined the run `runId`.
 * - `queued`: the message stays in the queue, because no run can accept it.
 * - `begun`: the message has already left the queue.
 *
 * For `queued` and `begun`, `runId` is the message's own run.
 */
export interface Joined {
	readonly status: "joined" | "queued" | "begun";
	readonly runId: string;
}

type QueuedRow = Awaited<ReturnType<typeof readRun>>;

/**
 * Moves a queued message into the active run, if that run can accept the message. The model receives the message with
 * its next call in that run. Throws:
 * - `permission_denied` for a person who is not the author
 * - `not_found` for an unknown run
 * - `failed_precondition` for a retry, and for a message with files or options
 * - `resource_exhausted` if too many added messages are waiting
 */
export async function joinTurn(
	services: AcceptPorts,
	session: Session,
	request: Keyed,
	runId: string,
): Promise<Joined> {
	const { response, repeated } = await session.commit((tx, record) =>
		once<Joined>(tx, request, services, async () => {
			const row = await readRun(tx, session.id, runId);
			const actor = row.actor === null ? undefined : fromRow<Person>(row.actor);
			demandAuthor(request.principal, actor);
			if (row.state !== "queued") return { status: "begun", runId };
			demandText(row);
			const active = await findAtWork(tx, session.id, actor);
			if (active === undefined) return { status: "queued", runId };
			const { content, context } = row;
			await insertSteer(services, tx, active, { content, actor, context });
			await moveRead(tx, session.id, { row, active, now: services.clock.now() });
			await endJoined({ tx, record }, row, { active, actor, now: services.clock.now() });
			return { status: "joined", runId: active };
		}),
	);
	if (response.status === "joined" && !repeated) {
		session.startedHere.delete(runId);
		session.live.get(response.runId)?.log.info(queueTexts.joined, { queued: runId });
	}
	return response;
}

async function readRun(tx: Tx, sessionId: string, runId: string) {
	const row = await tx
		.selectFrom("runs")
		.select(["id", "state", "content", "images", "attachments", "options", "context", "actor"])
		.select(["correlation", "retry_of"])
		.where("session_id", "=", sessionId)
		.where("id", "=", runId)
		.executeTakeFirst();
	if (row) return row;
	throw new ParleyError(feedbackTexts.runNotFound(runId), { code: "not_found" });
}

function demandAuthor({ person }: Principal, actor: Person | undefined): void {
	if (person === undefined || person.id === actor?.id) return;
	throw new ParleyError(queueTexts.onlyAuthor, {
		code: "permission_denied",
	});
}

function demandText({ images, attachments, options, retry_of }: QueuedRow): void {
	const reason =
		images !== null || attachments !== null
			? queueTexts.files
			: options !== null
				? queueTexts.ownOptions
				: retry_of !== null
					? queueTexts.repetition
					: undefined;
	if (reason === undefined) return;
	throw new ParleyError(queueTexts.cannotJoin(reason), {
		code: "failed_precondition",
	});
}

/** Assigns the message and its context to the active run, so that later runs do not receive them again. */
async function moveRead(
	tx: Tx,
	sessionId: string,
	{ row, active, now }: { readonly row: QueuedRow; readonly active: string; readonly now: number },
): Promise<void> {
	await tx
		.updateTable("read_messages")
		.set({ run_id: active })
		.where("session_id", "=", sessionId)
		.where("run_id", "=", row.id)
		.execute();
	if (row.correlation !== null)
		await recordRead(tx, sessionId, active, [{ id: row.correlation, editedAt: now }]);
}

async function endJoined(
	{ tx, record }: { readonly tx: Tx; readonly record: RecordEvents },
	{ id: runId, content, correlation }: QueuedRow,
	{
		active,
		actor,
		now,
	}: { readonly active: string; readonly actor: Person | undefined; readonly now: number },
): Promise<void> {
	await tx
		.updateTable("runs")
		.set({ state: "ended", ended_at: now, joined: active })
		.where("id", "=", runId)
		.execute();
	const named = defined({
		correlation: correlation ?? undefined,
		author: actor && { id: actor.id, name: actor.name },
	});
	await record({ type: "user.message", runId: active, content, ...named, steered: true });
	const facts = { runId, content: "", error: "cancelled", joined: active, model: "", usage: noUsage };
	await record({ type: "assistant.message", ...facts });
}
