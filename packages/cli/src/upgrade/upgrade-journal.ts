import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import { replacePrivateFile } from "@parley/gateway/data";
import type { Scope } from "../service/service-plan.ts";
import { upgradeErrors as texts } from "../texts/upgrade.ts";
import type { Links } from "./package-links.ts";

/**
 * The last phase that an upgrade has begun:
 * - `staging`: the new package is installed next to the current package.
 * - `stopping`: gateways stop, and the data is copied.
 * - `swapping`: the packages change places.
 * - `starting`: the data is migrated, and gateways start.
 * - `restoring`: the old data and the old package are restored.
 * - `restored`: the old data and the old package are in place, and gateways start.
 * - `finished`: only files of the upgrade remain.
 */
export type Phase = "staging" | "stopping" | "swapping" | "starting" | "restoring" | "restored" | "finished";

/**
 * Command line of a gateway outside of services. Its environment is not stored, because the environment may contain
 * keys.
 */
export interface StoppedProgram {
	/** Node options. Absent if an earlier version wrote the journal. */
	readonly options?: readonly string[];
	readonly args: readonly string[];
	readonly directory: string;
}

/** A data directory to upgrade, and the services and the gateway that ran on this data before the upgrade. */
export interface UpgradedData {
	/** Real path of the data directory. */
	readonly data: string;
	/** File with the copy of the data. Absent before the copy exists, and for a directory without a database. */
	readonly copy?: string;
	readonly services: readonly { readonly name: string; readonly scope: Scope }[];
	readonly program?: StoppedProgram;
}

export interface NamedPackage {
	/** Directory of the installed package. */
	readonly home: string;
	readonly name: string;
}

/** Facts with which a later command can finish or roll back an interrupted upgrade. */
export interface UpgradeJournal extends NamedPackage {
	readonly format: 1;
	readonly phase: Phase;
	readonly from: string;
	readonly to: string;
	/** The npm prefix that contains the package. */
	readonly prefix: string;
	/** Links in the prefix that lead to the old package. */
	readonly links: Links;
	readonly upgraded: readonly UpgradedData[];
}

/** Directories of one upgrade. They are on the package's file system, and npm ignores them. */
export interface UpgradePlaces {
	readonly work: string;
	/** npm prefix in which the new package is staged. */
	readonly stage: string;
	readonly staged: string;
	readonly old: string;
}

export function placesOf({ home, name }: NamedPackage): UpgradePlaces {
	const work = join(dirname(home), workName(name));
	const stage = join(work, "stage");
	return { work, stage, staged: join(stage, "lib/node_modules", name), old: join(work, "old") };
}

/**
 * Resolves with the journal of an interrupted upgrade of this copy, or undefined without such an upgrade. The
 * copy may be the old or the new package of that upgrade.
 */
export async function findJournal({ home, name }: NamedPackage): Promise<UpgradeJournal | undefined> {
	const parts = home.split(sep);
	const at = parts.indexOf(workName(name));
	const work = at < 0 ? join(dirname(home), workName(name)) : parts.slice(0, at + 1).join(sep);
	const file = fileIn(work);
	return existsSync(file) ? readJournal(file, await readFile(file, "utf8")) : undefined;
}

function workName(name: string): string {
	// npm ignores names that begin with a dot.
	return `.${name}-upgrade`;
}

function readJournal(file: string, text: string): UpgradeJournal {
	const content: unknown = parseJson(text);
	const { format }: { format?: unknown } = Object(content);
	// The cast is safe because only this program writes the file, in a directory of this user.
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
