import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute } from "node:path";
import { defined } from "@parley/base";
import { homeDirectory } from "@parley/base/own-account";
import { contentIdentityOf, fileError, identityOf } from "../../filesystem/file-error.ts";
import { belongsToGateway, isWithin, shownPath } from "../../filesystem/paths.ts";
import { DEFAULT_PATH } from "../../sandbox/commands/environment.ts";
import { visible } from "../../text/visible.ts";
import type { Sandbox } from "../../vocabulary/sandbox.ts";
import type { BindOptions, BoundFacts, FilesFact, ToolContext } from "../../vocabulary/tool.ts";
import { changedPaths, filesBelow } from "./bound-files.ts";
import { findNamed, programIdentity } from "./programs.ts";
import { surroundingsTexts } from "./texts.ts";

/** Facts about the environment of a command line. Each plan contains them, because they are fast to read. */
export type Surroundings = Readonly<Record<"directory" | "executable" | "environment" | "sandbox", string>>;

export async function surroundingsOf({ cwd, sandbox }: ToolContext): Promise<Surroundings> {
	try {
		return {
			directory: await identityOf(cwd),
			executable: await contentIdentityOf(await findShell()),
			environment: hashOf(sandbox.environment),
			sandbox: sandbox.profile,
		};
	} catch (reason) {
		throw fileError(surroundingsTexts.cannotRunIn(cwd), reason);
	}
}

/**
 * Returns the facts about the program `name`. `executable` identifies the first program with that name on the sandbox's
 * search path.
 */
export async function programFacts(
	name: string,
	{ environment, profile }: Sandbox,
): Promise<Readonly<Record<"executable" | "environment" | "sandbox", string>>> {
	const path = environment["PATH"] ?? DEFAULT_PATH;
	return {
		// `findProgram`, which starts the program, ignores relative directories.
		executable: await programIdentity(name, path.split(delimiter).filter(isAbsolute)),
		environment: hashOf(environment),
		sandbox: profile,
	};
}

/** Maximum directories to check for a command, in addition to the working directory. */
const maxDirectories = 4;

/**
 * Returns facts about the files that a command line could run or load, and a note for the approver. See `filesBelow`.
 */
export async function boundToCommand(
	command: string,
	context: ToolContext,
	options: BindOptions = {},
): Promise<BoundFacts> {
	const { cwd, roots, forbidden, workspace, sandbox } = context;
	const path = sandbox.environment["PATH"] ?? DEFAULT_PATH;
	const home = homeDirectory();
	const named = await findNamed(command, { cwd, roots, forbidden, workspace, home, path });
	const files = await filesIn(cwd, context, searchOptions("files", options));
	const binding: Record<string, string> = { programs: named.programs, files: files.text, named: named.files };
	const beside: FilesFact[] = [];
	for (const [index, directory] of named.directories.slice(0, maxDirectories).entries()) {
		const fact = `files${index + 2}`;
		const found = await filesIn(directory, context, { ...searchOptions(fact, options), isBeside: true });
		binding[fact] = found.text;
		beside.push(found);
	}
	const facts = [files, ...beside];
	const complete = named.complete && named.directories.length <= maxDirectories;
	const count = facts.reduce((sum, fact) => sum + fact.files, 0);
	const isComplete = complete && facts.every((fact) => fact.complete);
	const completeness = { complete: isComplete, known: named.known };
	return { binding, ...boundNotes(surroundingsTexts.filesHere(count), completeness) };
}

/** Returns facts about the files of a repository, and a note for the approver. See `filesBelow`. */
export async function boundToRepository(
	top: string,
	context: ToolContext,
	options: BindOptions = {},
): Promise<BoundFacts> {
	const { text, files, complete } = await filesIn(top, context, searchOptions("files", options));
	return {
		binding: { files: text },
		...boundNotes(surroundingsTexts.inRepository(files), { complete, known: true }),
	};
}

type ToolPlanFacts = Readonly<Record<string, string>>;

interface SearchOptions {
	readonly earlier: string | undefined;
	readonly sharedFacts: BindOptions["sharedFacts"];
	/** Whether the directory is read in addition to the working directory. */
	readonly isBeside?: boolean;
}

