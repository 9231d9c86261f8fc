import { ParleyError } from "@parley/base";
import { type Selectable, sql } from "kysely";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { isAuthorized } from "../vocabulary/authorize.ts";
import type { Principal } from "../vocabulary/principal.ts";
import {
	type FileFacts,
	leastCounted,
	noRoomForOutput,
	outputPrefix,
	publicFileFacts,
	type StoredFile,
} from "../vocabulary/stored-file.ts";
import { storedFileErrorTexts } from "./texts.ts";

type FileRow = Selectable<Tables["files"]>;

export interface OwnedFile extends StoredFile {
	readonly owner: string;
	readonly sessionId: string | null;
	readonly sessionOwner: string | null;
	readonly sessionPlace: string | null;
}

/**
 * Returns the file with the id `id`, or undefined if the file does not exist or has expired. A file of a session does
 * not expire.
 */
export async function findStoredFile(db: Tx, id: string, now: number): Promise<OwnedFile | undefined> {
	const row = await db
		.selectFrom("files")
		.leftJoin("sessions", "sessions.id", "files.session_id")
		.selectAll("files")
		.select(["sessions.owner as session_owner", "sessions.place as session_place"])
		.where("files.id", "=", id)
		.where((eb) => eb.or([eb("files.session_id", "is not", null), eb("files.expires_at", ">", now)]))
		.executeTakeFirst();
	if (!row) return undefined;
	const { owner, session_id: sessionId, session_owner: sessionOwner, session_place: sessionPlace } = row;
	return { ...toStoredFile(row), owner, sessionId, sessionOwner, sessionPlace };
}

/**
 * Whether the principal may read a file. `file.read` must be allowed for an object with the owner of the file, or with
 * the owner of the file's session. A chat user can read the file of a session only in the channel of the session.
 */
export function mayReadFile(
	principal: Principal,
	{ owner, sessionId, sessionOwner, sessionPlace }: OwnedFile,
): boolean {
	// The file of a session without a channel never belongs to the channel of a request.
	const within = sessionId === null ? {} : { place: sessionPlace ?? "" };
	if (isAuthorized(principal, "file.read", { owner, ...within })) return true;
	return sessionOwner !== null && isAuthorized(principal, "file.read", { owner: sessionOwner, ...within });
}

export async function insertFile(tx: Tx, row: FileRow): Promise<StoredFile> {
	await tx.insertInto("files").values(row).execute();
	return toStoredFile(row);
}

/** Bytes that are counted against the quota. `all`: bytes of all files. `outputs`: bytes of stored results. */
export interface CountedBytes {
	readonly all: number;
	readonly outputs: number;
}

export async function countedBytes(db: Tx): Promise<CountedBytes> {
	const counted = sql<number>`case when bytes < ${sql.lit(leastCounted)} then ${sql.lit(leastCounted)} else bytes end`;
	const sum = sql<number | string | null>`sum(${counted})`;
	const row = await db
		.selectFrom("files")
		.select((eb) => [
			sum.as("all"),
			eb.fn.sum<number | string | null>(eb.case().when(isOutput).then(counted).else(0).end()).as("outputs"),
		])
		.executeTakeFirst();
	return { all: Number(row?.all ?? 0), outputs: Number(row?.outputs ?? 0) };
}

const isOutput = sql<boolean>`id like ${sql.lit(`${outputPrefix}%`)}`;

/** Maximum share of the quota for stored results. */
const outputShare = 1 / 4;
/**
 * Maximum share of the room for stored results. A run may displace results of other sessions only while the run's own
 * results fit into this share. The first result of a run may exceed this share.
 */
const displacingShare = 1 / 2;

/** Stored results that may be deleted to make room for a result of a session, oldest first. */
interface Removable {
	readonly own: readonly CountedRow[];
	readonly others: readonly CountedRow[];
	/** Bytes of the session's results that must stay, because the current run of the session wrote them. */
	readonly staying: number;
}

interface CountedRow {
	readonly id: string;
	readonly bytes: number;
}

