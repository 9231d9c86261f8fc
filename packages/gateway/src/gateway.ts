import { readFile, realpath } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import {
	type Clock,
	type Failpoints,
	type Ids,
	type Logger,
	noFailpoints,
	openSqliteStore,
	type Redactor,
} from "@parley/base";
import {
	builtinTools,
	createOfflineModel,
	createUnsandboxed,
	type Model,
	migrations,
	operator,
	Runtime,
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
import { prepareDataDirectory } from "./data-directory.ts";
import { lockDataDirectory } from "./data-lock.ts";
import { createHttpServer } from "./http/server.ts";
import { OzzieServer } from "./ozzie/server.ts";
import { openPort } from "./port.ts";
import { removeRuntimeFile, writeRuntimeFile } from "./runtime-file.ts";
import { loadOrCreateSecretKey } from "./secret-key.ts";
import { Admission } from "./transport/admission.ts";

/** Longer than clients may take to answer a good-bye. */
const goodByeMs = 5_000;

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
	readonly model: string;
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
	await using undo = new AsyncDisposableStack();
	await prepareDataDirectory(config.data);
	const lock = undo.adopt(lockDataDirectory(config.data), (held) => held.release());
	const failpoints = options.failpoints ?? noFailpoints;
	const store = undo.adopt(
		await openSqliteStore<Tables>({ file: join(config.data, "parley.sqlite"), migrations, failpoints }),
		(opened) => opened.close(),
	);
	const sandbox = createUnsandboxed({ environment: process.env, clock, ids });
	const model = options.model ?? createOfflineModel({ clock });
	const runtime = new Runtime({
		...{ store, clock, ids, log, failpoints, model, sandbox },
		redact: (text) => options.redactor.redact(text),
		tools: builtinTools(),
		secrets: new SecretBox(await loadOrCreateSecretKey(config.data)),
		...(await surroundings(options)),
		...(config.model !== undefined && { modelName: config.model }),
	});
	undo.defer(() => runtime.drain(0));
	const resumed = await runtime.start();
	let draining = false;
	const admission = new Admission();
	const ozzie = new OzzieServer({ runtime, clock, log });
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
	const startedAt = new Date(clock.now()).toISOString();
	await writeRuntimeFile(config.data, {
		pid: process.pid,
		urls: [...port.urls],
		startedAt,
		version: options.version,
	});
	undo.move();
	return {
		urls: port.urls,
		provider: model.provider,
		model: runtime.model,
		dataDirectory: config.data,
		resumed,
		async stop(graceMs) {
			draining = true;
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
