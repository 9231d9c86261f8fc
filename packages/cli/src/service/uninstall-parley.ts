import { existsSync } from "node:fs";
import { readdir, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ParleyError } from "@parley/base";
import { definedItems } from "@parley/base/defined";
import { isWithin as isDirectoryWithin } from "@parley/core";
import { lockDataDirectory } from "@parley/gateway";
import { databaseIn } from "@parley/gateway/data";
import { hasEnded } from "../client/has-ended.ts";
import { findRunningGateway } from "../client/running-gateway.ts";
import { confirms } from "../command-line/confirms.ts";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { findInstallation, type Installation } from "../installation/installation.ts";
import { ownLinks } from "../installation/own-links.ts";
import { visibleLine } from "../text/visible.ts";
import { uninstallTexts as texts } from "../texts/uninstall.ts";
import { readIfExists } from "./environment-file.ts";
import { type InstalledService, servicesOf } from "./find-service.ts";
import type { Machine } from "./machine.ts";
import { removeService } from "./uninstall-service.ts";

export interface UninstallParleyFlags {
	readonly data?: string;
	readonly dataToo?: boolean;
	readonly dataStays?: boolean;
	readonly yes?: boolean;
	readonly dryRun?: boolean;
	readonly json?: boolean;
}

interface Surroundings {
	readonly io: Io;
	readonly machine: Machine;
}

/**
 * Stops the gateway, removes its services and, if the operator wants that, the data. Each step can be repeated: after a kill,
 * the same command does the rest.
 */
export async function uninstallParley(
	flags: UninstallParleyFlags,
	{ io, machine }: Surroundings,
): Promise<void> {
	if (flags.dataToo && flags.dataStays) throw new UsageError(texts.bothFlags);
	const data = await chosenDataDirectory(flags.data, io);
	const services = await servicesOf(data, machine);
	const deletes =
		(existsSync(data) || (await renamedData(data)).length > 0) && (await wantsDeletion(data, flags, io));
	if (deletes && existsSync(data)) await checkDeletable(data, machine.home);
	const links = await linksToClone(io);
	if (flags.dryRun) return print(await planRows(data, services, { deletes, links }), { data, flags, io });
	const done: string[] = [];
	for (const service of services) {
		await removeService(service);
		done.push(texts.removedService(service));
	}
	const stopped = await stopGateway(data, io);
	if (stopped !== undefined) done.push(texts.stopped({ pid: stopped }));
	const hadBots = existsSync(join(data, "connectors"));
	if (deletes) {
		await deleteData(data);
		done.push(texts.deleted({ data }));
	}
	for (const link of links) {
		await rm(link, { force: true });
		done.push(texts.removedLink({ link }));
	}
	const keys = await Promise.all(services.map(async ({ marker }) => remainingKeys(marker.environmentFile)));
	const rest = definedItems([
		...(await dataRows(data, deletes)),
		...keys,
		hadBots ? texts.botsStay : undefined,
		texts.programStays({ command: removal(findInstallation()) }),
	]);
	print([...done, ...rest], { data, flags, io });
}

/** npm removes the links of other installations. */
async function linksToClone({ environment }: Io): Promise<string[]> {
	const { kind, program } = findInstallation();
	return kind === "clone" ? ownLinks(program, environment) : [];
}

/** Asks at a terminal, unless a flag answers. Without a terminal, data stays. */
async function wantsDeletion(data: string, flags: UninstallParleyFlags, io: Io): Promise<boolean> {
	const { dataToo, dataStays, yes, dryRun } = flags;
	if (dataStays) return false;
	if (dryRun || yes) return dataToo === true;
	const hasTerminal = io.stdin.isTTY && io.stderr.isTTY;
	if (!hasTerminal && dataToo) throw new UsageError(noConfirmation);
	return hasTerminal && confirms(texts.confirmDelete({ data }), io);
}

