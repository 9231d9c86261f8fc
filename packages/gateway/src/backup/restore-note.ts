import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, parseJson } from "@parley/base";
import type { Audit } from "@parley/core";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { restoreNote } from "./manifest.ts";

const Note = z.object({ restored_at: z.string(), backup_of: z.string(), version: z.string() });

/** The part of the audit log that records notes. `note` resolves after the row is stored. */
export interface AuditNotes {
	readonly note: Audit["note"];
}

/** Stores a note in the restored directory, because the restored audit log is older than the restore. */
export async function leaveRestoreNote(
	directory: string,
	{
		clock,
		createdAt,
		version,
	}: { readonly clock: Clock; readonly createdAt: string; readonly version: string },
): Promise<void> {
	const note = { restored_at: new Date(clock.now()).toISOString(), backup_of: createdAt, version };
	await writeFile(join(directory, restoreNote), `${JSON.stringify(note)}\n`, { mode: 0o600, flag: "wx" });
}

/**
 * Moves the note about a restore to the audit log. The row contains the time of the restore, and the version and time
 * of the backup.
 */
export async function auditRestore(dataDirectory: string, audit: AuditNotes): Promise<void> {
	const path = join(dataDirectory, restoreNote);
	const text = await readFile(path, "utf8").catch((error: unknown) => {
		if (errno(error) === "ENOENT") return undefined;
		throw error;
	});
	if (text === undefined) return;
	const args = readNote(text) ?? { unreadable: true };
	const operator = { principal: "operator", via: "cli" };
	await audit.note({ ...operator, action: "backup.restore", object: "gateway", decision: "restored", args });
	await rm(path, { force: true });
}

function readNote(text: string): z.output<typeof Note> | undefined {
	try {
		return Note.safeParse(parseJson(text)).data;
	} catch {
		return undefined;
	}
}
