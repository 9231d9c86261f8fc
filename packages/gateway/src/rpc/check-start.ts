import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Clock, type Ids, type Logger, ParleyError, type Redactor } from "@parley/base";
import { type Model, shortToolNames } from "@parley/core";
import type { Config } from "../config/load.ts";
import { databaseIn } from "../data-directory/data-directory.ts";
import { errno } from "../data-directory/errno.ts";
import { type Models, openModels } from "../models/open-models.ts";
import { type RpcFlags, readCwd, readMaxSteps, readTools } from "./rpc-flags.ts";

export interface OpenAgentOptions {
	readonly flags: RpcFlags;
	/** Of the operator: who answers, the rules, the sandbox. */
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly redactor: Redactor;
	/** Relative paths of the flags start here. */
	readonly currentDirectory: string;
	/** Keeps what the check of the sandbox found for the next process; without it each process checks. */
	readonly keeping?: {
		/** Directory for the file if there is no data directory; created with mode 0700 if it is missing. */
		readonly cache: string;
		/** Of this program. */
		readonly version: string;
	};
	/** Answers instead of the configured provider. */
	readonly model?: Model;
}

/** What can be known, and refused, without the core: it takes longer to load than all of this. */
export interface CheckedStart {
	readonly cwd: string;
	readonly models: Models;
	/** The names of those that are used. */
	readonly tools: readonly string[];
	readonly maxSteps: number;
	/** Where the system keeps what nobody keeps. A real path where there is no `--session`. */
	readonly temporary: string;
}

/** Rejects with what whoever starts the process can mend. */
export async function checkStart(options: OpenAgentOptions): Promise<CheckedStart> {
	const { flags, config, clock, log, currentDirectory } = options;
	const cwd = readCwd(flags.cwd, currentDirectory);
	if (config.providerReason === "no key" && !options.model) throw withoutKey();
	if (config.provider === "offline" && !options.model) checkOfflineModel(flags.model);
	const mayBeKept =
		flags.session !== undefined && existsSync(databaseIn(resolve(currentDirectory, flags.session)));
	const models = await openModels({ config, clock, log, model: options.model, mayBeKept });
	const { served } = models;
	return {
		cwd,
		// One process has one server: what that has told is all that can be chosen.
		models: served ? { ...models, table: served, anyModel: false } : models,
		tools: readTools(flags.tools, shortToolNames),
		maxSteps: readMaxSteps(flags.maxSteps),
		temporary: flags.session === undefined ? realTemporary(tmpdir()) : tmpdir(),
	};
}

function realTemporary(path: string): string {
	try {
		// The system's own refuses a file that is named as a directory.
		return realpathSync.native(join(path, "/"));
	} catch (cause) {
		throw new ParleyError(
			`the directory for temporary files, ${path}, cannot be used (${errno(cause)}); set TMPDIR to one that exists`,
			{ code: "invalid_argument", cause },
		);
	}
}

/** The operator's own rules, which need not exist. */
export function policyIn({ policyFile, data }: Pick<Config, "policyFile" | "data">): string {
	return policyFile ?? join(data, "policy.jsonc");
}

/** A gateway only warns of it. Here somebody has just asked for what nobody answers with. */
function checkOfflineModel(name = ""): void {
	if (["", "offline", "fast", "standard", "max"].includes(name)) return;
	throw new ParleyError(
		`--model is ${JSON.stringify(name)}, but the provider offline has one model, which is called offline`,
		{ code: "invalid_argument" },
	);
}

function withoutKey(): ParleyError {
	return new ParleyError(
		"no credential for anthropic; set ANTHROPIC_API_KEY, pass --api-key, or name a server with --base-url; " +
			"--provider offline needs neither",
		{ code: "invalid_argument" },
	);
}
