import { fitTogether, noRoom } from "../files/picture-room.ts";
import type { ImageBlock } from "../message.ts";
import { ModelError } from "../model-error.ts";
import type { ToolResult } from "../tool.ts";
import { makeRoom, withinRoomAgain } from "./make-room.ts";
import type { Attempt } from "./model-calls.ts";
import { recordAttempt } from "./model-calls.ts";
import type { Run } from "./run.ts";
import { unseenIn } from "./shown-pictures.ts";
import { type Change, readAgain, withoutPicturesOf } from "./take-out.ts";

/** What calls that ran together have brought, without the pictures for which there is no room. */
export async function withinRoom<T extends { readonly result: ToolResult }>(
	run: Run,
	brought: readonly T[],
): Promise<readonly T[]> {
	const wanted = brought.flatMap(({ result }) => (result.pictures ? [result.pictures] : []));
	if (wanted.length === 0) return brought;
	const asked = askedIn(run);
	const inside = [...(await makeRoom(run, [asked, ...wanted])), ...asked];
	return brought.map((entry) => {
		const { pictures: more = [] } = entry.result;
		if (more.length === 0) return entry;
		if (!fitTogether([...inside, ...more])) return { ...entry, result: withoutRoom(entry.result) };
		inside.push(...more);
		return entry;
	});
}

/**
 * A request was refused that showed more pictures than there may be, as the record of another version can have them, or
 * was the first to show this model pictures of results: with them in the conversation every later one would be, too.
 * The model is told of them alone and the run goes on; false where there were none.
 */
export async function withdrawFromConversation(run: Run, answer: Attempt): Promise<boolean> {
	const { failure } = answer.reply;
	if (!(failure instanceof ModelError) || !failure.refusesContent) return false;
	const { changes, without } = await withdrawing(run, answer);
	if (changes.length === 0) return false;
	const reason = `${failure.message}; asked again without ${without}`;
	const facts = { runId: run.id, reason, inMs: 0, attempt: 1, model: answer.model };
	await run.commit(async ({ tx, record, step }) => {
		for (const change of changes) await change(tx);
		await recordAttempt(run, answer, { tx, record, step });
		await record({ type: "run.retrying", ...facts });
	});
	await readAgain(run);
	return true;
}

async function withdrawing(
	run: Run,
	{ model }: Attempt,
): Promise<{ readonly changes: readonly Change[]; readonly without: string }> {
	const tooMany = await withinRoomAgain(run, askedIn(run));
	if (tooMany.length > 0) return { changes: tooMany, without: "the oldest pictures" };
	const unseen = unseenIn(run, model);
	const changes = await withoutPicturesOf(run, unseen, "taken out: the request that showed it was refused");
	return { changes, without: "the pictures that tools have read" };
}

/** The pictures of the message that is worked on; one that is asked again stands with the run before. */
function askedIn({ row: { images, pictures = [], retryOf } }: Run): readonly ImageBlock[] {
	return retryOf === undefined ? [...images, ...pictures] : [];
}

function withoutRoom({ text }: ToolResult): ToolResult {
	return { text: `${text}\n[not shown: ${noRoom}; read a smaller copy, or fewer at once]`, failed: true };
}
