import type { Session } from "../../conversation/session.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { readChanges } from "../../conversation/turn-changes.ts";
import type { Workspaces } from "../../conversation/workspaces.ts";
import { lastChangedTurn } from "../../store/file-change-rows.ts";
import type { Journal } from "../../store/journal.ts";
import { diffsOf, type InspectedChange, inspectChange } from "../../tools/files/turn-changes.ts";
import { absent } from "../../vocabulary/file-change.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import type { SecretBox } from "../../vocabulary/secrets.ts";

/** Changed file of a turn, compared with its content before the turn. */
export interface FileDifference {
	/** Path for display, without secrets. */
	readonly path: string;
	/** Effect of `/undo` on the file: `restorable`, `restored` if the file is already as before the turn, or `refused`. */
	readonly state: InspectedChange["kind"];
	/** Reason for a refusal, or "". */
	readonly reason: string;
	/** Whether the turn created the file. */
	readonly isNew: boolean;
	/** Unified diff from the content before the turn to the current content, without secrets. */
	readonly diff: string;
}

/** File changes of the newest turn with changes that are not undone. */
export interface TurnDifference {
	readonly runId: string;
	readonly message: string;
	readonly files: readonly FileDifference[];
	/** Whether the turn ran commands or tools of other programs. The changes of such commands and tools are not recorded. */
	readonly ranCommands: boolean;
}

interface DifferencePorts {
	readonly journal: Journal;
	readonly sessions: Sessions;
	readonly secrets: SecretBox;
	readonly workspaces: Workspaces;
	readonly roots: (session: Session) => readonly string[];
	readonly forbidden: readonly string[];
}

/**
 * Finds the newest turn with changes that are not undone. Compares the files of that turn with their current state.
 * Returns undefined if there is no such turn.
 */
export async function readTurnDifference(
	{ journal, sessions, secrets, workspaces, roots, forbidden }: DifferencePorts,
	principal: Principal,
	sessionId: string,
): Promise<TurnDifference | undefined> {
	using lease = await sessions.lease(principal, sessionId, "changes.read");
	const { session } = lease;
	const changes = await journal.store.read(async (db) => {
		const runId = await lastChangedTurn(db, session.id);
		return runId === undefined ? undefined : readChanges(db, { sessionId: session.id, runId }, secrets);
	});
	if (!changes) return undefined;
	const places = {
		cwd: session.rootDir,
		roots: roots(session),
		forbidden,
		workspace: workspaces.of(session),
		signal: never,
	};
	const inspected: InspectedChange[] = [];
	for (const change of changes.files) inspected.push(await inspectChange(change, places));
	const diffs = diffsOf(inspected, "show");
	const files = inspected.map((file, index) => ({
		path: session.redactor.redact(file.shown),
		state: file.kind,
		reason: file.kind === "refused" ? session.redactor.redact(file.reason) : "",
		isNew: file.change.before.fingerprint === absent,
		diff: session.redactor.redact(diffs[index] ?? ""),
	}));
	const { runId, message, ranCommands } = changes;
	return { runId, message, files, ranCommands };
}

const never = new AbortController().signal;
