import { existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Clock, type Ids, type Logger, ParleyError, type Redactor } from "@parley/base";
import { type Model, shortToolNames } from "@parley/core";
import type { Config } from "../config/load.ts";
import { databaseIn } from "../data-directory/data-directory.ts";
import { errno } from "../data-directory/errno.ts";
import { type Models, openModels } from "../models/open-models.ts";
import { rpcTexts } from "../texts/rpc.ts";
import { type RpcFlags, readCwd, readMaxSteps, readTools } from "./rpc-flags.ts";

export interface OpenAgentOptions {
	readonly flags: RpcFlags;
	/** The operator's configuration: provider, rules, sandbox. */
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly redactor: Redactor;
	/** Relative paths of the flags start here. */
	readonly currentDirectory: string;
	/** Stores the result of the sandbox check for the next process. Without it, each process checks. */
	readonly sandboxCheck?: {
		/** Directory for the file if there is no data directory; created with mode 0700 if it is missing. */
		readonly cache: string;
		/** Version of this program. */
		readonly version: string;
	};
	/** Replaces the configured provider. */
	readonly model?: Model;
}

/** Checks that do not need the core, which takes longer to load than all of them. */
export interface CheckedStart {
	readonly cwd: string;
	readonly models: Models;
	/** The names of those that are used. */
	readonly tools: readonly string[];
	readonly maxSteps: number;
	/** The system's directory of temporary files. A real path without `--session`. */
	readonly temporary: string;
}

/** Rejects with an error that the caller of the process can fix. */
export async function checkStart(options: OpenAgentOptions): Promise<CheckedStart> {
	const { flags, config, clock, log, currentDirectory } = options;
	const cwd = readCwd(flags.cwd, currentDirectory);
	if (config.providerReason === "no key" && !options.model) throw withoutKey();
	if (config.provider === "offline" && !options.model) checkOfflineModel(flags.model);
	const mayBeRestored =
		flags.session !== undefined && existsSync(databaseIn(resolve(currentDirectory, flags.session)));
	const models = await openModels({ config, clock, log, model: options.model, mayBeRestored });
	const { served } = models;
	return {
		cwd,
		// One process has one server: only its listed models can be chosen.
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
		throw new ParleyError(rpcTexts.noTemporaryDirectory({ path, reason: errno(cause) }), {
			code: "invalid_argument",
			cause,
		});
	}
}

/** Path of the operator's rules. The file may not exist. */
export function policyIn({ policyFile, data }: Config): string {
	return policyFile ?? join(data, "policy.jsonc");
}

/** Throws for a requested model that no provider has. A gateway only warns about such a model. */
function checkOfflineModel(name = ""): void {
	if (["", "offline", "fast", "standard", "max"].includes(name)) return;
	throw new ParleyError(rpcTexts.offlineModel({ model: JSON.stringify(name) }), { code: "invalid_argument" });
}

function withoutKey(): ParleyError {
	return new ParleyError(rpcTexts.noCredential, { code: "invalid_argument" });
}
