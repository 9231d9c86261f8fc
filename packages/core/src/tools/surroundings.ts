import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { delimiter } from "node:path";
import { homeDirectory } from "@parley/base/own-account";
import { DEFAULT_PATH } from "../sandbox/allowed-environment.ts";
import type { Sandbox } from "../sandbox.ts";
import type { BoundFacts, ToolContext } from "../tool.ts";
import { changedPaths, type FilesFact, filesBelow } from "./bound-files.ts";
import { fileError } from "./file-error.ts";
import { contentIdentityOf, identityOf } from "./identity.ts";
import { belongsToGateway, isWithin } from "./paths.ts";
import { findNamed, programIdentity } from "./programs.ts";
import { visible } from "./visible.ts";

/** Cheap facts about the place of a command line: every decision rests on them. */
export type Surroundings = Readonly<Record<"directory" | "executable" | "environment" | "sandbox", string>>;

/** Looks at the place that a command line would run in. */
export async function surroundingsOf({ cwd, sandbox }: ToolContext): Promise<Surroundings> {
	try {
		return {
			directory: await identityOf(cwd),
			executable: await contentIdentityOf(await findShell()),
			environment: hashOf(sandbox.environment),
			sandbox: sandbox.profile,
		};
	} catch (reason) {
		throw fileError(`cannot run a command in ${JSON.stringify(cwd)}`, reason);
	}
}

/** What a program would run with; `executable` is what its name leads to. */
export async function programFacts(
	name: string,
	{ environment, profile }: Sandbox,
): Promise<Readonly<Record<"executable" | "environment" | "sandbox", string>>> {
	const path = environment["PATH"] ?? DEFAULT_PATH;
	return {
		executable: await programIdentity(name, path.split(delimiter)),
		...{ environment: hashOf(environment), sandbox: profile },
	};
}

/** Maximum of directories beside the working directory that a command can name and that are looked at. */
const mostDirectories = 4;

/** The files that a command line could run or load, and a note about them for the approver. See `filesBelow`. */
export async function boundToCommand(
	command: string,
	context: ToolContext,
	earlier: ToolPlanFacts = {},
): Promise<BoundFacts> {
	const { cwd, roots, forbidden, workspace, sandbox } = context;
	const path = sandbox.environment["PATH"] ?? DEFAULT_PATH;
	const home = homeDirectory();
	const named = await findNamed(command, { cwd, roots, forbidden, workspace, home, path });
	const files = await filesIn(cwd, context, earlier["files"]);
	const binding: Record<string, string> = { programs: named.programs, files: files.text, named: named.files };
	const beside: FilesFact[] = [];
	for (const [index, directory] of named.directories.slice(0, mostDirectories).entries()) {
		const fact = `files${index + 2}`;
		const found = await filesIn(directory, context, earlier[fact], true);
		binding[fact] = found.text;
		beside.push(found);
	}
	const facts = [files, ...beside];
	const complete = named.complete && named.directories.length <= mostDirectories;
	const count = facts.reduce((sum, fact) => sum + fact.files, 0);
	return {
		binding,
		notes: [
			boundNote(`${count} here, and those it names`, {
				complete: complete && facts.every((fact) => fact.complete),
				known: named.known,
			}),
		],
	};
}

/** The files of a repository, and a note about them for the approver. See `filesBelow`. */
export async function boundToRepository(
	top: string,
	context: ToolContext,
	earlier: ToolPlanFacts = {},
): Promise<BoundFacts> {
	const { text, files, complete } = await filesIn(top, context, earlier["files"]);
	return {
		binding: { files: text },
		notes: [boundNote(`${files} in the repository`, { complete, known: true })],
	};
}

type ToolPlanFacts = Readonly<Record<string, string>>;

function filesIn(
	directory: string,
	context: ToolContext,
	earlier: string | undefined,
	isBeside = false,
): Promise<FilesFact> {
	return filesBelow(directory, {
		clock: context.clock,
		prefix: isBeside ? directory : "",
		roots: context.roots,
		// The working directory has a look of its own when one above it is looked at.
		skips: (path) => (isBeside && path === context.cwd) || belongsToGateway(path, context),
		// Programs of a desktop write settings and caches there all the time.
		hidden: isWithin(homeDirectory(), directory),
		...(earlier !== undefined && { earlier }),
	});
}

/** One line for the approver: the call is refused if bound files change. SECURITY.md says the same in full. */
function boundNote(what: string, { complete, known }: Record<"complete" | "known", boolean>): string {
	const rest = `${complete ? "" : "all other files here (too many), "}${known ? "" : "paths known only when it runs, "}`;
	return `runs only if its files stay unchanged (${what}); not checked: ${rest}documents, logs, databases, caches, files elsewhere`;
}

/** Maximum of paths that a refusal names. */
const mostShown = 5;

/** The facts that differ, in words: names of facts, and paths of changed files. */
export function differences(approved: ToolPlanFacts, now: ToolPlanFacts): string[] {
	const facts = [...new Set([...Object.keys(approved), ...Object.keys(now)])];
	return facts
		.filter((fact) => approved[fact] !== now[fact])
		.map((fact) => {
			const { names, all } = changedPaths(approved[fact] ?? "", now[fact] ?? "", mostShown);
			if (all === 0) return visible(fact);
			const more = all > names.length ? [`and ${all - names.length} more`] : [];
			return `${visible(fact)} (${[...names.map(visible), ...more].join(", ")})`;
		});
}

/** The shell that reads command lines. */
export async function findShell(): Promise<string> {
	try {
		await access("/bin/bash");
		return "/bin/bash";
	} catch {
		// Every POSIX system has the other.
		return "/bin/sh";
	}
}

/** Of the names and values in a fixed order. */
function hashOf(environment: Readonly<Record<string, string>>): string {
	const sorted = Object.entries(environment).sort(([one], [other]) => (one < other ? -1 : 1));
	return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