async function findRemovable(db: Tx, sessionId: string): Promise<Removable> {
	const outputs = await db
		.selectFrom("files")
		.select(["id", "bytes", "session_id", "created_at"])
		.where(isOutput)
		.orderBy("created_at")
		.orderBy("id")
		.execute();
	const open = await db
		.selectFrom("runs")
		.select((eb) => [
			"session_id",
			eb
				.selectFrom("runs as ended")
				.select(({ fn }) => fn.max("ended.ended_at").as("at"))
				.whereRef("ended.session_id", "=", "runs.session_id")
				.as("since"),
		])
		.where("state", "<>", "ended")
		.execute();
	// Only runs write results, so a result that is newer than the last ended run belongs to the current run.
	const since = new Map(open.map((row) => [row.session_id, Number(row.since ?? 0)]));
	const removable = { own: [] as CountedRow[], others: [] as CountedRow[], staying: 0 };
	for (const { id, bytes, session_id: owner, created_at: at } of outputs) {
		const counted = Math.max(leastCounted, Number(bytes));
		const isCurrent = Number(at) >= (since.get(owner ?? "") ?? Number.POSITIVE_INFINITY);
		if (!isCurrent) removable[owner === sessionId ? "own" : "others"].push({ id, bytes: counted });
		else if (owner === sessionId) removable.staying += counted;
	}
	return removable;
}

/** Returns the bytes of stored results that may be deleted to make room for a result of the session. */
export async function removableBytes(db: Tx, sessionId: string): Promise<number> {
	const { own, others } = await findRemovable(db, sessionId);
	return [...own, ...others].reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Deletes the rows of stored results until a result of `bytes` bytes fits into the share for stored results and into
 * the quota. Deletes results of the session before results of other sessions, and older results before newer results.
 * Deletes results of other sessions only within `displacingShare`. Results of unfinished runs stay. Returns the deleted
 * ids. Throws `resource_exhausted` and deletes nothing if the deletions would not make enough room.
 */
export async function makeRoomForOutput(
	tx: Tx,
	{
		sessionId,
		bytes,
		quotaBytes,
	}: { readonly sessionId: string; readonly bytes: number; readonly quotaBytes: number },
): Promise<readonly string[]> {
	const share = quotaBytes * outputShare;
	const { all, outputs } = await countedBytes(tx);
	let over = Math.max(outputs + bytes - share, all + bytes - quotaBytes);
	if (over <= 0) return [];
	const { own, others, staying } = await findRemovable(tx, sessionId);
	const displaces = staying === 0 || staying + bytes <= share * displacingShare;
	const dropped: string[] = [];
	for (const row of displaces ? [...own, ...others] : own) {
		if (over <= 0) break;
		dropped.push(row.id);
		over -= row.bytes;
	}
	if (over > 0) throw noRoomForOutput(quotaBytes);
	await tx.deleteFrom("files").where("id", "in", dropped).execute();
	return dropped;
}

function toStoredFile(row: FileRow): StoredFile {
	const { id, name, media_type: mediaType, sha256 } = row;
	return { id, name, mediaType, bytes: Number(row.bytes), sha256, expiresAt: Number(row.expires_at) };
}

interface Sending {
	readonly principal: Principal;
	readonly sessionId: string;
	readonly ids: readonly string[];
	readonly now: number;
}

/**
 * Assigns stored files to a session and returns their facts, in the transaction of the message that contains
 * them. From then on, the files are deleted with the session. Throws `invalid_argument` for a file that is
 * unknown, expired or not visible to the principal, or that belongs to another session.
 */
export async function attachFiles(tx: Tx, { principal, sessionId, ids, now }: Sending): Promise<FileFacts[]> {
	const attached: FileFacts[] = [];
	for (const id of new Set(ids)) {
		const file = await findStoredFile(tx, id, now);
		if (!file || !mayReadFile(principal, file)) throw refused(storedFileErrorTexts.notFound(id));
		if (file.sessionId !== null && file.sessionId !== sessionId) {
			throw refused(storedFileErrorTexts.otherSession(id));
		}
		await tx.updateTable("files").set({ session_id: sessionId }).where("id", "=", id).execute();
		attached.push(publicFileFacts(file));
	}
	return attached;
}

function refused(message: string): ParleyError {
	return new ParleyError(`attachments: ${message}`, { code: "invalid_argument" });
}

/**
 * Deletes the rows of a session's files during the deletion of the session. Returns the ids of the files. After the
 * commit, the caller must delete the contents with `Files.unlink`.
 */
export async function removeFilesOf(tx: Tx, sessionId: string): Promise<string[]> {
	const rows = await tx.deleteFrom("files").where("session_id", "=", sessionId).returning("id").execute();
	return rows.map(({ id }) => id);
}
