import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";
import { projectsMessages } from "../texts/commands/access/projects.ts";

export interface McpFlags {
	readonly data?: string;
	readonly dir?: string;
	readonly json?: boolean;
	/** Agent whose own servers are included. */
	readonly agent?: string;
}

/** Default value of `--agent`. */
export const usualAgent = "default";

/** Permissions that the operator grants to a server. */
export interface RightFlags {
	readonly envFrom?: readonly string[];
	readonly read?: readonly string[];
	readonly write?: readonly string[];
	readonly host?: readonly string[];
}

export interface AddFlags extends McpFlags, RightFlags {
	readonly env?: readonly string[];
	readonly timeout?: number;
	readonly tokenFrom?: string;
	readonly allowPrivate?: boolean;
}

export interface TrustFlags extends McpFlags, RightFlags {
	readonly allowPrivate?: boolean;
	readonly server?: readonly string[];
	readonly yes?: boolean;
}

export interface LoginFlags extends McpFlags {
	readonly scope?: string;
	readonly clientId?: string;
	readonly clientSecretFrom?: string;
	readonly port?: number;
	readonly privateHost?: readonly string[];
}

/** Resolves with the real path of a working directory. Rejects with a `UsageError` if it is not an accessible directory. */
export async function workingDirectory(given: string, io: Io): Promise<string> {
	const missing = projectsMessages.missing({ directory: given });
	const path = await realpath(resolve(io.cwd, given)).catch((cause: unknown) => {
		throw new UsageError(missing, { cause });
	});
	const isDirectory = await stat(path).then(
		(found) => found.isDirectory(),
		() => false,
	);
	if (!isDirectory) throw new UsageError(missing);
	return path;
}
