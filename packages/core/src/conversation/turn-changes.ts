import { deflateSync, inflateSync } from "node:zlib";
import { ParleyError, parseJson } from "@parley/base";
import { changesOf, type FileChangeRow, type RunReference } from "../store/file-change-rows.ts";
import type { Tx } from "../store/journal.ts";
import { builtinTools } from "../tools/builtin.ts";
import { shortTools } from "../tools/short/short-tools.ts";
import type { FileChange, TurnChanges } from "../vocabulary/file-change.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import type { Step } from "../vocabulary/step.ts";
import { callsOf } from "../vocabulary/transcript.ts";

/** Returns a file's earlier content in stored form: compressed, then encrypted for `turn` and `path`. */
export function storeContent(secrets: SecretBox, turn: RunReference, path: string, content: Buffer): string {
	return secrets.seal(handleOf(turn, path), deflateSync(content).toString("base64"));
}

/**
 * Returns the changes of a turn with their earlier content. Content that is not stored or cannot be decrypted is
 * undefined.
 */
export async function readChanges(db: Tx, turn: RunReference, secrets: SecretBox): Promise<TurnChanges> {
	const rows = await changesOf(db, turn);
	const run = await db
		.selectFrom("runs")
		.select("content")
		.where("id", "=", turn.runId)
		.executeTakeFirstOrThrow();
	return {
		runId: turn.runId,
		message: run.content,
		files: rows.map((row) => changeOf(row, turn, secrets)),
		ranCommands: await ranCommands(db, turn),
	};
}

function changeOf(row: FileChangeRow, turn: RunReference, secrets: SecretBox): FileChange {
	const { path, before_hash, before_mode, before_size, content, after_hash, writing_from } = row;
	return {
		path,
		before: {
			fingerprint: before_hash,
			mode: before_mode === null ? undefined : Number(before_mode),
			size: Number(before_size),
		},
		after: writing_from === null ? [after_hash] : [after_hash, writing_from],
		isInterleaved: Number(row.interleaved) === 1,
		content: content === null ? undefined : openContent(secrets, turn, path, content),
		isStored: content !== null,
	};
}

function openContent(
	secrets: SecretBox,
	turn: RunReference,
	path: string,
	stored: string,
): Buffer | undefined {
	try {
		return inflateSync(Buffer.from(secrets.open(handleOf(turn, path), stored), "base64"));
	} catch (reason) {
		if (ParleyError.from(reason).code === "data_loss") return undefined;
		throw reason;
	}
}

function handleOf({ sessionId, runId }: RunReference, path: string): string {
	return `file change ${sessionId} ${runId} ${path}`;
}

/**
 * Tools that change no files, or that change files only with a record. A call of any other tool may change files
 * without a record.
 */
const recordedTools: ReadonlySet<string> = new Set([
	...[...builtinTools(), ...shortTools()]
		.filter(({ command }) => command === undefined)
		.map(({ name }) => name),
	// `builtinTools` does not contain these tools.
	"web_fetch",
	"web_search",
]);

/**
 * Whether the turn ran a tool that may change files without a record. Includes the workflow steps and sub-agents
 * of the turn.
 */
async function ranCommands(db: Tx, { sessionId, runId }: RunReference): Promise<boolean> {
	const ofAgents = db
		.selectFrom("tasks")
		.innerJoin("runs", "runs.session_id", "tasks.own_session_id")
		.select("runs.id")
		.where("tasks.session_id", "=", sessionId)
		.where("tasks.spawn_call", "=", runId);
	const rows = await db
		.selectFrom("steps")
		.select("data")
		.where((is) => is.or([is("run_id", "=", runId), is("run_id", "in", ofAgents)]))
		.execute();
	// The cast is safe because the column `data` contains only `Step`s.
	const steps = rows.map(({ data }) => parseJson(data) as Step);
	const ran = new Set(steps.flatMap((step) => (step.kind === "intent" ? [step.callId] : [])));
	return steps
		.flatMap((step) => (step.kind === "reply" ? callsOf(step.content) : []))
		.some(({ id, name }) => ran.has(id) && !recordedTools.has(name));
}
