import type { Server } from "node:http";
import { Socket } from "node:net";
import {
	type Clock,
	type Failpoints,
	type Ids,
	type Logger,
	noFailpoints,
	type Redactor,
	type Store,
} from "@parley/base";
import { type Model, type Runtime, type Sandboxes, serverOf, type Tables } from "@parley/core";
import { auditStart } from "./audit-start.ts";
import { OpenConnections } from "./auth/open-connections.ts";
import { finishRestore } from "./backup/place-restored.ts";
import type { Config } from "./config/load.ts";
import { type ProviderReason, secretKeys } from "./config/provider.ts";
import type { Reach } from "./config/reach-facts.ts";
import { databaseIn, prepareDataDirectory, warnOfLostDatabase } from "./data-directory/data-directory.ts";
import { lockDataDirectory } from "./data-directory/data-lock.ts";
import { removeRuntimeFile } from "./data-directory/runtime-file.ts";
import { announce, type Entrance, openEntrance } from "./entrance.ts";
import { GrpcEntrance } from "./grpc/grpc-entrance.ts";
import { LlamaServer } from "./llama/llama-server.ts";
import { Metrics } from "./metrics/metrics.ts";
import { type Models, openModels } from "./models/open-models.ts";
import { auditEgress, openEgress } from "./open-egress.ts";
import { createRuntime, openStore, toolsOf } from "./open-runtime.ts";
import { openPort, type Port } from "./port.ts";
import { openSandboxes } from "./sandbox/open-sandboxes.ts";
import { openSecretPages } from "./secret-page/open-secret-pages.ts";
import { EventStreams } from "./wires/http/methods/events.ts";
import { createHealth, type Health, type HealthState } from "./wires/http/methods/health.ts";
import { createHttpServer } from "./wires/http/server.ts";
import { McpEndpoint } from "./wires/mcp/server.ts";
import { OzzieServer } from "./wires/ozzie/server.ts";

/**
 * Maximum milliseconds until open connections are closed. This is longer than the 2 s in which clients must answer
 * the close frame with code 1001.
 */
const closeGrpcMs = 5_000;

export interface GatewayOptions {
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/** Redactor with the gateway's own secrets, so that `log` never shows them. */
	readonly redactor: Redactor;
	readonly version: string;
	/** Directory that tools may access if the configuration has no root. */
	readonly currentDirectory: string;
	/** Environment variables that MCP settings can refer to by name. Default: the variables of the process. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	/** Points at which a test stops the process. */
	readonly failpoints?: Failpoints;
	/** Model that replaces the configured provider. */
	readonly model?: Model;
	/** Handles the request of an authorized client to stop the gateway. */
	readonly onShutdown?: () => void;
}

export interface Gateway {
	/** One address for each listener with its real port, in the order of the configuration. */
	readonly urls: readonly string[];
	readonly provider: string;
	/** Real name of the default model. */
	readonly model: string;
	/** Host and port of the model server, if it does not belong to the provider. */
	readonly serverHost: string | undefined;
	readonly providerReason: ProviderReason;
	readonly dataDirectory: string;
	/** Number of sessions that continue unfinished work. */
	readonly resumed: number;
	readonly reach: Reach;
	/**
	 * Reads the files of the certificate again. If the files are invalid, the last certificate stays in use, and the
	 * log gets a warning. Never rejects.
	 */
	renewCertificate(): Promise<void>;
	/**
	 * Refuses new work, gives runs `graceMs` milliseconds to end, closes the connections of clients, and then closes
	 * all other parts.
	 */
	stop(graceMs: number): Promise<void>;
}

