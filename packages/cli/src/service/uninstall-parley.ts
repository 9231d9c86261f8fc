import { existsSync, realpathSync } from "node:fs";
import { readdir, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ParleyError } from "@parley/base";
import { definedItems } from "@parley/base/defined";
import { isWithin as isDirectoryWithin } from "@parley/core";
import { lockDataDirectory } from "@parley/gateway";
import { databaseIn, lockIn } from "@parley/gateway/data";
import { endGateway } from "../client/end-gateway.ts";
import { findRunningGateway } from "../client/running-gateway.ts";
import { asOwner } from "../command-line/as-owner.ts";
import { confirms } from "../command-line/confirms.ts";
import type { Io } from "../command-line/io.ts";
import { printJson, printRows } from "../command-line/output.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { findInstallation, type Installation } from "../installation/installation.ts";
import { ownLinks, removeLink } from "../installation/own-links.ts";
import { canReadCommands, runningCommand } from "../installation/running-command.ts";
import { visibleLine } from "../text/visible.ts";
import { uninstallTexts as texts } from "../texts/uninstall.ts";
import { dataToUninstall } from "./data-to-uninstall.ts";
import { readIfExists } from "./environment-file.ts";
import { type InstalledService, programOfService, servicesOf } from "./find-service.ts";
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
 * Stops the gateway, removes its services and the links that lead to this clone, and deletes the data if the operator
 * agrees. Does not stop a gateway that another copy runs. After a kill, the same command completes the
 * uninstallation. With `--dry-run`, only prints the plan.
 */
export async function uninstallParley(
	flags: UninstallParleyFlags,
	{ io, machine }: Surroundings,
): Promise<void> {
	if (flags.dataToo && flags.dataStays) throw new UsageError(texts.bothFlags);
	const data = await dataToUninstall(flags, { io, machine });
	const users = await usersOf(data, machine);
	const { services } = users;
	const deletes = await decideDeletion({ data, users }, flags, { io, machine });
	const links = await linksToClone(io);
	if (flags.dryRun) return print(await planRows(data, users, { deletes, links }), { data, flags, io });
	const done: string[] = [];
	for (const service of services) {
		await removeService(service);
		done.push(texts.removedService(service));
	}
	const stopped = users.otherGateway === undefined ? await stopGateway(data, io) : undefined;
	if (stopped !== undefined) done.push(texts.stopped({ pid: stopped }));
	const hadBots = existsSync(join(data, "connectors"));
	if (deletes) {
		await deleteData(data);
		done.push(texts.deleted({ data }));
	}
	for (const link of links) {
		done.push((await removeLink(link)) ? texts.removedLink({ link }) : texts.linkStays({ link }));
	}
	const keys = await Promise.all(services.map(async ({ marker }) => remainingKeys(marker.environmentFile)));
	const rest = definedItems([
		...otherRows(users),
		...(await dataRows(data, deletes)),
		...keys,
		hadBots ? texts.botsStay : undefined,
		texts.programStays({ command: removal(findInstallation()) }),
	]);
	print([...done, ...rest], { data, flags, io });
}

/** Resolves with the links to a clone. npm removes the links of other installations. */
async function linksToClone({ environment }: Io): Promise<string[]> {
	const { kind, program } = findInstallation();
	return kind === "clone" ? ownLinks(program, environment) : [];
}

/** Whether to delete the data. Rejects if the operator requests a deletion that is not allowed. */
async function decideDeletion(
	{ data, users }: { readonly data: string; readonly users: DataUsers },
	flags: UninstallParleyFlags,
	{ io, machine }: Surroundings,
): Promise<boolean> {
	const hasData = existsSync(data) || (await renamedData(data)).length > 0;
	if (!hasData) return false;
	if (flags.dataToo) checkUnshared(data, users);
	// If another copy also uses the data, the data stays and the operator is not asked.
	if (otherRows(users).length > 0) return false;
	const deletes = await confirmDeletion({ data, services: users.services }, flags, io);
	if (deletes && existsSync(data)) await checkDeletable(data, machine.home);
	return deletes;
}

interface DataUsers {
	/** Services that start this copy of Parley, a copy that no longer exists, or an unknown program. */
	readonly services: readonly InstalledService[];
	/** Services that start another copy, each with the program of that copy. */
	readonly others: readonly { readonly file: string; readonly program: string }[];
	/** Process id of a gateway that another copy runs. On systems other than Linux, a guess based on `others`. */
	readonly otherGateway: number | undefined;
}

