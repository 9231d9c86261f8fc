import { existsSync } from "node:fs";
import { join } from "node:path";
import { defined, readMigrationNames, readSqliteFile } from "@parley/base";
import { type AuditAnchor, checkStoredTexts, type Tables } from "@parley/core";
import { databaseIn } from "@parley/gateway/data";
import { auditTexts } from "../texts/audit.ts";
import type { AuditCheck, MessagesCheck } from "./audit-rows.ts";

interface CheckOptions {
	/** Receives a progress text after every 50 checked sessions. */
	readonly onProgress: (doing: string) => void;
	/** Signal that ends the check early. The check then resolves with its result so far. */
	readonly signal?: AbortSignal;
}

/** Number of sessions between two progress lines. */
const shownEvery = 50;
const hashMigration = "0007-hashed-from";

/**
 * Checks the stored text of all sessions in the database of a data directory. A gateway may use the database at the
 * same time. Resolves with the result. Resolves with undefined without a database, or if the database has no hashes
 * because an earlier version of Parley wrote it.
 */
export async function checkMessagesFile(
	data: string,
	{ onProgress, signal }: CheckOptions,
): Promise<MessagesCheck | undefined> {
	const file = databaseIn(data);
	if (!existsSync(file)) return undefined;
	return readSqliteFile<Tables, MessagesCheck | undefined>(file, async (db) => {
		if (!(await readMigrationNames(db)).includes(hashMigration)) return undefined;
		const { allSessions, examples, ...check } = await checkStoredTexts(
			{ read: (query) => query(db) },
			{
				onProgress: (checked, all) => {
					if (checked % shownEvery === 0) onProgress(auditTexts.progress({ checked, all }));
				},
				...defined({ signal }),
			},
		);
		return {
			...check,
			all_sessions: allSessions,
			examples: examples.map(({ sessionId, ...example }) => ({ session_id: sessionId, ...example })),
		};
	});
}

/**
 * Verifies the audit log in the database of a data directory, without a gateway. Rejects if there is no database, or if
 * the database has no audit log.
 */
export async function checkAuditFile(data: string, anchors: readonly AuditAnchor[]): Promise<AuditCheck> {
	const [{ ParleyError, readMigrationNames, readSqliteFile }, { checkAudit }, { databaseIn }] =
		await Promise.all([import("@parley/base"), import("@parley/core"), import("@parley/gateway/data")]);
	const file = databaseIn(data);
	if (!existsSync(file)) throw new ParleyError(auditTexts.noDatabase({ file }), { code: "not_found" });
	return readSqliteFile(file, async (db) => {
		const names = await readMigrationNames(db);
		if (names.includes(auditMigration)) {
			const { broken, ...facts } = await checkAudit({ read: (query) => query(db) }, anchors);
			return { ...facts, ...defined({ broken: broken && { ...broken } }) };
		}
		throw new ParleyError(auditTexts.noLog({ directory: join(data, "") }), {
			code: "failed_precondition",
		});
	});
}

const auditMigration = "0004-trust";
