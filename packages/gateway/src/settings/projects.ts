import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { type Clock, type Ids, type Logger, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { auditChanges, type ChangeAudit, noteChange } from "../config/command-changes.ts";
import { errno } from "../data-directory/errno.ts";
import { withFileLock } from "../data-directory/file-lock.ts";
import { fileState } from "../data-directory/file-state.ts";
import { replacePrivateFile } from "../data-directory/private-file.ts";
import { settingRefusalTexts } from "../texts/config/refusals.ts";

/** The operator's decision on whether agents may work in a directory. */
export interface Project {
	/** Real path of the directory. */
	readonly directory: string;
	readonly allowed: boolean;
	/** Time of the decision, in ISO 8601. */
	readonly since: string;
}

const fileSchema = () =>
	z.strictObject({
		projects: z.array(
			z.strictObject({
				directory: z.string().refine(isAbsolute, { error: settingRefusalTexts.absolutePath }),
				allowed: z.boolean(),
				since: z.string(),
			}),
		),
	});

/** Returns the path of the file with the decisions in a data directory. */
export function projectsIn(data: string): string {
	return join(data, "projects.json");
}

/**
 * Reads the decisions about directories. Returns an empty list if the file does not exist. Rejects with
 * `invalid_argument` if the file is invalid or cannot be read.
 */
export async function readProjects(data: string): Promise<readonly Project[]> {
	const path = projectsIn(data);
	try {
		const { projects } = fileSchema().parse(parseJson(await readFile(path, "utf8"), { uniqueKeys: true }));
		return projects;
	} catch (cause) {
		if (errno(cause) === "ENOENT") return [];
		throw new ParleyError(settingRefusalTexts.invalidProjects({ path }), {
			code: "invalid_argument",
			cause,
		});
	}
}

/**
 * Finds the decision for a directory. A directory without its own decision uses the decision of the nearest directory
 * above it, if that decision allows agents.
 */
export function findProject(directory: string, projects: readonly Project[]): Project | undefined {
	const own = projects.find((one) => one.directory === directory);
	if (own) return own;
	for (let at = dirname(directory); ; at = dirname(at)) {
		const above = projects.find((one) => one.directory === at);
		// A refusal applies only to its own directory, so a directory below it needs its own decision.
		if (above) return above.allowed ? above : undefined;
		if (at === dirname(at)) return undefined;
	}
}

interface ChangeParts {
	readonly data: string;
	readonly clock: Clock;
	readonly ids: Ids;
}

/**
 * Stores or deletes the decision for a directory. First stores a note for the audit log. Returns whether the decision
 * has changed.
 */
export async function changeProject(
	directory: string,
	allowed: boolean | undefined,
	{ data, clock, ids }: ChangeParts,
): Promise<boolean> {
	return await withFileLock(join(data, "run", "projects.lock"), clock, async () => {
		const projects = await readProjects(data);
		const known = projects.find((one) => one.directory === directory);
		if (known?.allowed === allowed) return false;
		const action = allowed === undefined ? "project.forget" : allowed ? "project.allow" : "project.deny";
		await noteChange(data, { action, object: directory, facts: {} }, { clock, ids });
		const others = projects.filter((one) => one !== known);
		const since = new Date(clock.now()).toISOString();
		const all = allowed === undefined ? others : [...others, { directory, allowed, since }];
		const sorted = all.toSorted((a, b) => (a.directory < b.directory ? -1 : 1));
		await replacePrivateFile(projectsIn(data), `${JSON.stringify({ projects: sorted }, undefined, "\t")}\n`);
		return true;
	});
}

interface ReaderParts {
	readonly data: string;
	readonly log: Logger;
	/** Returns the audit log for changes by commands, if it is open. */
	audit(): ChangeAudit | undefined;
}

/**
 * Returns a function that reads the directories in which agents may work, in addition to the roots. A change by a command
 * applies to the next session. Without a valid file, or if the audit rows cannot be stored, the list is empty.
 */
export function projectReader({ data, log, audit }: ReaderParts): () => Promise<readonly string[]> {
	let seen: string | undefined;
	let known: readonly string[] = [];
	return async () => {
		// The state of the file is determined before its content is read, so that a change during the read is detected.
		const state = fileState(projectsIn(data));
		if (state === seen) return known;
		try {
			const notes = audit();
			if (notes) await auditChanges(data, notes);
			known = (await readProjects(data)).flatMap(({ directory, allowed }) => (allowed ? [directory] : []));
			seen = state;
		} catch (error) {
			log.error("the directories of projects are not used", { error });
			known = [];
			seen = undefined;
		}
		return known;
	};
}
