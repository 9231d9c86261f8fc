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
	/** Base directory of relative paths in flags. */
	readonly currentDirectory: string;
	/**
	 * Options for the stored result of the sandbox check. If they are absent, each process checks the sandbox again.
	 */
	readonly sandboxCheck?: {
		/** Directory for the result if there is no data directory. A missing directory is created with mode 0700. */
		readonly cache: string;
		readonly version: string;
	};
	/** Model that replaces the configured provider. */
	readonly model?: Model;
}

/** Result of the checks that do not need the core. Loading the core takes longer than the checks together. */
export interface CheckedStart {
	readonly cwd: string;
	readonly models: Models;
	readonly tools: readonly string[];
	readonly maxSteps: number;
	/** The system's directory for temporary files. Without `--session`, it is a real path. */
	readonly temporary: string;
}

/** Checks the start of the agent. Rejects with an error that the caller of the process can fix. */
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
		// Only models in the server's list, or with the prefix of another provider, can be chosen.
		models: served ? { ...models, table: served, anyModel: false } : models,
		tools: readTools(flags.tools, shortToolNames),
		maxSteps: readMaxSteps(flags.maxSteps),
		temporary: flags.session === undefined ? realTemporary(tmpdir()) : tmpdir(),
	};
}

function realTemporary(path: string): string {
	try {
		// Unlike Node's own implementation, the system's `realpath` refuses a file with a slash at its end.
		return realpathSync.native(join(path, "/"));
	} catch (cause) {
		throw new ParleyError(rpcTexts.noTemporaryDirectory({ path, reason: errno(cause) }), {
			code: "invalid_argument",
			cause,
		});
	}
}

/** Returns the path of the file with the operator's rules, which might not exist. */
export function policyIn({ policyFile, data }: Config): string {
	return policyFile ?? join(data, "policy.jsonc");
}

/** Throws if the offline provider does not have the model. A gateway only logs a warning about such a model. */
function checkOfflineModel(name = ""): void {
	if (["", "offline", "fast", "standard", "max"].includes(name)) return;
	throw new ParleyError(rpcTexts.offlineModel({ model: JSON.stringify(name) }), { code: "invalid_argument" });
}

function withoutKey(): ParleyError {
	return new ParleyError(rpcTexts.noCredential, { code: "invalid_argument" });
}
