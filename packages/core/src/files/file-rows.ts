import { type Selectable, sql } from "kysely";
import { isAuthorized } from "../authorize.ts";
import type { Tx } from "../journal/journal.ts";
import type { Tables } from "../journal/tables.ts";
import type { Principal } from "../principal.ts";
import type { KeptFile } from "./file-facts.ts";
import { leastCounted } from "./file-limits.ts";
import { outputPrefix } from "./output-name.ts";

type FileRow = Selectable<Tables["files"]>;

/** A kept file with whose it is. */
export interface OwnedFile extends KeptFile {
	readonly owner: string;
	readonly sessionId: string | null;
	readonly sessionOwner: string | null;
	/** The channel of the session. */
	readonly sessionPlace: string | null;
}

/** A file that has not had its time; what belongs to a session lives as long as that. */
export async function findFile(db: Tx, id: string, now: number): Promise<OwnedFile | undefined> {
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
	return { ...toKept(row), owner, sessionId, sessionOwner, sessionPlace };
}

/** Who brought a file may read it, and whose session it belongs to; of a person's, in the channel of that. */
export function visibleTo(
	principal: Principal,
	{ owner, sessionId, sessionOwner, sessionPlace }: OwnedFile,
): boolean {
	// A session that belongs to no channel is none of the channel where somebody asks.
	const within = sessionId === null ? {} : { place: sessionPlace ?? "" };
	if (isAuthorized(principal, "file.read", { owner, ...within })) return true;
	return sessionOwner !== null && isAuthorized(principal, "file.read", { owner: sessionOwner, ...within });
}

export async function insertFile(tx: Tx, row: FileRow): Promise<KeptFile> {
	await tx.insertInto("files").values(row).execute();
	return toKept(row);
}

/** Bytes that all kept files count as against the quota. */
export async function countedBytesOfAll(db: Tx): Promise<number> {
	const row = await db
		.selectFrom("files")
		.select(
			sql<
				number | string | null
			>`sum(case when bytes < ${sql.lit(leastCounted)} then ${sql.lit(leastCounted)} else bytes end)`.as(
				"bytes",
			),
		)
		.executeTakeFirst();
	return Number(row?.bytes ?? 0);
}

/** Share of the quota that kept results may take. */
const outputShare = 1 / 4;

/**
 * Deletes the oldest kept results until one of `bytes` fits into their share and into the quota. Returns the deleted ids;
 * deletes nothing if there is room.
 */
export async function dropOldestOutputs(tx: Tx, bytes: number, quotaBytes: number): Promise<string[]> {
	const outputs = await tx
		.selectFrom("files")
		.select(["id", "bytes"])
		.where("id", "like", `${outputPrefix}%`)
		.orderBy("created_at")
		.orderBy("id")
		.execute();
	const counted = outputs.map((row) => ({ id: row.id, bytes: Math.max(leastCounted, Number(row.bytes)) }));
	const taken = counted.reduce((sum, row) => sum + row.bytes, 0);
	let over = Math.max(
		taken + bytes - quotaBytes * outputShare,
		(await countedBytesOfAll(tx)) + bytes - quotaBytes,
	);
	const dropped: string[] = [];
	for (const row of counted) {
		if (over <= 0) break;
		dropped.push(row.id);
		over -= row.bytes;
	}
	if (dropped.length > 0) await tx.deleteFrom("files").where("id", "in", dropped).execute();
	return dropped;
}

function toKept(row: FileRow): KeptFile {
	const { id, name, media_type: mediaType, sha256 } = row;
	return { id, name, mediaType, bytes: Number(row.bytes), sha256, expiresAt: Number(row.expires_at) };
}
