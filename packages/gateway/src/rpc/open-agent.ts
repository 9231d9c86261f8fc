import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
	type Clock,
	chanceOf,
	type Ids,
	type Logger,
	noFailpoints,
	openSqliteStore,
	ParleyError,
	type Redactor,
	type Store,
} from "@parley/base";
import {
	builtInInstructions,
	builtinTools,
	createSandboxes,
	freshSchema,
	type Model,
	migrations,
	type Profile,
	type Profiles,
	Runtime,
	type RuntimeOptions,
	SecretBox,
	shortTools,
	type Tables,
} from "@parley/core";
import type { Config } from "../config/load.ts";
import { databaseIn, prepareDataDirectory } from "../data-directory.ts";
import { type DataLock, lockDataDirectory, sessionWords } from "../data-lock.ts";
import { type Models, openModels } from "../models/open-models.ts";
import { openProbeListeners } from "../probe-listeners.ts";
import { loadOrCreateSecretKey } from "../secret-key.ts";
import { Agent, type AgentSettings } from "../zot/agent.ts";
import { checkOwnPlace, findKept, settleModel, takeUp, workingDirectory } from "./kept-session.ts";
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
	/** Answers instead of the configured provider. */
	readonly model?: Model;
}

/** The core in this process, with one session. */
export interface OpenAgent {
	readonly agent: Agent;
	/** Loads what the first model call would have to wait for. */
	readonly preload: () => Promise<void>;
	close(): Promise<void>;
}

/** Where a session is kept, and the lock that goes with it; nowhere on disk unless somebody named a place. */
interface Home {
	readonly file: string;
	readonly directory: string;
	readonly key: Buffer;
	readonly lock: DataLock | undefined;
}

/** Rejects with what whoever starts the process can mend. */
export async function openAgent(options: OpenAgentOptions): Promise<OpenAgent> {
	const { flags, config, clock, log, currentDirectory } = options;
	const cwd = readCwd(flags.cwd, currentDirectory);
	if (config.providerReason === "no key" && !options.model) throw withoutKey();
	if (config.provider === "offline" && !options.model) checkOfflineModel(flags.model);
	const models = await openModels({ config, clock, log, model: options.model });
	await using undo = new AsyncDisposableStack();
	const home = await openHome(flags.session, options);
	undo.defer(() => home.lock?.release());
	const store = undo.adopt(
		await openSqliteStore<Tables>({ file: home.file, migrations, fresh: freshSchema, clock }),
		(opened) => opened.close(),
	);
	const kept = await findKept(store);
	const settings: AgentSettings = {
		provider: models.model.provider,
		cwd: kept ? workingDirectory(kept, flags.cwd ? cwd : undefined) : cwd,
		...{ acceptsAll: flags.rpcApprovals !== true },
		reasoning: config.reasoning,
	};
	const runtime = new Runtime(await runtimeOptions(options, { models, store, home, settings }));
	undo.defer(() => runtime.drain(0));
	if (kept) await takeUp(runtime, kept);
	await runtime.start();
	const agent = await Agent.open({
		...{ runtime, settings, now: () => clock.monotonic(), sessionId: kept?.id },
	});
	if (flags.session !== undefined) {
		await settleModel(agent, { ...{ models, log, kept }, wanted: flags.model ? runtime.model : undefined });
	}
	const opened = undo.move();
	return {
		agent,
		preload: models.preload,
		async close() {
			await agent.close();
			await opened.disposeAsync();
			if (flags.session === undefined) await rm(home.directory, { recursive: true, force: true });
		},
	};
}

async function openHome(
	session: string | undefined,
	{ config, ids, currentDirectory }: OpenAgentOptions,
): Promise<Home> {
	if (session === undefined) {
		// Made only where something has to be put there.
		const directory = join(await realpath(tmpdir()), ids.create("parley-rpc"));
		return { file: ":memory:", directory, key: randomBytes(32), lock: undefined };
	}
	const directory = resolve(currentDirectory, session);
	checkOwnPlace(directory, config.data);
	await prepareDataDirectory(directory, "--session");
	const lock = lockDataDirectory(directory, sessionWords);
	const key = await loadOrCreateSecretKey(directory);
	return { file: databaseIn(directory), directory: await realpath(directory), key, lock };
}

interface Parts {
	readonly models: Models;
	readonly store: Store<Tables>;
	readonly home: Home;
	readonly settings: AgentSettings;
}

async function runtimeOptions(options: OpenAgentOptions, parts: Parts): Promise<RuntimeOptions> {
	const { flags, config, clock, ids, log, redactor } = options;
	const { models, store, home, settings } = parts;
	const { model, modelName, table, fallback, anyModel, modelAt } = models;
	const tools = shortTools();
	const used = readTools(
		flags.tools,
		tools.map(({ name }) => name),
	);
	const forbidden = [config.data, home.directory].map((path) =>
		existsSync(path) ? realpathSync(path) : path,
	);
	const steering = [config.modelsFile, config.policyFile].filter((path) => path !== undefined);
	return {
		...{ store, clock, ids, log, redactor, model, table, fallback, anyModel, modelAt },
		...(modelName !== undefined && { modelName }),
		failpoints: noFailpoints,
		secrets: new SecretBox(home.key),
		profiles: profileOf(flags, settings, used),
		tools,
		sandbox: createSandboxes({
			...{ mode: config.sandbox ?? "preferred", environment: process.env, clock, ids, log },
			...{
				hidden: forbidden.filter((path) => existsSync(path)),
				steering,
				listen: (file: string) => openProbeListeners(ids, file),
			},
		}),
		roots: { given: [], current: await realpath(settings.cwd), dataDir: home.directory },
		forbidden,
		policy: {
			file: config.policyFile ?? join(config.data, "policy.jsonc"),
			// The operator's rules are written for a gateway, which has more tools.
			others: [...builtinTools(), { name: "web_fetch" }],
		},
		random: () => chanceOf(ids),
		titles: false,
		...(config.budgets && { budgets: config.budgets }),
		limits: { modelCalls: readMaxSteps(flags.maxSteps) },
	};
}

/** The one agent of the process; how much it thinks can change between two prompts. */
function profileOf(flags: RpcFlags, settings: AgentSettings, tools: readonly string[]): Profiles {
	const { systemPrompt, appendSystemPrompt = [] } = flags;
	const instructions = [systemPrompt ?? builtInInstructions, ...appendSystemPrompt]
		.filter((part) => part !== "")
		.join("\n\n");
	const profile = (): Profile => ({
		...{ name: "default", title: "Parley", sampling: {}, tools, instructions },
		...(settings.reasoning && { reasoning: settings.reasoning }),
	});
	return {
		find: async () => profile(),
		list: async () => ({ profiles: [profile()], problems: [] }),
	};
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
