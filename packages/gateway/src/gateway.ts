import { readFile, realpath } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import {
	type Clock,
	chanceOf,
	type Failpoints,
	type Ids,
	type Logger,
	noFailpoints,
	openSqliteStore,
	type Redactor,
	type Timer,
} from "@parley/base";
import {
	builtinTools,
	createUnsandboxed,
	createWebFetch,
	type Model,
	migrations,
	openProfiles,
	operator,
	Runtime,
	type RuntimeOptions,
	type Sandbox,
	SecretBox,
	type Tables,
} from "@parley/core";
import { createAuthenticate } from "./auth/authenticate.ts";
import { FailedAuthLimiter } from "./auth/limiter.ts";
import { createLocalPeers } from "./auth/local-peer.ts";
import { loadOrCreateOperatorToken } from "./auth/operator-token.ts";
import { tokenRecord } from "./auth/tokens.ts";
import type { Config } from "./config/load.ts";
import type { ProviderReason } from "./config/provider.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { lockDataDirectory } from "./data-lock.ts";
import { createHttpServer } from "./http/server.ts";
import { type Models, openModels } from "./models/open-models.ts";
import { OzzieServer } from "./ozzie/server.ts";
import { openPort } from "./port.ts";
import { removeRuntimeFile, writeRuntimeFile } from "./runtime-file.ts";
import { loadOrCreateSecretKey } from "./secret-key.ts";
import { Admission } from "./transport/admission.ts";

/** Longer than clients may take to answer a good-bye. */
const goodByeMs = 5_000;

/** Servers that want any key at all get words like `ollama`, which are no secrets and must not be blanked. */
const shortestSecret = 16;

export interface GatewayOptions {
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/** Learns the gateway's own secrets, so that `log` never shows them. */
	readonly redactor: Redactor;
	readonly version: string;
	/** What tools may touch where the configuration names no root. */
	readonly currentDirectory: string;
	/** Places where a test stops the process. */
	readonly failpoints?: Failpoints;
	/** Answers instead of the configured provider. */
	readonly model?: Model;
}

/** A running gateway. */
export interface Gateway {
	/** One per listener, in the order of the configuration, with the real ports. */
	readonly urls: readonly string[];
	readonly provider: string;
	/** The real name of the model that answers where nobody chose another. */
	readonly model: string;
	/** Host and port of the server that is asked, where it is not the provider's own. */
	readonly serverHost: string | undefined;
	readonly providerReason: ProviderReason;
	readonly dataDirectory: string;
	/** Sessions that went on with unfinished work. */
	readonly resumed: number;
	/** Takes no more work, gives runs `graceMs`, says good-bye to clients and closes everything. */
	stop(graceMs: number): Promise<void>;
}

