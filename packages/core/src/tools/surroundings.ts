import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { delimiter } from "node:path";
import { homeDirectory } from "@parley/base/own-account";
import { DEFAULT_PATH } from "../sandbox/allowed-environment.ts";
import type { Sandbox } from "../sandbox.ts";
import type { ToolContext } from "../tool.ts";
import { fileError } from "./file-error.ts";
import { contentIdentityOf, identityOf } from "./identity.ts";
import { executedBy, programIdentity } from "./programs.ts";

/** What a decision about a command rests on, beside its text. */
export type Surroundings = Readonly<
	Record<"directory" | "executable" | "programs" | "scripts" | "environment" | "sandbox", string>
>;

/** Looks at where a command line would run, with what, and at what it would execute. */
export async function surroundingsOf(command: string, context: ToolContext): Promise<Surroundings> {
	const { cwd, roots, forbidden, workspace, sandbox } = context;
	const { environment } = sandbox;
	try {
		return {
			directory: await identityOf(cwd),
			executable: await contentIdentityOf(await findShell()),
			...(await executedBy(command, {
				...{ cwd, roots, forbidden, workspace, home: homeDirectory() },
				path: environment["PATH"] ?? DEFAULT_PATH,
			})),
			environment: hashOf(environment),
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

/** The facts that are other ones by now, in words. */
export function differences(
	approved: Readonly<Record<string, string>>,
	now: Readonly<Record<string, string>>,
): string[] {
	return [...new Set([...Object.keys(approved), ...Object.keys(now)])].filter(
		(fact) => approved[fact] !== now[fact],
	);
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