async function usersOf(data: string, machine: Machine): Promise<DataUsers> {
	const own = realpathSync(findInstallation().program);
	const services: InstalledService[] = [];
	const others = [];
	for (const service of await servicesOf(data, machine)) {
		const program = programOfService(service);
		if (program === undefined || !existsSync(program) || realpathSync(program) === own)
			services.push(service);
		else others.push({ file: service.file, program });
	}
	const running = await findRunningGateway(data);
	const isOther = running && (canReadCommands ? !runningCommand(running.pid, own) : others.length > 0);
	return { services, others, otherGateway: isOther ? running.pid : undefined };
}

function otherRows({ others, otherGateway }: DataUsers): string[] {
	const gateway = otherGateway === undefined ? undefined : texts.otherGateway({ pid: otherGateway });
	return definedItems([...others.map(texts.otherService), gateway]);
}

/** Throws if another copy of Parley uses the data. */
function checkUnshared(data: string, { others, otherGateway }: DataUsers): void {
	const gateway = otherGateway === undefined ? undefined : texts.user.gateway({ pid: otherGateway });
	const users = definedItems([...others.map(texts.user.service), gateway]);
	if (users.length === 0) return;
	throw new ParleyError(texts.shared({ data, users }), { code: "failed_precondition" });
}

/** Whether to delete the data. Without a terminal, only `--data-too` with `--yes` deletes the data. */
async function confirmDeletion(
	{ data, services }: { readonly data: string; readonly services: readonly InstalledService[] },
	flags: UninstallParleyFlags,
	io: Io,
): Promise<boolean> {
	const { dataToo, dataStays, yes, dryRun } = flags;
	if (dataStays) return false;
	if (dryRun || yes) return dataToo === true;
	const hasTerminal = io.stdin.isTTY && io.stderr.isTTY;
	if (!hasTerminal && dataToo) throw new UsageError(noConfirmation);
	return (
		hasTerminal && confirms(texts.confirmDelete({ data, services: services.map(({ file }) => file) }), io)
	);
}

/** Rejects if no gateway has used the directory, or if the directory is or contains the home directory. */
async function checkDeletable(data: string, home: string): Promise<void> {
	const isUsed = existsSync(databaseIn(data)) || existsSync(lockIn(data));
	const [real, realHome] = await Promise.all([data, home].map((path) => realpath(path).catch(() => path)));
	const containsHome = isDirectoryWithin(realHome ?? home, real ?? data);
	if (isUsed && !containsHome) return;
	const problem = containsHome ? texts.containsHome : texts.notData;
	throw new ParleyError(problem({ data }), { code: "failed_precondition" });
}

/** Stops the gateway and resolves with its process id, or with undefined if no gateway is running. */
async function stopGateway(data: string, io: Io): Promise<number | undefined> {
	const running = await findRunningGateway(data);
	if (!running) return undefined;
	const { pid } = running;
	if (io.stderr.isTTY) io.stderr.write(`${texts.stopping({ pid })} …\n`);
	if (await endGateway(pid, data)) return pid;
	throw new ParleyError(texts.stillRuns({ pid }), { code: "unavailable" });
}

/**
 * Renames the data directory, then deletes it. The lock prevents a start of a gateway before the rename. After
 * the rename, no gateway finds the data.
 */
async function deleteData(data: string): Promise<void> {
	if (existsSync(data)) {
		const real = await realpath(data);
		const lock = await asOwner(real, () => lockDataDirectory(real));
		try {
			await rename(real, `${real}${renamedEnding}${process.pid}`);
		} finally {
			lock.release();
		}
	}
	for (const directory of await renamedData(data)) await rm(directory, { recursive: true, force: true });
	// Removes a link to the data last, because a repeated command finds the remaining data through the link.
	await rm(data, { force: true });
}

const renamedEnding = ".deleted-";

/** Resolves with the data directories that an uninstallation has renamed, but not completely deleted. */
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
	users: DataUsers,
	{ deletes, links }: { readonly deletes: boolean; readonly links: readonly string[] },
): Promise<string[]> {
	const running = await findRunningGateway(data);
	return definedItems([
		...users.services.map(texts.wouldRemove),
		running && users.otherGateway === undefined ? texts.wouldStop(running) : undefined,
		deletes ? texts.wouldDelete({ data }) : undefined,
		...links.map((link) => texts.wouldRemoveLink({ link })),
		...otherRows(users),
		texts.programStays({ command: removal(findInstallation()) }),
	]);
}

/** Returns the command or instruction that removes the program itself. */
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