/**
 * Starts all parts of a gateway in order, and stops them in reverse order if a later part fails. Rejects with a
 * `ParleyError` that an operator can act on, for example if the data directory or a port is in use.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
	const { config, clock, log } = options;
	for (const key of secretKeys(config)) options.redactor.add(key);
	await using undo = new AsyncDisposableStack();
	await prepareDataDirectory(config.data);
	const lock = undo.adopt(lockDataDirectory(config.data), (lock) => lock.release());
	await finishRestore(config.data);
	warnOfLostDatabase(config.data, log);
	const failpoints = options.failpoints ?? noFailpoints;
	const metrics = new Metrics({ clock, log, version: options.version, tools: toolsOf(options) });
	const store = undo.adopt(
		await openStore({ ...options, failpoints, watch: metrics.transaction }),
		(opened) => opened.close(),
	);
	const egress = openEgress(options);
	const sandbox = await openSandboxes(options, egress);
	const llama = await openLlama(options);
	undo.defer(() => llama?.stop());
	const models = await openModels({ ...options, llama });
	const runtime = await createRuntime(options, { store, failpoints, sandbox, models });
	undo.defer(() => runtime.drain(0));
	metrics.watch(runtime);
	auditEgress(egress, runtime.trust.audit);
	const resumed = await runtime.start();
	await auditStart({ ...options, sandbox: sandbox.state.mode }, runtime.trust.audit);
	const parts = { options, runtime, store, sandbox, metrics, models, llama };
	const wires = undo.use(await openWires(parts));
	const { port, reach } = wires;
	const { model } = runtime;
	const { provider } = serverOf(models.model, model);
	await announce(config.data, wires, {
		urls: [...port.urls],
		provider,
		model,
		pid: process.pid,
		version: options.version,
		startedAt: new Date(clock.now()).toISOString(),
	});
	undo.move();
	const checking = sandbox.state.state === "wanted" ? sandbox.check() : undefined;
	const isHome = provider === models.model.provider;
	const serverHost = isHome ? models.serverHost : undefined;
	const providerReason = isHome ? models.providerReason : "configured";
	return {
		urls: port.urls,
		provider,
		model,
		serverHost,
		providerReason,
		dataDirectory: config.data,
		resumed,
		reach,
		renewCertificate: async () => wires.tls?.reload(),
		async stop(graceMs) {
			wires.drain();
			await runtime.drain(graceMs);
			await Promise.all([wires.close(), llama?.stop()]);
			await checking;
			await removeRuntimeFile(config.data);
			await store.close();
			lock.release();
		},
	};
}

interface WireParts {
	readonly options: GatewayOptions;
	readonly runtime: Runtime;
	readonly store: Store<Tables>;
	readonly sandbox: Sandboxes;
	readonly metrics: Metrics;
	readonly models: Models;
	readonly llama: LlamaServer | undefined;
}

interface Wires extends Entrance, AsyncDisposable {
	readonly port: Port;
	/** Reports to health checks that the gateway will stop. */
	drain(): void;
	/** Ends the connections of all clients, and closes the port. */
	close(): Promise<void>;
}

