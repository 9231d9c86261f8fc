import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { homeDirectory } from "@parley/base/own-account";
import { changeProject, readProjects } from "@parley/gateway/settings";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { askText } from "../command-line/prompts.ts";
import { noConfirmation, UsageError } from "../command-line/usage.ts";
import { tableRows } from "../text/columns.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { projectsMessages } from "../texts/commands/access/projects.ts";
import { projectTexts } from "../texts/projects.ts";

export interface ProjectFlags {
	readonly data?: string;
	readonly json?: boolean;
	readonly yes?: boolean;
}

/** Prints the directories for which the operator has stored an answer. */
export async function listProjects(flags: ProjectFlags, io: Io): Promise<void> {
	const projects = await readProjects(await chosenDataDirectory(flags.data, io));
	if (flags.json) return printJson({ projects }, io);
	const rows = projects.map(({ directory, allowed, since }) => [
		visibleLine(directory),
		allowed ? projectsMessages.allowed : projectsMessages.denied,
		timeAgo(Date.parse(since), systemClock.now()),
	]);
	const table = { rows: [[...projectsMessages.head], ...rows], elastic: 0 };
	printRows(rows.length === 0 ? [projectsMessages.none] : tableRows(table, outputFormat(io)), io);
}

/** Stores or deletes an answer. Returns the exit code: 1 if the operator did not confirm a broad directory. */
export async function answerFor(
	given: string,
	name: "allow" | "deny" | "forget",
	{ flags, io }: { readonly flags: ProjectFlags; readonly io: Io },
): Promise<number> {
	const data = await chosenDataDirectory(flags.data, io);
	const path = resolve(io.cwd, given);
	const real = await realpath(path).catch(() => undefined);
	// `forget` also accepts a directory that no longer exists, because an answer for it may still be stored.
	if (real === undefined && name !== "forget") {
		throw new UsageError(projectsMessages.missing({ directory: given }));
	}
	const directory = real ?? path;
	if (name === "allow") {
		await checkProject(directory, data);
		if (flags.yes !== true && !(await confirmed(directory, io))) return 1;
	}
	const allowed = { allow: true, deny: false, forget: undefined }[name];
	const isChanged = await changeProject(directory, allowed, { data, clock: systemClock, ids: createIds() });
	if (flags.json) printJson({ directory, allowed: allowed ?? null, changed: isChanged }, io);
	else printRows([visibleLine(projectsMessages[isChanged ? name : "same"]({ directory }))], io);
	return 0;
}

/** Rejects if the path is not a directory, is the data directory, or is inside the data directory. */
export async function checkProject(directory: string, data: string): Promise<void> {
	if (!(await stat(directory)).isDirectory()) throw new UsageError(projectsMessages.missing({ directory }));
	const own = await realpath(data).catch(() => data);
	if (!isWithinData(directory, own)) return;
	throw new UsageError(projectTexts.inData({ directory, data: own }));
}

export function isWithinData(directory: string, data: string): boolean {
	return directory === data || directory.startsWith(`${data}/`);
}

async function confirmed(directory: string, io: Io): Promise<boolean> {
	if ((await broadDirectory(directory)) === undefined) return true;
	if (!(io.stdin.isTTY && io.stdout.isTTY)) throw new UsageError(noConfirmation);
	return (await confirmBroad(directory, io)) === true;
}

/**
 * Resolves with a warning about a directory that is `/`, the home directory, or a parent of the home directory.
 * Resolves with undefined for any other directory.
 */
export async function broadDirectory(directory: string): Promise<string | undefined> {
	if (directory === "/") return projectTexts.everything;
	const home = await realpath(homeDirectory()).catch(() => homeDirectory());
	const shown = { directory: visibleLine(directory) };
	if (directory === home) return projectTexts.home(shown);
	return home.startsWith(`${directory}/`) ? projectTexts.aboveHome(shown) : undefined;
}

/** Asks the operator to confirm a broad directory. Resolves with undefined if the operator leaves. */
export async function confirmBroad(directory: string, io: Io): Promise<boolean | undefined> {
	const warning = await broadDirectory(directory);
	return confirmInWords(`${warning} ${projectTexts.confirmBroad}`, io);
}

/** Asks the operator to type yes or no. Resolves with undefined if the operator leaves. */
export async function confirmInWords(message: string, io: Io): Promise<boolean | undefined> {
	const answer = await askText(
		{
			message,
			problemOf: (text) => (/^(?:yes|no?)$/i.test(text.trim()) ? undefined : projectTexts.answerYesOrNo),
		},
		io,
	);
	return answer === undefined ? undefined : /^yes$/i.test(answer.trim());
}
