import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { mkdir, realpath, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
	type Clock,
	chanceOf,
	defined,
	definedItems,
	type Logger,
	noFailpoints,
	openSqliteStore,
	ParleyError,
	type Store,
	type Timer,
} from "@parley/base";
import {
	builtInInstructions,
	builtinTools,
	createSandboxes,
	type Egress,
	freshSchema,
	isWithin,
	type ModelInfo,
	type ModelTable,
	migrations,
	operator,
	type Profile,
	type Profiles,
	Runtime,
	type RuntimeOptions,
	type Sandboxes,
	type SandboxesOptions,
	SecretBox,
	shortTools,
	type Tables,
	unknownModel,
} from "@parley/core";
import type { Config } from "../config/load.ts";
import { openMcp } from "../config/open-mcp.ts";
import { databaseIn, prepareDataDirectory, warnOfLostDatabase } from "../data-directory/data-directory.ts";
import { type DataLock, lockDataDirectory, sessionWords } from "../data-directory/data-lock.ts";
import { openSecretKey } from "../data-directory/stored-secrets.ts";
import type { Models } from "../models/open-models.ts";
import { auditEgress, openEgress } from "../open-egress.ts";
import { VERDICT_FILE } from "../sandbox/open-sandboxes.ts";
import { openProbeListeners } from "../sandbox/probe-listeners.ts";
import { rpcTexts } from "../texts/rpc.ts";
import { Agent, type AgentSettings } from "../wires/zot/agent.ts";
import { shortenText } from "../wires/zot/codec.ts";
import { type CheckedStart, checkStart, type OpenAgentOptions, policyIn } from "./check-start.ts";
import {
	checkOwnPlace,
	decideModel,
	findRestorable,
	prepareSession,
	settleModel,
	workingDirectory,
} from "./restored-session.ts";
import type { RpcFlags } from "./rpc-flags.ts";

/**
 * Milliseconds between the start of the first reply and the sandbox check. Usually, the first words are shown before
 * the check begins.
 */
const CHECK_AFTER_MS = 100;

/** The core in this process, with one session. */
export interface OpenAgent {
	readonly agent: Agent;
	close(): Promise<void>;
}

/**
 * Database file and session directory of the agent. Without `--session`, the database is in memory, and there is no
 * lock.
 */
interface Home {
	readonly file: string;
	readonly directory: string;
	readonly lock: DataLock | undefined;
}

/**
 * Opens the agent. Rejects with an error that the caller of the process can fix. `checked` is the result of `checkStart`
 * for the same options.
 */
export async function openAgent(options: OpenAgentOptions, checked?: CheckedStart): Promise<OpenAgent> {
	const { flags, config, clock, log } = options;
	const checkedStart = checked ?? (await checkStart(options));
	const { cwd } = checkedStart;
	await using undo = new AsyncDisposableStack();
	const home = await openHome(checkedStart, options);
	undo.defer(() => home.lock?.release());
	const store = undo.adopt(
		await openSqliteStore<Tables>({ file: home.file, migrations, fresh: freshSchema, clock }),
		(opened) => opened.close(),
	);
	const restored = flags.session === undefined ? undefined : await findRestorable(store);
	const models = decideModel(checkedStart.models, restored);
	const start = { ...checkedStart, models };
	const settings: AgentSettings = {
		provider: models.model.provider,
		cwd: restored ? workingDirectory(restored, flags.cwd ? cwd : undefined) : cwd,
		acceptsAll: flags.rpcApprovals !== true,
		findModel: (name) => factsAbout(name, models),
		...defined({ checkModel: models.askServed && checkServed(models.askServed, models, log) }),
		reasoning: config.reasoning,
	};
	// Commands of the agent reach no hosts. Each MCP server reaches the hosts that the operator has granted to this
	// server.
	const egress = openEgress({ config: { ...config, egress: [] }, clock, log });
	const given = await runtimeOptions(options, { start, store, home, settings, egress });
	const { sandbox } = given;
	const runtime = new Runtime(given);
	auditEgress(egress, runtime.trust.audit);
	undo.defer(() => runtime.drain(0));
	undo.defer(checkBeside(runtime, sandbox, clock));
	if (restored) await prepareSession(runtime, restored);
	await runtime.start();
	const agent = await Agent.open({
		runtime,
		settings,
		now: () => clock.monotonic(),
		sessionId: restored?.id,
	});
	if (flags.session !== undefined) {
		const requested = flags.model ? runtime.model : undefined;
		await settleModel(agent, { models, log, restored, requested });
	}
	const opened = undo.move();
	return {
		agent,
		async close() {
			await agent.close();
			await opened.disposeAsync();
			if (flags.session === undefined) await rm(home.directory, { recursive: true, force: true });
		},
	};
}

