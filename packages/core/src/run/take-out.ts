import type { Attachment } from "../files/attachment.ts";
import { toldOnly } from "../files/pictures.ts";
import { fromRow, type Tx } from "../journal/journal.ts";
import { stepHash } from "../journal/text-hash.ts";
import { historyFor, readHistory, readSteps } from "./queue.ts";
import type { Run, RunRow } from "./run.ts";
import type { Step } from "./step.ts";

/** Writes a part of the record as it is to be from now on. */
export type Change = (tx: Tx) => Promise<unknown>;

/**
 * Takes the pictures of these calls out of the record; their results say why, or, where they were cleared and the model
 * is told so in any case, stay word for word: what it reads of them must not change. What is to be changed is read before the
 * transaction that writes it: the runs of a session follow each other, so that nobody else changes their steps.
 */
export async function withoutPicturesOf(
	run: Run,
	callIds: ReadonlySet<string>,
	why: string | undefined,
): Promise<Change[]> {
	if (callIds.size === 0) return [];
	const own = run.steps.map((step, n) => ({ runId: run.id, n, step }));
	return [...(await earlierSteps(run, callIds)), ...own].flatMap(({ runId, n, step }) => {
		if (step.kind !== "result" || !step.pictures || !callIds.has(step.callId)) return [];
		const { pictures: _, ...kept } = step;
		const told = { ...kept, text: `${step.text}\n[its picture was ${why}]` };
		// Without any, but not absent: what clears a result tells the model by this that it has had some.
		const changed: Step = why === undefined ? { ...step, pictures: [] } : told;
		const data = JSON.stringify(changed);
		return (tx: Tx) =>
			tx
				.updateTable("steps")
				.set({ data, hash: stepHash({ runId, n, data }) })
				.where("run_id", "=", runId)
				.where("n", "=", n)
				.execute();
	});
}

/** Takes the pictures that came within the message of an earlier run out of the record; the message says why. */
export function withoutSent({ id, images, attachments = [] }: RunRow, why: string): Change {
	return toldOf(id, [...toldOnly(images, why), ...attachments]);
}

/** Like `withoutSent`, and from then on its attached pictures are told of as well. Their files stay. */
export function withoutShown({ id, images, attachments = [] }: RunRow, why: string): Change {
	const files = attachments.map(({ shown, ...file }) => (shown ? { ...file, problem: why } : file));
	return toldOf(id, [...toldOnly(images, why), ...files]);
}

function toldOf(id: string, attachments: readonly Attachment[]): Change {
	const told = JSON.stringify(attachments);
	return (tx) =>
		tx.updateTable("runs").set({ images: null, attachments: told }).where("id", "=", id).execute();
}

/** What is in memory of the conversation, as the record has it now. */
export async function readAgain(run: Run): Promise<void> {
	const { session, row } = run;
	session.history = undefined;
	run.history = historyFor(row, await readHistory(session.deps, session.id, row.ordinal));
	run.steps.splice(0, run.steps.length, ...(await readSteps(session.deps.journal.store, run.id)));
}

/** The steps of those earlier runs that have made one of the calls. */
async function earlierSteps(
	{ history, session }: Run,
	callIds: ReadonlySet<string>,
): Promise<{ readonly runId: string; readonly n: number; readonly step: Step }[]> {
	const ordinals = history
		.filter(({ messages }) =>
			messages.some(
				({ role, content }) =>
					role === "tool" && content.some((block) => block.type === "result" && callIds.has(block.callId)),
			),
		)
		.map(({ ordinal }) => ordinal);
	if (ordinals.length === 0) return [];
	const rows = await session.deps.journal.store.read((db) =>
		db
			.selectFrom("steps")
			.innerJoin("runs", "runs.id", "steps.run_id")
			.select(["run_id", "n", "data"])
			.where("session_id", "=", session.id)
			.where("ordinal", "in", ordinals)
			.execute(),
	);
	return rows.map(({ run_id, n, data }) => ({ runId: run_id, n, step: fromRow<Step>(data) }));
}
