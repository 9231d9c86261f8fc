import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import {
	type Clock,
	chanceOf,
	defined,
	type Failpoints,
	type HealthWatch,
	type Ids,
	type Logger,
	openSqliteStore,
	type Redactor,
	type Store,
} from "@parley/base";
import {
	builtinTools,
	createSearchProvider,
	createWebFetch,
	createWebSearch,
	freshSchema,
	migrations,
	openProfiles,
	Runtime,
	type RuntimeOptions,
	type Sandboxes,
	type SearchSettings,
	SecretBox,
	type Tables,
	type Tool,
} from "@parley/core";
import { openOperatorToken } from "./auth/operator-token.ts";
import type { Config } from "./config/load.ts";
import { openMcp } from "./config/open-mcp.ts";
import { databaseIn } from "./data-directory/data-directory.ts";
import { policyWriter } from "./data-directory/policy-writer.ts";
import { openSecretKey } from "./data-directory/stored-secrets.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Models } from "./models/open-models.ts";
import { projectReader } from "./settings/projects.ts";

interface StoreParts {
	readonly config: Config;
	readonly clock: Clock;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	readonly watch: Metrics["transaction"];
}

/** Opens the database of the data directory and migrates it. */
export function openStore({ config, clock, log, failpoints, watch }: StoreParts): Promise<Store<Tables>> {
	return openSqliteStore<Tables>({
		file: databaseIn(config.data),
		migrations,
		fresh: freshSchema,
		failpoints,
		clock,
		watch,
		onHealth: logHealth(log),
	});
}

function logHealth(log: Logger): HealthWatch {
	return ({ state }, error) => {
		if (state === "ok") log.info("the store commits again; interrupted work continues");
		else if (state === "full") {
			log.error(
				"the disk is full: the gateway stores nothing until there is space; confirmed changes are stored",
				{
					error,
				},
			);
		} else log.error("the store cannot commit: check the disk; confirmed changes are stored", { error });
	};
}

export interface RuntimeSettings {
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly redactor: Redactor;
	/** Version of Parley. */
	readonly version: string;
	/** Directory that tools may access if the configuration has no root. */
	readonly currentDirectory: string;
	/** Environment variables that MCP settings can refer to by name. Default: the variables of the process. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
}

interface RuntimeParts {
	readonly store: Store<Tables>;
	readonly failpoints: Failpoints;
	readonly sandbox: Sandboxes;
	readonly models: Models;
}

/** Creates the agent runtime of the gateway. The caller starts it. */
export async function createRuntime(
	options: RuntimeSettings,
	{ store, failpoints, sandbox, models }: RuntimeParts,
): Promise<Runtime> {
	const { config, log } = options;
	const runtime: Runtime = new Runtime({
		store,
		failpoints,
		sandbox,
		operatorToken: await openOperatorToken(config.data, options),
		secrets: new SecretBox(await openSecretKey(config.data, { store, log })),
		...(await surroundings(options, () => runtime.trust.audit)),
		mcp: openMcp({ ...options, audit: () => runtime.trust.audit }),
		...runOptions(options, models),
	});
	return runtime;
}

interface ToolSettings {
	readonly config: { readonly search?: SearchSettings };
	readonly clock: Clock;
	readonly ids: Ids;
}

export function toolsOf({ config: { search }, clock, ids }: ToolSettings): Tool[] {
	const tools = [...builtinTools(), createWebFetch({ clock, ids })];
	if (!search) return tools;
	return [...tools, createWebSearch({ provider: createSearchProvider(search, clock), ids })];
}

function runOptions(
	{ config, clock, ids, log, redactor }: RuntimeSettings,
	{ model, modelName, table, fallback, anyModel, modelAt, checkModel, adviceAbout }: Models,
): Omit<RuntimeOptions, "store" | "failpoints" | "sandbox" | "secrets" | "roots"> {
	const tools = toolsOf({ config, clock, ids });
	const names = tools.map((tool) => tool.name);
	const agents = join(config.data, "agents");
	const policyFile = config.policyFile ?? join(config.data, "policy.jsonc");
	return {
		clock,
		ids,
		log,
		redactor,
		model,
		table,
		fallback,
		anyModel,
		adviceAbout,
		modelAt,
		tools,
		profiles: openProfiles(agents, names, checkModel),
		policy: {
			file: policyFile,
			agents,
			change: policyWriter({ path: policyFile, clock }),
			// Rules about `web_search` are valid even without a search engine.
			others: [{ name: "web_search" }],
		},
		random: () => chanceOf(ids),
		...defined({ modelName, reasoning: config.reasoning, budgets: config.budgets }),
		titles: config.titles ?? true,
		...defined({
			tasks: config.tasks,
			files: config.files,
			chat: config.chat,
			limits: config.maxModelCalls === undefined ? undefined : { modelCalls: config.maxModelCalls },
		}),
	};
}

/** Returns the real paths of the runtime's directories, and the content of the file with the system prompt. */
async function surroundings(
	{ config, currentDirectory, log }: RuntimeSettings,
	audit: () => Runtime["trust"]["audit"],
): Promise<{ readonly roots: RuntimeOptions["roots"]; readonly systemTemplate?: string }> {
	const roots = {
		given: await Promise.all(config.root.map((root) => realpath(root))),
		current: await realpath(currentDirectory),
		dataDir: await realpath(config.data),
		projects: projectReader({ data: config.data, log, audit }),
	};
	if (config.systemPromptFile === undefined) return { roots };
	return { roots, systemTemplate: await readFile(config.systemPromptFile, "utf8") };
}
