import { addTaint } from "../../store/session-taint.ts";
import { notesText, withinNotesBudget } from "../../text/notes-text.ts";
import { joinTaints } from "../../vocabulary/taint.ts";
import type { Run } from "../run/run.ts";
import { readerOf } from "./memory-desk-of-run.ts";

/**
 * Offers the most relevant notes to a run before its first model call, and records them as a step, so that a resumed run
 * has the same text. The session takes over their taint.
 */
export async function recallMemories(run: Run): Promise<void> {
	const { row, steps, session } = run;
	// A run that is asked again has its question, with the notes, in the run before.
	if (row.retryOf !== undefined || steps.some(({ kind }) => kind === "reply" || kind === "recalled")) return;
	const notes = withinNotesBudget(await run.deps.memories.recall(readerOf(run), row.content));
	if (notes.length === 0) return;
	const isPersonal = ({ scope }: { readonly scope: string }): boolean =>
		session.place !== undefined && scope === "user";
	await run.commit(async ({ tx, step }) => {
		await step({
			kind: "recalled",
			notes: notesText(notes.filter((note) => !isPersonal(note))),
			personal: notesText(notes.filter(isPersonal)),
		});
		await addTaint(tx, session.id, joinTaints(notes.map(({ taint }) => taint)));
	});
}
