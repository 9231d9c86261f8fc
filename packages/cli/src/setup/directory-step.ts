import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { homeDirectory } from "@parley/base/own-account";
import { changeProject, changeSetting } from "@parley/gateway/settings";
import { dataFlag, defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { askText, choose } from "../command-line/prompts.ts";
import { UsageError } from "../command-line/usage.ts";
import { configSources } from "../gateway/change-config.ts";
import { broadDirectory, checkProject, confirmBroad, isWithinData } from "../gateway/projects.ts";
import { shellWord } from "../text/shell-word.ts";
import { visibleLine } from "../text/visible.ts";
import { projectsMessages } from "../texts/commands/access/projects.ts";
import { projectTexts } from "../texts/projects.ts";
import { setupTexts } from "../texts/setup.ts";
import type { StepParts, StepResult } from "./setup-flags.ts";

/**
 * Stores a directory in which agents may work, and the sandbox mode. Flags or the operator's answers determine both.
 */
export async function setUpDirectory(parts: StepParts): Promise<StepResult> {
	const project = await setUpProject(parts);
	if (project === "left") return "left";
	const { flags, io, data, asks } = parts;
	const mode = flags.sandbox ?? (asks ? await askMode(io) : "");
	if (mode === undefined) return "left";
	const { results } = setupTexts;
	if (mode === "") return project.length === 0 ? [results.skipped] : project;
	const sources = await configSources({ data }, io);
	await changeSetting("sandbox", [mode], { sources, clock: systemClock });
	return [...project, results.sandbox({ mode })];
}

async function setUpProject({ flags, io, data, asks }: StepParts): Promise<StepResult> {
	const given = flags.project ?? (asks ? await askDirectory(io, data) : "");
	if (given === undefined) return "left";
	if (given.trim() === "") return [];
	const path = pathOf(given, io.cwd);
	const directory = await realpath(path).catch(() => path);
	if (!isDirectory(directory)) throw new UsageError(projectsMessages.missing({ directory: given }));
	await checkProject(directory, data);
	const warning = await broadDirectory(directory);
	if (warning !== undefined) {
		if (!asks) {
			const words = `${shellWord(visibleLine(directory))}${dataFlag(data, await defaultDataDirectory())}`;
			throw new UsageError(projectTexts.broad({ warning, words }));
		}
		const isConfirmed = await confirmBroad(directory, io);
		if (!isConfirmed) return isConfirmed === undefined ? "left" : [];
	}
	await changeProject(directory, true, { data, clock: systemClock, ids: createIds() });
	return [setupTexts.results.project({ directory })];
}

async function askDirectory(io: Io, data: string): Promise<string | undefined> {
	const here = await realpath(io.cwd);
	const isBroad = (await broadDirectory(here)) !== undefined;
	const message = `${setupTexts.directory} (${setupTexts.later})`;
	const problemOf = (text: string): string | undefined => {
		if (text.trim() === "") return undefined;
		const path = pathOf(text, io.cwd);
		if (!isDirectory(path)) return setupTexts.notDirectory({ path: visibleLine(path) });
		return isWithinData(path, data) ? projectTexts.inData({ directory: path, data }) : undefined;
	};
	return await askText({ message, initial: isBroad ? "" : here, problemOf }, io);
}

function pathOf(given: string, cwd: string): string {
	// A shell replaces `~`, but the text of an answer still contains it.
	return resolve(cwd, given.trim().replace(/^~(?=$|\/)/, homeDirectory()));
}

function isDirectory(path: string): boolean {
	return !path.includes("\0") && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function askMode(io: Io): Promise<string | undefined> {
	const options = [
		{ value: "preferred", label: setupTexts.preferred },
		{ value: "required", label: setupTexts.required },
	];
	return choose({ message: setupTexts.permissions, options }, io);
}