/** Refuses a directory that no gateway has used, and one that contains the home directory. */
async function checkDeletable(data: string, home: string): Promise<void> {
	const isUsed = existsSync(databaseIn(data)) || existsSync(join(data, "run", "lock.sqlite"));
	const [real, realHome] = await Promise.all([data, home].map((path) => realpath(path).catch(() => path)));
	if (isUsed && !isDirectoryWithin(realHome ?? home, real ?? data)) return;
	throw new ParleyError(texts.notData({ data }), { code: "failed_precondition" });
}

/** Stops a gateway that no service runs. Returns its process id; undefined if no gateway runs. */
async function stopGateway(data: string, io: Io): Promise<number | undefined> {
	const running = await findRunningGateway(data);
	if (!running) return undefined;
	const { pid } = running;
	process.kill(pid, "SIGTERM");
	if (io.stderr.isTTY) io.stderr.write(`${texts.stopping({ pid })} …\n`);
	if (await hasEnded(pid)) return pid;
	throw new ParleyError(texts.stillRuns({ pid }), { code: "unavailable" });
}

/** The lock excludes a gateway that starts now. The new name excludes one that starts while the files are deleted. */
async function deleteData(data: string): Promise<void> {
	if (existsSync(data)) {
		const real = await realpath(data);
		const lock = lockDataDirectory(real);
		try {
			await rename(real, `${real}${renamedEnding}${process.pid}`);
		} finally {
			lock.release();
		}
	}
	for (const directory of await renamedData(data)) await rm(directory, { recursive: true, force: true });
	// A link that led to the data, and by which a repeated command finds what remains.
	await rm(data, { force: true });
}

const renamedEnding = ".deleted-";

/** Data that this command, or one that was killed, has renamed but not completely deleted. */
async function renamedData(data: string): Promise<string[]> {
	const link = await readlink(data).catch(() => data);
	const real = await realpath(data).catch(() => resolve(dirname(data), link));
	const above = dirname(real);
	const prefix = `${basename(real)}${renamedEnding}`;
	const names = await readdir(above).catch(() => []);
	return names
		.filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
		.map((name) => join(above, name));
}

/** The data that remains. */
async function dataRows(data: string, deleted: boolean): Promise<string[]> {
	if (deleted) return [];
	const remaining = definedItems([existsSync(data) ? data : undefined, ...(await renamedData(data))]);
	if (remaining.length === 0) return [texts.noData({ data })];
	return remaining.map((directory) => texts.dataStays({ data: directory }));
}

async function remainingKeys(file: string): Promise<string | undefined> {
	return (await readIfExists(file)) === "" ? undefined : texts.keysStay({ file });
}

async function planRows(
	data: string,
	services: readonly InstalledService[],
	{ deletes, links }: { readonly deletes: boolean; readonly links: readonly string[] },
): Promise<string[]> {
	const running = await findRunningGateway(data);
	return definedItems([
		...services.map((service) => texts.wouldRemove(service)),
		running ? texts.wouldStop(running) : undefined,
		deletes ? texts.wouldDelete({ data }) : undefined,
		...links.map((link) => texts.wouldRemoveLink({ link })),
		texts.programStays({ command: removal(findInstallation()) }),
	]);
}

/** Command or instruction that removes the program. */
function removal({ kind, name, home, prefix }: Installation): string {
	switch (kind) {
		case "global":
			return `npm uninstall --global --prefix ${prefix} ${name}`;
		case "clone":
			return texts.removeClone({ home: dirname(dirname(home)) });
		case "npx":
			return texts.removeCopy({ home });
		case "project":
			return `npm uninstall ${name}`;
	}
}

function print(
	rows: readonly string[],
	{ data, flags, io }: { readonly data: string; readonly flags: UninstallParleyFlags; readonly io: Io },
): void {
	if (flags.json)
		printJson({ data, deleted: !existsSync(data), dry_run: flags.dryRun === true, steps: rows }, io);
	else printRows(rows.map(visibleLine), io);
}
