import { createHash } from "node:crypto";
import { defined, ParleyError } from "@parley/base";
import type { Memories } from "../../memory/memories.ts";
import { commandsForRun, markInformed } from "../../store/command-rows.ts";
import type { Tx } from "../../store/journal.ts";
import { deleteMemory, findMemory } from "../../store/memory-rows.ts";
import { addTaint, findTaint } from "../../store/session-taint.ts";
import { notesText, withinNotesBudget } from "../../text/notes-text.ts";
import { commandsText } from "../../vocabulary/commands/background-command.ts";
import {
	checkMemory,
	isReadable,
	type Memory,
	type MemoryAccess,
	type MemoryReader,
	type NewMemory,
	subjectOf,
	unknownMemory,
} from "../../vocabulary/memory.ts";
import { joinTaints } from "../../vocabulary/taint.ts";
import { type Run, runParticipants } from "../run/run.ts";
import { memoryOfRunTexts } from "./texts.ts";

/**
 * Returns the person and the channel about which a run can read notes. In a chat, the person is set only if the run has
 * exactly one participant.
 */
export function readerOf(run: Run): MemoryReader {
	const { row, session } = run;
	if (session.place === undefined) return { user: row.actor?.id ?? session.owner };
	const [user, ...others] = new Set(runParticipants(run).map(({ id }) => id));
	return { channel: session.place, ...defined({ user: others.length === 0 ? user : undefined }) };
}

/**
 * Returns access to notes for the tools of a run. The accessible notes depend on the people who have written to the run
 * at the time of each access.
 */
export function memoryAccessOf(run: Run, callId: string, memories: Memories): MemoryAccess {
	const { session } = run;
	const { store } = run.journal;
	const clean = (text: string): string => session.redactor.redact(text);
	const check = (note: NewMemory): NewMemory => {
		const checked = checkMemory({ ...note, text: clean(note.text), tags: note.tags.map(clean) });
		subjectOf(checked.scope, readerOf(run));
		return checked;
	};
	return {
		check,
		inChat: session.place !== undefined,
		async store(note) {
			const reader = readerOf(run);
			const author = reader.user ?? run.row.actor?.id ?? session.owner;
			const origin = { id: noteId(session.id, callId), author, sessionId: session.home.id, reader };
			const checked = check(note);
			return run.commit(async ({ tx }) =>
				memories.insert(tx, checked, { ...origin, taint: await findTaint(tx, session.id) }),
			);
		},
		async find({ scope, ...filter }) {
			const selection = { reader: readerOf(run), scope };
			const notes = await store.read((db) => memories.find(db, selection, filter));
			const taint = joinTaints(notes.map((note) => note.taint));
			if (taint !== "") await run.commit(({ tx }) => addTaint(tx, session.id, taint));
			return notes;
		},
		deletable: (id) => store.read((db) => findDeletable(db, run, id)),
		async forget(id) {
			await run.commit(async ({ tx }) => {
				await findDeletable(tx, run, id);
				await deleteMemory(tx, id);
			});
		},
	};
}

/**
 * Returns the note with the id `id`. Throws unless the run can read the note and may delete it. A run may delete these
 * notes:
 * - notes by the person of the run
 * - notes about that person
 * - outside chats, notes for all people
 */
async function findDeletable(db: Tx, run: Run, id: string): Promise<Memory> {
	const reader = readerOf(run);
	const memory = await findMemory(db, id);
	if (!memory || !isReadable(memory, reader)) throw unknownMemory(id);
	const { scope, author } = memory;
	const isOperators = scope === "everyone" && run.session.place === undefined;
	if (scope === "user" || isOperators || author === reader.user) return memory;
	const { notAuthor, notAuthorForAll } = memoryOfRunTexts;
	const message = (scope === "everyone" ? notAuthorForAll : notAuthor)(id, author);
	throw new ParleyError(message, { code: "permission_denied" });
}

/**
 * Returns the id of the note that a call stores. The id is derived from the call, so that a repetition after a crash
 * finds the stored note.
 */
function noteId(sessionId: string, callId: string): string {
	return `mem_${createHash("sha256").update(`${sessionId} ${callId}`).digest("hex").slice(0, 26)}`;
}

/**
 * Adds the most relevant notes and the state of background commands to a run, before the first model call of the run.
 * Records both in one step, so that a resumed run has the same text. The session gets the taint of the notes.
 */
export async function recallMemories(run: Run, memories: Memories): Promise<void> {
	const { row, steps, session } = run;
	// A run that repeats a reply uses the question of an earlier run, with the notes of that run.
	if (row.retryOf !== undefined || steps.some(({ kind }) => kind === "reply" || kind === "recalled")) return;
	const notes = withinNotesBudget(await memories.recall(readerOf(run), row.content));
	const known = await run.journal.store.read((db) => commandsForRun(db, session.id));
	if (notes.length === 0 && known.length === 0) return;
	const isPersonal = ({ scope }: { readonly scope: string }): boolean =>
		session.place !== undefined && scope === "user";
	await run.commit(async ({ tx, step }) => {
		await step({
			kind: "recalled",
			notes: notesText(notes.filter((note) => !isPersonal(note))),
			personal: notesText(notes.filter(isPersonal)),
			...defined({ commands: known.length > 0 ? commandsText(known) : undefined }),
		});
		if (known.length > 0) await markInformed(tx, session.id, known);
		await addTaint(tx, session.id, joinTaints(notes.map(({ taint }) => taint)));
	});
}