/**
 * Starts everything in order, and undoes it in reverse where a later part fails. Rejects with a `ParleyError` that an
 * operator can act on: the data directory is in use, a port is taken, a file is readable by others.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
	const { config, clock, ids, log } = options;
	if (isSecret(config.apiKey)) options.redactor.add(config.apiKey);
	await using undo = new AsyncDisposableStack();
	await prepareDataDirectory(config.data);
	const lock = undo.adopt(lockDataDirectory(config.data), (held) => held.release());
	const failpoints = options.failpoints ?? noFailpoints;
	const store = undo.adopt(
		await openSqliteStore<Tables>({ file: join(config.data, "parley.sqlite"), migrations, failpoints }),
		(opened) => opened.close(),
	);
	const sandbox = createUnsandboxed({ environment: process.env, clock, ids });
	const models = await openModels(options);
	const runtime = new Runtime({
		...{ store, failpoints, sandbox },
		secrets: new SecretBox(await loadOrCreateSecretKey(config.data)),
		...(await surroundings(options)),
		...answering(options, models),
	});
	undo.defer(() => runtime.drain(0));
	const resumed = await runtime.start();
	let draining = false;
	const admission = new Admission();
	const ozzie = new OzzieServer({ runtime, clock, log, anyModel: models.anyModel });
	const http = createHttpServer({
		api: { runtime, healthy: () => !draining },
		rules: { allowedHosts: config.allowedHosts },
		authenticate: await authentication(options, sandbox),
		log,
		settled: (socket) => {
			if (socket instanceof Socket) admission.settled(socket);
		},
		onWebSocket: (request, socket, head, principal) => ozzie.accept(request, socket, head, principal),
	});
	undo.defer(() => ozzie.close());
	const port = undo.adopt(await openPort(config.listen, { clock, log, admission, http }), (opened) =>
		opened.close(0),
	);
	const facts = { urls: port.urls, provider: models.model.provider, model: runtime.model };
	await writeRuntimeFile(config.data, {
		...{ ...facts, urls: [...port.urls], pid: process.pid, version: options.version },
		startedAt: new Date(clock.now()).toISOString(),
	});
	undo.move();
	const preloading = preloadSoon(models, options);
	const { serverHost, providerReason } = models;
	return {
		...{ ...facts, serverHost, providerReason, dataDirectory: config.data, resumed },
		async stop(graceMs) {
			draining = true;
			preloading.cancel();
			await runtime.drain(graceMs);
			// Nobody comes in any more from here on; who is here gets a good-bye before the sockets are cut.
			const closed = port.close(goodByeMs);
			await ozzie.close();
			http.closeAllConnections();
			await Promise.all([closed, port.close(0)]);
			await removeRuntimeFile(config.data);
			await store.close();
			lock.release();
		},
	};
}

function isSecret(apiKey: string | undefined): apiKey is string {
	return apiKey !== undefined && apiKey.length >= shortestSecret;
}

/** Who answers, with which tools and within which budgets. */
function answering(
	{ config, clock, ids, log, redactor }: GatewayOptions,
	{ model, modelName, table, fallback, anyModel, modelAt, checkModel }: Models,
): Omit<RuntimeOptions, "store" | "failpoints" | "sandbox" | "secrets" | "roots"> {
	const tools = [...builtinTools(), createWebFetch({ clock, ids })];
	const names = tools.map((tool) => tool.name);
	return {
		...{ clock, ids, log, redactor, model, table, fallback, anyModel, modelAt, tools },
		profiles: openProfiles(join(config.data, "agents"), names, checkModel),
		random: () => chanceOf(ids),
		...(modelName !== undefined && { modelName }),
		...(config.reasoning && { reasoning: config.reasoning }),
		...(config.budgets && { budgets: config.budgets }),
		...(config.maxModelCalls !== undefined && { limits: { modelCalls: config.maxModelCalls } }),
	};
}

/** Once everybody has been told that the gateway listens: loading keeps the process busy for a moment. */
function preloadSoon({ preload }: Models, { clock, log }: GatewayOptions): Timer {
	return clock.after(0, () => {
		preload().catch((error: unknown) => log.warn("the provider's library could not be loaded", { error }));
	});
}

/** What the operator said about directories and the prompt, with real paths. */
async function surroundings({ config, currentDirectory }: GatewayOptions): Promise<{
	readonly roots: { readonly given: string[]; readonly current: string; readonly dataDir: string };
	readonly systemTemplate?: string;
}> {
	const roots = {
		given: await Promise.all(config.root.map((root) => realpath(root))),
		current: await realpath(currentDirectory),
		dataDir: await realpath(config.data),
	};
	if (config.systemPromptFile === undefined) return { roots };
	return { roots, systemTemplate: await readFile(config.systemPromptFile, "utf8") };
}

async function authentication(
	{ config, clock, ids, log, redactor }: GatewayOptions,
	sandbox: Sandbox,
): Promise<ReturnType<typeof createAuthenticate>> {
	const token = await loadOrCreateOperatorToken(config.data, ids);
	redactor.add(token);
	const record = tokenRecord(token, operator);
	return createAuthenticate({
		mode: config.auth,
		// Listeners beyond loopback, public URLs and trusted proxies cannot be configured.
		trustLocal: true,
		tokens: record ? [record] : [],
		localPeers: createLocalPeers({ log, processes: () => sandbox.processes(), marker: () => sandbox.marker }),
		limiter: new FailedAuthLimiter(clock),
	});
}
