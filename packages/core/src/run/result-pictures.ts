import { bytesOf, maxPicturesBytes, pictureBytes } from "../files/pictures.ts";
import { fromRow, type Tx } from "../journal/journal.ts";
import type { ImageBlock, Message, ResultBlock } from "../message.ts";
import { ModelError } from "../model-error.ts";
import type { ToolResult } from "../tool.ts";
import { recordAttempt } from "./attempt.ts";
import { historyFor, readHistory, readSteps } from "./queue.ts";
import type { Run } from "./run.ts";
import type { Step } from "./step.ts";
import { messagesOf } from "./transcript.ts";
import type { Answer } from "./with-retries.ts";

/** Where older pictures make room it is half of all: else from then on each one would take another's place. */
const filledBytes = maxPicturesBytes / 2;

/**
 * Makes room in the conversation for so many bytes of pictures, and returns how many are in it then: where they would
 * be too many, those of the oldest results are taken out for good. Those of messages stay.
 */
export async function makeRoom(run: Run, bytes: number): Promise<number> {
	const before = bytesIn(run);
	if (bytes === 0 || before + bytes <= maxPicturesBytes) return before;
	const unseen = unseenIn(run);
	let above = before + bytes - filledBytes;
	const oldest = picturedIn(run).filter(({ callId, pictures }) => {
		if (above <= 0 || unseen.has(callId)) return false;
		above -= sizeOf(pictures);
		return true;
	});
	if (oldest.length === 0) return before;
	const callIds = new Set(oldest.map(({ callId }) => callId));
	await run.commit((tx) => takeOut(run, tx, callIds, "taken out to make room: look again if you need it"));
	await readAgain(run);
	return bytesIn(run);
}

/** What calls that ran together have brought, without the pictures for which there is no room. */
export async function withinRoom<T extends { readonly result: ToolResult }>(
	run: Run,
	brought: readonly T[],
): Promise<readonly T[]> {
	const wanted = brought.reduce((sum, { result }) => sum + sizeOf(result.pictures), 0);
	if (wanted === 0) return brought;
	let before = await makeRoom(run, wanted);
	return brought.map((entry) => {
		const bytes = sizeOf(entry.result.pictures);
		if (bytes === 0) return entry;
		if (before + bytes > maxPicturesBytes) return { ...entry, result: withoutRoom(entry.result) };
		before += bytes;
		return entry;
	});
}

/**
 * A request that was the first to show this model pictures of results was refused: with them in the conversation every later one
 * would be, too. The model is told of them alone and the run goes on; false where there were none.
 */
export async function withdrawFromResults(run: Run, answer: Answer): Promise<boolean> {
	const { failure } = answer.reply;
	if (!(failure instanceof ModelError) || !failure.refusesContent) return false;
	const unseen = unseenIn(run, answer.asked);
	if (unseen.size === 0) return false;
	const reason = `${failure.message}; asked again without the pictures that tools have read`;
	const facts = { runId: run.id, reason, inMs: 0, attempt: 1, model: answer.asked };
	await run.commit(async (tx, record, step) => {
		await takeOut(run, tx, unseen, "taken out: the request that showed it was refused");
		await recordAttempt(run, answer, { tx, record, step });
		await record({ type: "run.retrying", ...facts });
	});
	await readAgain(run);
	return true;
}

type Pictured = Pick<ResultBlock, "callId" | "pictures">;

/** All results with pictures, oldest first. */
function picturedIn({ history, steps }: Run): Pictured[] {
	return [...history.flatMap(({ messages }) => messages).flatMap(resultsIn), ...steps.flatMap(resultIn)];
}

/** The calls whose pictures no model, or not this one, has answered to: another may have no eyes, or take more. */
function unseenIn({ history, steps }: Run, model?: string): Set<string> {
	const isBy = (asked: string | undefined): boolean => model === undefined || asked === model;
	const replied = steps.findLastIndex((step) => step.kind === "reply" && isBy(step.asked));
	const own = steps.slice(replied + 1).flatMap(resultIn);
	const before = replied >= 0 ? [] : history.flatMap(({ messages }) => messages);
	const last = before.findLastIndex((message) => message.role === "assistant" && isBy(message.model));
	return new Set([...before.slice(last + 1).flatMap(resultsIn), ...own].map(({ callId }) => callId));
}

function resultsIn(message: Message): Pictured[] {
	return message.role === "tool" ? message.content.filter(({ pictures }) => pictures) : [];
}

function resultIn(step: Step): Pictured[] {
	return step.kind === "result" && step.pictures ? [step] : [];
}

function bytesIn({ history, row, steps }: Run): number {
	const messages = [...history.flatMap((run) => run.messages), ...messagesOf(row, [])];
	return steps
		.flatMap(resultIn)
		.reduce((sum, { pictures }) => sum + sizeOf(pictures), pictureBytes(messages));
}

function sizeOf(pictures: readonly ImageBlock[] = []): number {
	return pictures.reduce((sum, picture) => sum + bytesOf(picture), 0);
}

function withoutRoom({ text }: ToolResult): ToolResult {
	const why = `the pictures of this conversation have ${maxPicturesBytes} bytes together at most`;
	return { text: `${text}\n[not shown: ${why}; read a smaller copy, or fewer at once]`, failed: true };
}

/** The steps of all runs of the session are looked through, as this seldom happens. */
async function takeOut({ session }: Run, tx: Tx, callIds: ReadonlySet<string>, why: string): Promise<void> {
	const rows = await tx
		.selectFrom("steps")
		.innerJoin("runs", "runs.id", "steps.run_id")
		.select(["run_id", "n", "data"])
		.where("session_id", "=", session.id)
		.execute();
	for (const { run_id, n, data } of rows) {
		const step = fromRow<Step>(data);
		if (step.kind !== "result" || !step.pictures || !callIds.has(step.callId)) continue;
		const { pictures: _, ...kept } = step;
		const changed: Step = { ...kept, text: `${step.text}\n[its picture was ${why}]` };
		await tx
			.updateTable("steps")
			.set({ data: JSON.stringify(changed) })
			.where("run_id", "=", run_id)
			.where("n", "=", n)
			.execute();
	}
}

/** What is in memory of the conversation, as the record has it now. */
async function readAgain(run: Run): Promise<void> {
	const { session, row } = run;
	session.history = undefined;
	run.history = historyFor(row, await readHistory(session.deps, session.id, row.ordinal));
	run.steps.splice(0, run.steps.length, ...(await readSteps(session.deps.journal.store, run.id)));
}