function searchOptions(fact: string, { earlier, sharedFacts }: BindOptions): SearchOptions {
	return { earlier: earlier?.[fact], sharedFacts };
}

function filesIn(directory: string, context: ToolContext, options: SearchOptions): Promise<FilesFact> {
	const { earlier, sharedFacts, isBeside = false } = options;
	// The first line of `earlier` can limit the number of entries in the new scan, so the key contains that line.
	const key = JSON.stringify([directory, isBeside, earlier?.split("\n", 1)]);
	const shared = sharedFacts?.get(key);
	if (shared) return shared;
	const search = filesBelow(directory, {
		clock: context.clock,
		prefix: isBeside ? directory : "",
		roots: context.roots,
		// The working directory has its own scan, so the scan of a parent directory skips it.
		skips: (path) => (isBeside && path === context.cwd) || belongsToGateway(path, context),
		// Desktop programs constantly write settings and caches in the home directory.
		hidden: isWithin(homeDirectory(), directory),
		...defined({ earlier }),
	});
	sharedFacts?.set(key, search);
	return search;
}

/**
 * Returns the note that the command runs only if the files in `subject` stay unchanged. The note is usual if
 * all paths are known and checked. See SECURITY.md.
 */
function boundNotes(
	subject: string,
	{ complete, known }: Record<"complete" | "known", boolean>,
): Pick<BoundFacts, "notes" | "usualNotes"> {
	const rest = `${complete ? "" : surroundingsTexts.tooManyFiles}${known ? "" : surroundingsTexts.unknownPaths}`;
	const note = surroundingsTexts.onlyIfUnchanged(subject, rest);
	return { notes: [note], ...defined({ usualNotes: complete && known ? [note] : undefined }) };
}

/** Maximum paths of a fact in a refusal, and maximum names in a note. */
const maxShown = 5;

/**
 * Returns a description of each fact that differs: the fact's name and at most five changed paths. Also says how many
 * further paths changed.
 */
export function differences(approved: ToolPlanFacts, now: ToolPlanFacts): string[] {
	const facts = [...new Set([...Object.keys(approved), ...Object.keys(now)])];
	return facts
		.filter((fact) => approved[fact] !== now[fact])
		.map((fact) => {
			const { names, all } = changedPaths(approved[fact] ?? "", now[fact] ?? "", maxShown);
			if (all === 0) return visible(fact);
			const more = all > names.length ? [`and ${all - names.length} more`] : [];
			return `${visible(fact)} (${[...names.map(visible), ...more].join(", ")})`;
		});
}

/** Maximum characters of a path in a note. */
const longestName = 200;

const factsInWords: ReadonlyMap<string, string> = new Map([
	["directory", surroundingsTexts.directory],
	["executable", surroundingsTexts.program],
	["programs", surroundingsTexts.programOnPath],
]);

/**
 * Returns the changes for an approver: changed paths (relative if they are below `cwd`), and descriptions of facts
 * without paths. Returns at most five changes, and a text with the number of further changes. Changed files that the
 * command names come first, so that the limit omits other changes before them.
 */
export function changedNames(approved: ToolPlanFacts, now: ToolPlanFacts, cwd: string): string[] {
	const facts = Object.keys({ named: "", ...approved, ...now });
	const changed = facts.filter((fact) => approved[fact] !== now[fact]);
	const names = changed.flatMap((fact) => {
		const paths = changedPaths(approved[fact] ?? "", now[fact] ?? "", Number.POSITIVE_INFINITY).names;
		return paths.length === 0 ? [factsInWords.get(fact) ?? fact] : paths.map((path) => shortName(path, cwd));
	});
	const different = [...new Set(names)];
	const more = different.length > maxShown ? [`and ${different.length - maxShown} more`] : [];
	return [...different.slice(0, maxShown), ...more];
}

function shortName(path: string, cwd: string): string {
	const shown = visible(isAbsolute(path) ? shownPath(path, cwd) : path);
	return shown.length > longestName ? `${shown.slice(0, longestName)}…` : shown;
}

export async function findShell(): Promise<string> {
	try {
		await access("/bin/bash");
		return "/bin/bash";
	} catch {
		// Linux and macOS always have /bin/sh.
		return "/bin/sh";
	}
}

function hashOf(environment: Readonly<Record<string, string>>): string {
	const sorted = Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1));
	return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
