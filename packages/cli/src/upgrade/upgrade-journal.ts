import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import { replacePrivateFile } from "@parley/gateway/data";
import type { Scope } from "../service/service-plan.ts";
import { upgradeErrors as texts } from "../texts/upgrade.ts";
import type { Links } from "./package-links.ts";

/**
 * The last phase that an upgrade has begun. `staging`: the package is installed beside the present one. `stopping`: gateways stop
 * and data is copied. `swapping`: the packages change places. `starting`: the data is migrated and gateways start. `restoring`: the
 * old data and package are put back after that. `restored`: they are back, and gateways start. `finished`: only files of the upgrade remain.
 */
export type Phase = "staging" | "stopping" | "swapping" | "starting" | "restoring" | "restored" | "finished";

/** A gateway outside a service. Its environment is not stored, because it may have keys. */
export interface StoppedProgram {
	/** Options of Node. Absent if an earlier version wrote the journal. */
	readonly options?: readonly string[];
	readonly args: readonly string[];
	readonly directory: string;
}

/** A data directory that is upgraded, and what ran on it before. */
export interface UpgradedData {
	/** Without links. */
	readonly data: string;
	/** File with the copy of the data. Absent before it exists, and for a directory without sessions. */
	readonly copy?: string;
	readonly services: readonly { readonly name: string; readonly scope: Scope }[];
	readonly program?: StoppedProgram;
}

export interface NamedPackage {
	/** Directory of the package. */
	readonly home: string;
	readonly name: string;
}

/** Facts by which a later command finishes an interrupted upgrade, or rolls it back. */
export interface UpgradeJournal extends NamedPackage {
	readonly format: 1;
	readonly phase: Phase;
	readonly from: string;
	readonly to: string;
	/** The prefix of npm that contains the package. */
	readonly prefix: string;
	/** Links of the old package in the prefix. */
	readonly links: Links;
	readonly upgraded: readonly UpgradedData[];
}

/** Directories of one upgrade, on the file system of the package, where npm ignores them. */
export interface UpgradePlaces {
	readonly work: string;
	/** Prefix of npm in which the new package is made. */
	readonly stage: string;
	readonly staged: string;
	readonly old: string;
}

export function placesOf({ home, name }: NamedPackage): UpgradePlaces {
	const work = join(dirname(home), workName(name));
	const stage = join(work, "stage");
	return { work, stage, staged: join(stage, "lib/node_modules", name), old: join(work, "old") };
}

/** The journal of an interrupted upgrade of this copy, which may be the old or the new one of the upgrade. */
export async function findJournal({ home, name }: NamedPackage): Promise<UpgradeJournal | undefined> {
	const parts = home.split(sep);
	const at = parts.indexOf(workName(name));
	const work = at < 0 ? join(dirname(home), workName(name)) : parts.slice(0, at + 1).join(sep);
	const file = fileIn(work);
	return existsSync(file) ? readJournal(file, await readFile(file, "utf8")) : undefined;
}

/** npm ignores names with a dot. */
function workName(name: string): string {
	return `.${name}-upgrade`;
}

function readJournal(file: string, text: string): UpgradeJournal {
	const content: unknown = parseJson(text);
	const { format }: { format?: unknown } = Object(content);
	// Only this program writes the file, in a directory of this user.
	if (format === 1) return content as UpgradeJournal;
	throw new ParleyError(texts.foreignJournal({ file }), { code: "failed_precondition" });
}

export async function writeJournal(journal: UpgradeJournal): Promise<void> {
	const { work } = placesOf(journal);
	try {
		await replacePrivateFile(fileIn(work), `${JSON.stringify(journal)}\n`);
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw new ParleyError(texts.noLock({ directory: work, reason }), { code: "unavailable", cause });
	}
}

export async function removeJournal(journal: UpgradeJournal): Promise<void> {
	await rm(fileIn(placesOf(journal).work), { force: true });
}

function fileIn(work: string): string {
	return join(work, "upgrade.json");
}
