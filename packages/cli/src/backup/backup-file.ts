import { resolve } from "node:path";
import { defined, definedItems, parseFailpoints, systemClock } from "@parley/base";
import {
	type BackupFacts,
	createBackup,
	restoreBackup,
	type UnpackLimits,
	verifyBackup,
} from "@parley/gateway/backup";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { progressLine } from "../command-line/progress-line.ts";
import { formatBytes } from "../text/amounts.ts";
import { visibleLine } from "../text/visible.ts";
import { backupTexts } from "../texts/backup.ts";

interface Verifying {
	readonly file: string;
	readonly json: boolean;
	readonly limits: Partial<UnpackLimits>;
}

interface Restoring extends Verifying {
	readonly data: string;
	readonly force: boolean;
	readonly testHooks?: string;
}

/**
 * Restores a backup. Prints a summary of the backup, the path of the data directory, and the path of the previous data,
 * if any existed.
 */
export async function restoreFromFile(
	{ file, data, force, json, limits, testHooks }: Restoring,
	io: Io,
): Promise<void> {
	const progress = progressLine(io);
	const restored = await restoreBackup({
		file: resolve(io.cwd, file),
		dataDirectory: data,
		force,
		clock: systemClock,
		limits,
		...defined({ failpoints: testHooks === undefined ? undefined : parseFailpoints(testHooks) }),
		onProgress: progress.show,
	}).finally(progress.end);
	const { aside = null } = restored;
	if (json) return printJson({ ...encode(restored), data, aside }, io);
	printRows(
		definedItems([
			visibleLine(backupTexts.restored({ facts: describe(restored) })),
			visibleLine(backupTexts.restoredTo({ data })),
			aside === null ? undefined : visibleLine(backupTexts.previousData({ directory: aside })),
		]),
		io,
	);
}

/** Verifies a backup and prints a summary of it. Rejects if the backup cannot be restored. */
export async function verifyFile({ file, json, limits }: Verifying, io: Io): Promise<void> {
	const progress = progressLine(io);
	const facts = await verifyBackup(resolve(io.cwd, file), { limits, onProgress: progress.show }).finally(
		progress.end,
	);
	if (json) printJson(encode(facts), io);
	else printRows([visibleLine(backupTexts.valid({ file, facts: describe(facts) }))], io);
}

function describe({ version, createdAt, files, bytes }: BackupFacts): string {
	return backupTexts.facts({ files, size: formatBytes(bytes), version, createdAt });
}

function encode({ version, createdAt: created_at, files, bytes }: BackupFacts): object {
	return { version, created_at, files, bytes };
}

interface Saving {
	readonly file: string;
	readonly data: string;
	readonly version: string;
	readonly force: boolean;
	readonly json: boolean;
}

/** Saves a data directory and prints a summary of the backup file. */
export async function saveToFile({ file, data, version, force, json }: Saving, io: Io): Promise<void> {
	const progress = progressLine(io);
	const saved = await createBackup({
		dataDirectory: data,
		file: resolve(io.cwd, file),
		version,
		force,
		clock: systemClock,
		onProgress: progress.show,
	}).finally(progress.end);
	const { missing, ...facts } = saved;
	if (json) return printJson({ ...facts, data, missing_files: missing }, io);
	printRows(
		definedItems([
			visibleLine(backupTexts.savedSessions({ sessions: saved.sessions, data })),
			visibleLine(
				backupTexts.savedFile({ file: saved.file, size: formatBytes(saved.bytes), files: saved.files }),
			),
			missing.length > 0 ? backupTexts.missingFiles({ files: missing.length }) : undefined,
			backupTexts.howToStore,
		]),
		io,
	);
}