function factsAbout(name: string, { table, model }: Models): ModelInfo {
	const { provider } = model.routeOf?.(name) ?? model;
	return table.find(name, model.provider) ?? unknownModel(name, provider);
}

/**
 * Checks the sandbox after the start of the first reply, so that the check delays neither the request nor the
 * first words. The returned function waits for a running check, so that the check leaves no files.
 */
function checkBeside(runtime: Runtime, sandbox: Sandboxes, clock: Clock): () => Promise<void> {
	let timer: Timer | undefined;
	const stop = runtime.observe(operator, ({ event }) => {
		if (event.type !== "response.started" || timer) return;
		timer = clock.after(CHECK_AFTER_MS, () => {
			stop();
			if (sandbox.state.state === "wanted") void sandbox.check();
		});
	});
	return async () => {
		stop();
		timer?.cancel();
		if (sandbox.state.state === "checking") await sandbox.check();
	};
}

async function openHome(
	{ temporary, cwd }: CheckedStart,
	{ flags: { session }, config, ids, log, currentDirectory }: OpenAgentOptions,
): Promise<Home> {
	if (session === undefined) {
		const directory = join(temporary, ids.create("parley-rpc"));
		// If the directory is below the working directory, it is created at once. The sandbox hides only existing
		// directories, and commands must not see or replace this directory.
		if (isWithin(directory, cwd)) await mkdir(directory, { mode: 0o700 });
		return { file: ":memory:", directory, lock: undefined };
	}
	const directory = resolve(currentDirectory, session);
	checkOwnPlace(directory, config.data);
	await prepareDataDirectory(directory, "--session");
	const lock = lockDataDirectory(directory, sessionWords);
	warnOfLostDatabase(directory, log);
	return { file: databaseIn(directory), directory: await realpath(directory), lock };
}

async function keyOf({ directory, lock }: Home, parts: Parameters<typeof openSecretKey>[1]): Promise<Buffer> {
	// A session in memory needs no key that outlives the process.
	return lock === undefined ? randomBytes(32) : openSecretKey(directory, parts);
}

interface Parts {
	readonly start: CheckedStart;
	readonly store: Store<Tables>;
	readonly home: Home;
	readonly settings: AgentSettings;
	readonly egress: Egress;
}

async function runtimeOptions(options: OpenAgentOptions, parts: Parts): Promise<RuntimeOptions> {
	const { flags, config, clock, ids, log, redactor } = options;
	const { start, store, home, settings, egress } = parts;
	const { model, modelName, table, fallback, anyModel, modelAt } = start.models;
	const cache = cacheOf(options);
	const forbidden = definedItems([config.data, home.directory, cache]).map((path) =>
		existsSync(path) ? realpathSync(path) : path,
	);
	const mcp = openMcp({ ...options, version: options.sandboxCheck?.version ?? "" });
	const tools = flags.tools === undefined ? await withServers(start.tools, mcp) : start.tools;
	const steering = [config.modelsFile, config.policyFile].filter((path) => path !== undefined);
	return {
		store,
		clock,
		ids,
		log,
		redactor,
		model,
		table,
		fallback,
		anyModel,
		modelAt,
		...defined({
			modelName,
			commandsNote: hasNoNetwork(config, start.tools) ? rpcTexts.bashWithoutNetwork : undefined,
		}),
		failpoints: noFailpoints,
		secrets: new SecretBox(await keyOf(home, { store, log })),
		profiles: profileOf(flags, settings, tools),
		tools: shortTools(),
		mcp,
		sandbox: createSandboxes({
			mode: config.sandbox ?? "preferred",
			environment: process.env,
			clock,
			ids,
			log,
			hidden: forbidden.filter((path) => existsSync(path)),
			egress,
			steering,
			unixSockets: config.commandUnixSockets ?? false,
			listen: (file: string) => openProbeListeners(ids, file),
			...defined({ verdict: verdictOf(options, cache) }),
		}),
		roots: { given: [], current: await realpath(settings.cwd), dataDir: home.directory },
		forbidden,
		policy: {
			file: policyIn(config),
			// The operator's rules are written for a gateway, so they may name tools that only a gateway has.
			others: [...builtinTools(), { name: "web_fetch" }, { name: "web_search" }],
		},
		random: () => chanceOf(ids),
		titles: false,
		...defined({ budgets: config.budgets }),
		limits: { modelCalls: start.maxSteps },
	};
}

