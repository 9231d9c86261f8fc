import { createHash } from "node:crypto";
import { type FileFacts, factsOf } from "../files/file-facts.ts";
import type { CallBlock } from "../message.ts";
import { openRegular, readChunks, refuseForbiddenTwin } from "../tools/regular-file.ts";
import type { Run } from "./run.ts";

/**
 * Keeps a copy of a file of the workspace and tells the session's people of it, in one transaction. The id comes from
 * the call: after a crash the same call finds what it has done.
 */
export async function shareFile(
	run: Run,
	call: CallBlock,
	{ path, name }: { readonly path: string; readonly name: string },
): Promise<FileFacts> {
	const { session, deps } = run;
	const { files } = session.deps;
	const id = `file_${createHash("sha256").update(`${session.id} ${call.id}`).digest("hex").slice(0, 32)}`;
	const known = await files.known(id);
	if (known) return factsOf(known);
	await using file = await openRegular(path, path);
	await refuseForbiddenTwin(file, path, { ...deps, workspace: session.deps.workspaces.of(session.home) });
	const content = readChunks(file, path, run.control.signal);
	const named = { id, name: session.redactor.redact(name) };
	const arrival = { ...named, owner: session.owner, sessionId: session.home.id, content };
	const kept = await files.bring(arrival, (insert) =>
		run.commit(async ({ tx, record }) => {
			const facts = await insert(tx);
			await record({ type: "file.created", file: factsOf(facts), runId: run.id, callId: call.id });
			return facts;
		}),
	);
	return factsOf(kept);
}
