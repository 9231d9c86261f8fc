import { ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { lastChangedTurn } from "../../store/file-change-rows.ts";
import { answerOf, type Keyed } from "../../store/idempotency.ts";
import type { Journal } from "../../store/journal.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { type Accepted, type AcceptPorts, acceptMessage } from "./send.ts";
import { undoRequestTexts } from "./texts.ts";

type AcceptedRun = Awaited<ReturnType<typeof acceptMessage>>;

/**
 * Accepts a request to undo the newest turn with file changes that are not undone. Stores the request as a message. The
 * run of this message restores the files and calls no model.
 * Throws `failed_precondition` in these cases:
 * - No turn has file changes that can be undone.
 * - The session belongs to a channel or a task.
 * - A run is active or queued, or a task of the session is active.
 */
export async function acceptUndo(
	services: AcceptPorts & { readonly journal: Journal },
	session: Session,
	request: Keyed,
	partly: boolean,
): Promise<AcceptedRun> {
	authorize(request.principal, "changes.undo");
	const { store } = services.journal;
	// The answer to a repeated request names the run of the first request, even if a later turn has other changes.
	const known = await store.read((db) => answerOf<Accepted>(db, request, services));
	if (known) return { accepted: known.response, start: undefined };
	if (session.place !== undefined || session.taskId !== undefined)
		throw refused(undoRequestTexts.otherSession);
	if (session.live.size > 0 || session.working.size > 0) throw refused(undoRequestTexts.busy);
	const turn = await store.read((db) => lastChangedTurn(db, session.id));
	if (turn === undefined) throw refused(undoRequestTexts.nothing);
	return acceptMessage(services, session, request, {
		content: partly ? "/undo partly" : "/undo",
		options: { undo: { turn, partly } },
		busy: refused(undoRequestTexts.busy),
	});
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "failed_precondition" });
}