/**
 * Returns the directory for the result of the sandbox check if there is no data directory. Returns undefined if the
 * directory is not needed or cannot be created.
 */
function cacheOf({ sandboxCheck, config, log }: OpenAgentOptions): string | undefined {
	if (!sandboxCheck || existsSync(config.data)) return undefined;
	try {
		mkdirSync(sandboxCheck.cache, { recursive: true, mode: 0o700 });
		return realpathSync(sandboxCheck.cache);
	} catch (error) {
		log.info("the directory for the result of the sandbox check cannot be created", { error });
		return undefined;
	}
}

function verdictOf(
	{ sandboxCheck, config }: OpenAgentOptions,
	cache: string | undefined,
): SandboxesOptions["verdict"] {
	if (!sandboxCheck) return undefined;
	const directory = cache ?? (existsSync(config.data) ? realpathSync(config.data) : undefined);
	if (directory === undefined) return undefined;
	return { file: join(directory, VERDICT_FILE), build: sandboxCheck.version };
}

function hasNoNetwork({ sandbox }: Config, tools: readonly string[]): boolean {
	return tools.includes("bash") && sandbox !== "off";
}

/** Returns the tools and, for each MCP server that is set up now, the pattern `SERVER__*`. */
async function withServers(
	tools: readonly string[],
	{ source }: NonNullable<RuntimeOptions["mcp"]>,
): Promise<readonly string[]> {
	const { servers, trusted } = await source.current("default");
	return [...tools, ...[...servers, ...trusted].map(({ name }) => `${name}__*`)];
}

function profileOf(flags: RpcFlags, settings: AgentSettings, tools: readonly string[]): Profiles {
	const { systemPrompt, appendSystemPrompt = [] } = flags;
	const instructions = [systemPrompt ?? builtInInstructions({ questions: false }), ...appendSystemPrompt]
		.filter((part) => part !== "")
		.join("\n\n");
	// The reasoning effort of the only agent can change between two prompts.
	const profile = (): Profile => ({
		name: "default",
		title: "Parley",
		sampling: {},
		tools,
		instructions,
		...defined({ reasoning: settings.reasoning }),
	});
	return {
		find: async () => profile(),
		list: async () => ({ profiles: [profile()], problems: [] }),
	};
}

/** Maximum number of names in an error. */
const maxListed = 10;

/**
 * Returns a function that rejects for a model that the server does not list. If the server sends no list, all names
 * are accepted. Names with the prefix of another provider are always accepted.
 */
function checkServed(
	askServed: () => Promise<ModelTable>,
	{ model: { provider }, modelName, table: known, serverHost }: Models,
	log: Logger,
): (name: string) => Promise<void> {
	let pending: Promise<ModelTable> | undefined;
	return async (name) => {
		if (known.admits(name)) return;
		pending ??= askServed();
		const table = await pending.catch((error: unknown) => {
			// The next check requests the list again.
			pending = undefined;
			log.info("the server does not list its models: any name is accepted", { error });
			return undefined;
		});
		const real = known.find(name, provider)?.id ?? name;
		if (table === undefined || name === "default" || real === modelName || table.find(real, provider)) return;
		const near = table.near(name, provider);
		const names = table.list(provider).map(({ id }) => id);
		const listed = `${names.slice(0, maxListed).join(", ")}${names.length > maxListed ? ", …" : ""}`;
		throw new ParleyError(
			rpcTexts.noModel({
				model: JSON.stringify(shortenText(name, 200)),
				near,
				host: serverHost ?? "",
				listed,
			}),
			{
				code: "invalid_argument",
			},
		);
	};
}
