import { constants, existsSync, lchownSync, mkdirSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ParleyError, parseJson, systemClock } from "@parley/base";
import { type DataLock, lockDataDirectory } from "@parley/gateway";
import { createBackup, restoreBackup } from "@parley/gateway/backup";
import { databaseIn } from "@parley/gateway/data";
import { asOwner } from "../command-line/as-owner.ts";
import type { Machine } from "../service/machine.ts";
import { upgradeErrors as texts, upgradeTexts } from "../texts/upgrade.ts";
import { callProgram, runProgram } from "./new-package.ts";
import type { UpgradedData, UpgradeJournal } from "./upgrade-journal.ts";

/** Locks the data, so that no gateway can start on it until the lock is released. */
export async function lockAll(upgraded: readonly UpgradedData[]): Promise<DataLock> {
	const locks: DataLock[] = [];
	const release = (): void => {
		for (const lock of locks) lock.release();
	};
	try {
		for (const { data } of upgraded) locks.push(await asOwner(data, () => lockDataDirectory(data)));
	} catch (error) {
		release();
		throw error;
	}
	return { release };
}

/**
 * Copies the data to a file that `parley restore` accepts. Resolves with the path of the file, or with undefined
 * for a directory without a database.
 */
export async function copyData(
	{ data }: UpgradedData,
	{ from, to }: UpgradeJournal,
	copies: string | undefined,
): Promise<string | undefined> {
	if (!existsSync(databaseIn(data))) return undefined;
	const directory = copiesOf(data, copies);
	const time = new Date(systemClock.now()).toISOString().replaceAll(/[-:.]/g, "");
	const file = join(directory, `${basename(data)}-before-${to}-${time}.tar.gz`);
	await asOwner(data, () =>
		createBackup({ dataDirectory: data, file, version: from, clock: systemClock, force: false }),
	);
	return file;
}

/**
 * Creates the directory for copies if it is missing. A created directory belongs to the owner of the data. Rejects if
 * the owner cannot write to the directory.
 */
export async function makeCopies({ data }: UpgradedData, copies: string | undefined): Promise<void> {
	const directory = copiesOf(data, copies);
	try {
		if (!existsSync(directory)) await makeFor(data, directory);
		await asOwner(data, () => access(directory, constants.W_OK));
	} catch (cause) {
		throw new ParleyError(texts.noCopies({ directory }), { code: "failed_precondition", cause });
	}
}

function copiesOf(data: string, copies: string | undefined): string {
	return copies ?? join(dirname(data), `${basename(data)}-copies`);
}

async function makeFor(data: string, directory: string): Promise<void> {
	const make = (): void => mkdirSync(directory, { mode: 0o700 });
	try {
		await asOwner(data, make);
	} catch (error) {
		if (process.getuid?.() !== 0 || Object(error).code !== "EACCES") throw error;
		// The owner of the data has no write permission for the parent directory. The owner therefore cannot replace the
		// new directory with a link before `lchownSync` runs.
		make();
		const { uid, gid } = statSync(data);
		lchownSync(directory, uid, gid);
	}
}

/** Migrates the data with the program of the new version. No effect without a database. */
export async function migrateWith(home: string, { data }: UpgradedData, machine: Machine): Promise<void> {
	if (!existsSync(databaseIn(data))) return;
	try {
		await asOwner(data, () => runProgram(home, ["upgrade", "--migrate", "--data", data], machine));
	} catch (cause) {
		const { message: reason } = ParleyError.from(cause);
		throw new ParleyError(texts.migrationFailed({ data, reason }), { code: "failed_precondition", cause });
	}
}

/**
 * Resolves with notes about failed checks of the new version's `parley doctor`, or with one note if the output
 * contains no list of findings. A failure may have a reason other than the upgrade, for example a model that does
 * not answer.
 */
export async function failedChecks(home: string, data: string, machine: Machine): Promise<string[]> {
	const args = ["doctor", "--json", "--data", data];
	const { output } = await asOwner(data, () => callProgram(home, args, machine));
	// If the program does not start or reports an error, its output is not a JSON list.
	const findings: unknown = output.startsWith("[") ? parseJson(output) : undefined;
	if (!Array.isArray(findings)) return [upgradeTexts.noDoctor({ data })];
	return findings.flatMap((finding: unknown) => {
		const { id, status, what }: { id?: unknown; status?: unknown; what?: unknown } = Object(finding);
		return status === "fail" ? [upgradeTexts.doctor({ id: String(id), what: String(what) })] : [];
	});
}

/**
 * Replaces the data with the copy. Returns the directory of the replaced data. Without a copy, changes nothing and
 * returns undefined.
 */
export async function restoreData({ data, copy }: UpgradedData): Promise<string | undefined> {
	if (copy === undefined) return undefined;
	// Parley made the copy itself, so it may exceed the usual limits of a backup.
	const limits = { maxBytes: Number.POSITIVE_INFINITY, maxRatio: Number.POSITIVE_INFINITY };
	const restore = { file: copy, dataDirectory: data, clock: systemClock, force: true, limits };
	return (await asOwner(data, () => restoreBackup(restore))).aside;
}
