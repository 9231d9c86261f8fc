import { findSessions, type SessionFacts } from "../client/find-session.ts";
import { type AddressFlags, findGateway } from "../client/gateway-address.ts";
import { withGateway } from "../client/with-gateway.ts";
import { confirms } from "../command-line/confirms.ts";
import type { Io } from "../command-line/io.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { titleOf } from "../tables/session-table.ts";
import { sessionTexts } from "../texts/sessions.ts";

export interface DeleteFlags extends AddressFlags {
	readonly force?: boolean;
	readonly yes?: boolean;
}

/** Deletes sessions. Without `--yes`, asks for confirmation first. Returns the exit code. */
export async function deleteSessions(ids: readonly string[], flags: DeleteFlags, io: Io): Promise<number> {
	const needsConfirmation = flags.yes !== true;
	if (needsConfirmation && !(io.stdin.isTTY && io.stderr.isTTY)) {
		throw new UsageError(noConfirmation);
	}
	const sessions = await findSessions(await findGateway(flags, io), ids);
	if (needsConfirmation && !(await agrees(sessions, io))) {
		io.stderr.write(`${sessionTexts.noneDeleted}\n`);
		return 1;
	}
	await withGateway(flags, io, async (client) => {
		for (const session of sessions) {
			const force = flags.force === true;
			await client.request("delete_session", { session_id: session.id, force });
			io.stdout.write(`${sessionTexts.deleted({ id: session.id, title: titleOf(session) })}\n`);
		}
	});
	return 0;
}

async function agrees(sessions: readonly SessionFacts[], io: Io): Promise<boolean> {
	for (const session of sessions) io.stderr.write(`${session.id}  ${titleOf(session)}\n`);
	return confirms(`${sessionTexts.confirmDelete({ count: sessions.length })} `, io);
}