async function openWires(parts: WireParts): Promise<Wires> {
	const { options, runtime, sandbox, metrics, models } = parts;
	const { config, clock, log } = options;
	await using undo = new AsyncDisposableStack();
	const entrance = await openEntrance(options, { sandbox, trust: runtime.trust });
	undo.defer(() => entrance.tls?.close());
	const openConnections = new OpenConnections(runtime.trust.tokens);
	undo.defer(() => openConnections.close());
	const state: HealthState = { draining: false, listeners: [] };
	const redactor = options.redactor.into("error");
	const secretPages = openSecretPages(options, runtime);
	const ozzie = new OzzieServer({
		runtime,
		clock,
		log,
		openConnections,
		redactor,
		secretPages: secretPages?.pages,
		anyModel: models.anyModel,
		counts: metrics.wire,
	});
	const streams = new EventStreams({ runtime, clock, log, counts: metrics.streams });
	const { ids, version } = options;
	const counts = metrics.wire;
	const forms = config.mcpForms ?? false;
	const endpoint = { runtime, clock, ids, log, version, openConnections, redactor, counts, forms };
	const mcp = new McpEndpoint(endpoint);
	const grpc = openGrpc(parts, {
		...entrance,
		openConnections,
		bind: () => new URL(port.urls[0] ?? "").host,
	});
	const health = healthOf(parts, entrance, state);
	const http = openHttp(parts, entrance, { health, openConnections, secretPages, ozzie, streams, grpc, mcp });
	const closeConnections = (): Promise<unknown> =>
		Promise.all([ozzie.close(), streams.close(), mcp.close(), grpc.close(closeGrpcMs)]);
	undo.defer(async () => void (await closeConnections()));
	const http2 = (socket: Socket): void => grpc.accept(socket);
	const port = await openPort(config.listen, { clock, log, http, http2, ...entrance });
	undo.defer(() => port.close(0));
	state.listeners = port.listeners;
	const opened = undo.move();
	return {
		...entrance,
		port,
		drain: () => {
			state.draining = true;
			grpc.drain();
		},
		async close() {
			entrance.tls?.close();
			openConnections.close();
			// This call stops accepting connections. The services end the open connections before the sockets are closed.
			const closed = port.close(closeGrpcMs);
			await closeConnections();
			http.closeAllConnections();
			await Promise.all([closed, port.close(0)]);
		},
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}

interface HttpParts {
	readonly health: Health;
	readonly openConnections: OpenConnections;
	readonly secretPages: ReturnType<typeof openSecretPages>;
	readonly ozzie: OzzieServer;
	readonly streams: EventStreams;
	readonly grpc: GrpcEntrance;
	readonly mcp: McpEndpoint;
}

function openHttp(
	{ options, runtime, store, metrics }: WireParts,
	{ admission, rules, authenticate, tickets }: Entrance,
	{ health, openConnections, secretPages, ozzie, streams, grpc, mcp }: HttpParts,
): Server {
	const { config, clock, log } = options;
	return createHttpServer({
		streams,
		api: { runtime, health, redactor: options.redactor.into("error") },
		rules,
		authenticate,
		tickets,
		openConnections,
		clock,
		log,
		metrics: metrics.exposition({
			runtime,
			store,
			file: databaseIn(config.data),
			unauthenticated: () => admission.unauthenticated,
			wires: () => [ozzie, streams, mcp, grpc],
		}),
		uploads: metrics.uploads,
		secretPages,
		mcp,
		refused: (status) => metrics.wire.refused(status),
		settled: (socket) => {
			if (socket instanceof Socket) admission.settled(socket);
		},
		onWebSocket: (request, socket, head, caller) => ozzie.accept(request, socket, head, caller),
	});
}

function healthOf(
	{ options, runtime, store, sandbox, models, llama }: WireParts,
	{ tls, reach }: Entrance,
	state: HealthState,
): Health {
	return createHealth({
		clock: options.clock,
		runtime,
		store,
		state,
		tls,
		reach,
		version: options.version,
		sandbox: () => sandbox.state,
		...servedBy(models, runtime.model),
		policy: runtime.trust.policies,
		llama: () => llama?.status,
	});
}

interface ServerNames {
	readonly provider: string;
	readonly server: string | undefined;
}

/**
 * Returns the provider of the model `name`. `server` is the host and port of the configured server, if the provider's
 * own server is not used.
 */
function servedBy({ model, serverHost }: Models, name: string): ServerNames {
	const { provider } = serverOf(model, name);
	return { provider, server: provider === model.provider ? serverHost : undefined };
}

interface GrpcParts extends Entrance {
	readonly openConnections: OpenConnections;
	/** Returns the host and port of the first listener. */
	readonly bind: () => string;
}

function openGrpc(
	{ options, runtime, metrics, llama }: WireParts,
	{ rules, authenticate, admission, openConnections, bind }: GrpcParts,
): GrpcEntrance {
	const { config, clock, ids, log, redactor } = options;
	const startedAt = clock.now();
	return new GrpcEntrance(async () => {
		const [{ GrpcServer }, { kontekstServices }, { rozServices }] = await Promise.all([
			import("./grpc/grpc-server.ts"),
			import("./wires/kontekst/server.ts"),
			import("./wires/roz/server.ts"),
		]);
		const parts = { runtime, clock, log, redactor: redactor.into("error"), counts: metrics.wire };
		return new GrpcServer({
			rules,
			authenticate,
			openConnections,
			clock,
			log,
			settled: (socket) => admission.settled(socket),
			refused: (status) => metrics.wire.refused(status),
			services: (callers, account) => [
				...kontekstServices({
					...parts,
					callers,
					account,
					startedAt,
					bind,
					dataDirectory: config.data,
					llama,
					shutdown: () => options.onShutdown?.(),
				}),
				...rozServices({ ...parts, callers, account, ids }),
			],
		});
	}, log);
}

async function openLlama(options: GatewayOptions): Promise<LlamaServer | undefined> {
	const { config, currentDirectory, clock, log } = options;
	if (!config.llama) return undefined;
	return LlamaServer.open({ settings: config.llama, currentDirectory, clock, log });
}
