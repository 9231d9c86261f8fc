import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AuditAnchor } from "@parley/core";
import type { AuditCheck } from "./check-rows.ts";

/** Checks the audit in the database of a data directory, without a gateway; rejects where there is none. */
export async function checkAuditFile(data: string, anchors: readonly AuditAnchor[]): Promise<AuditCheck> {
	const [{ ParleyError, readMigrationNames, readSqliteFile }, { checkAudit }, { databaseIn }] =
		await Promise.all([import("@parley/base"), import("@parley/core"), import("@parley/gateway/data")]);
	const file = databaseIn(data);
	if (!existsSync(file)) throw new ParleyError(`there is no database ${file}`, { code: "not_found" });
	return readSqliteFile(file, async (db) => {
		const names = await readMigrationNames(db);
		if (names.includes(auditMigration)) {
			const { broken, ...facts } = await checkAudit({ read: (query) => query(db) }, anchors);
			return { ...facts, ...(broken && { broken: { ...broken } }) };
		}
		throw new ParleyError(
			`${join(data, "")} holds no audit yet: no gateway of this version has started there`,
			{
				code: "failed_precondition",
			},
		);
	});
}

const auditMigration = "0004-trust";
