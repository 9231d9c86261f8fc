import { ParleyError } from "@parley/base";
import type { Tx } from "../store/journal.ts";
import { type FileFacts, factsOf } from "../vocabulary/kept-file.ts";
import type { Principal } from "../vocabulary/principal.ts";
import { findFile, visibleTo } from "./file-rows.ts";

/** Who sends which files, and into which session. */
interface Sending {
	readonly principal: Principal;
	readonly sessionId: string;
	readonly ids: readonly string[];
	readonly now: number;
}

/**
 * Gives kept files to a session, in the transaction of the message that carries them: from then on they live as long as
 * it does. Throws `invalid_argument` for a file that is unknown, had its time, or belongs to another session.
 */
export async function attachFiles(tx: Tx, { principal, sessionId, ids, now }: Sending): Promise<FileFacts[]> {
	const attached: FileFacts[] = [];
	for (const id of new Set(ids)) {
		const file = await findFile(tx, id, now);
		if (!file || !visibleTo(principal, file)) throw refused(`file not found: ${id}`);
		if (file.sessionId !== null && file.sessionId !== sessionId) {
			throw refused(`${id} belongs to another session: bring it once more`);
		}
		await tx.updateTable("files").set({ session_id: sessionId }).where("id", "=", id).execute();
		attached.push(factsOf(file));
	}
	return attached;
}

function refused(message: string): ParleyError {
	return new ParleyError(`attachments: ${message}`, { code: "invalid_argument" });
}
