import { flushCompileCache } from "node:module";
import {
	createIds,
	createLogger,
	definedItems,
	type Failpoints,
	type Logger,
	type LogLevel,
	noFailpoints,
	parseFailpoints,
	Redactor,
	systemClock,
} from "@parley/base";
import { type Config, type Gateway, loadConfig, startGateway } from "@parley/gateway";
import { isLoopback } from "../client/gateway-address.ts";
import { defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { UsageError } from "../command-line/usage.ts";
import { gatewayRunTexts } from "../texts/gateway/run.ts";
import { checkRoots } from "./check-roots.ts";
import { collectWhenIdle } from "./collect-when-idle.ts";
import type { GatewayFlags } from "./gateway-flags.ts";
import { type LogOutput, logOutput } from "./log-output.ts";
import { platforms } from "./platform.ts";
import { stopSignal } from "./stop-signal.ts";

/** Milliseconds that running work gets after the first signal. */
const signalGraceMs = 25_000;
/** Milliseconds from the end of the grace period until the process ends itself. */
const lastMs = 5_000;
/** Milliseconds that running work gets after a client has asked the gateway to stop. */
const shutdownGraceMs = 30_000;
/** Milliseconds until the compiled code is stored. By then, the gateway has usually served its first clients. */
const storeCompiledAfterMs = 2_000;

export interface RunOptions {
	readonly flags: GatewayFlags;
	readonly io: Io;
	readonly version: string;
	/** Shows log lines to a person. By default, the lines are written to stderr as JSON. */
	readonly destination?: { write(line: string): unknown };
	/** Whether log lines are written only to the log file of the data directory. */
	readonly onlyLogFile?: boolean;
	/**
	 * Whether SIGHUP reloads the certificate. If false, or without a certificate, SIGHUP ends the gateway, for example
	 * when its terminal closes.
	 */
	readonly reloads?: boolean;
	/** Addresses in addition to the configured addresses. */
	readonly alsoListen?: Config["listen"];
	/** Log level if the operator has not set one. */
	readonly defaultLogLevel?: LogLevel;
	/** Receives the gateway when it listens, before the command prints its first output. */
	onListening?(gateway: Gateway): void;
	/** Receives the gateway and its configuration after the command has printed the addresses. */
	onReady?(gateway: Gateway, config: Config): void;
	/**
	 * Starts work in addition to the gateway. Called after the command has printed the addresses. The work stops
	 * together with the gateway.
	 */
	attach?(config: Config, log: Logger, output: LogOutput): { stop(): Promise<void> };
	/** Receives a request to stop. `graceMs`: time for running work to end, in milliseconds. */
	onStopping?(graceMs: number): void;
}

/**
 * Runs a gateway until a signal or a client stops it. Returns the exit code. When the gateway is ready, prints one line
 * per listener to stdout. A second signal ends the process immediately. A stop that takes too long and an uncaught
 * error end the process with code 1.
 */
export async function runGateway(options: RunOptions): Promise<number> {
	const { flags, version, destination } = options;
	const io = await withStoredKeys(options.io, flags.data);
	const configured = await readConfig(flags, io, options.defaultLogLevel);
	const config = withListeners(configured, options.alsoListen ?? []);
	const failpoints = readTestHooks(flags.testHooks, config);
	const rootWarning = await checkRoots(config.root, io.cwd);
	const redactor = new Redactor();
	for (const { variables } of platforms) {
		for (const name of variables) redactor.add(io.environment[name] ?? "");
	}
	const output = logOutput({
		data: config.data,
		level: config.logLevel,
		terminal: destination,
		onlyFile: options.onlyLogFile === true,
		environment: io.environment,
	});
	const log = createLogger({ level: output.level, redactor, destination: output.destination });
	endOnUncaught(log, io);
	for (const warning of definedItems([...(config.warnings ?? []), rootWarning])) log.warn(warning);
	const shutdown = Promise.withResolvers<"shutdown">();
	const gateway = await startGateway({
		config,
		log,
		redactor,
		version,
		clock: systemClock,
		ids: createIds(),
		failpoints,
		currentDirectory: io.cwd,
		environment: io.environment,
		onShutdown: () => shutdown.resolve("shutdown"),
	});
	// A program that reads the first output may send a stop signal immediately.
	const stopRequest = stopSignal();
	if (options.reloads && config.tls) process.on("SIGHUP", () => void gateway.renewCertificate());
	options.onListening?.(gateway);
	for (const url of gateway.urls) io.stdout.write(`${gatewayRunTexts.listening({ url })}\n`);
	if (gateway.reach.insecureLan) log.warn(gatewayRunTexts.insecureLan);
	options.onReady?.(gateway, config);
	const attached = options.attach?.(config, log, output);
	// Stores the compiled code soon after the start, so that the next start can use it even if this process is killed.
	const storing = systemClock.after(storeCompiledAfterMs, () => flushCompileCache());
	const collecting = collectWhenIdle({ clock: systemClock });
	const signal = await Promise.race([stopRequest, shutdown.promise]);
	const graceMs = signal === "shutdown" ? shutdownGraceMs : signalGraceMs;
	storing.cancel();
	collecting.cancel();
	log.info("stopping", { signal, graceMs });
	options.onStopping?.(graceMs);
	const deadline = systemClock.after(graceMs + lastMs, () => {
		log.error("the gateway did not stop in time, and exits now: the next start continues its work");
		process.exit(1);
	});
	await Promise.all([gateway.stop(graceMs), attached?.stop()]);
	deadline.cancel();
	log.info("stopped");
	return 0;
}

/** Returns the configuration with further addresses. Omits an address whose port is already configured. */
function withListeners(config: Config, more: Config["listen"]): Config {
	const listen = [...config.listen];
	for (const place of more) if (listen.every(({ port }) => port !== place.port)) listen.push(place);
	return { ...config, listen };
}

/** Reads the configuration. Order of precedence: flags, `PARLEY_*` variables, the configuration file. */
export async function readConfig(
	{ testHooks: _, trustedProxy: trustedProxies, policy: policyFile, ...rest }: GatewayFlags,
	io: Io,
	defaultLogLevel: LogLevel = "info",
): Promise<Config> {
	const defaultData = await defaultDataDirectory();
	const flags = { ...rest, trustedProxies, policyFile };
	const { environment } = await withStoredKeys(io, rest.data);
	return loadConfig({ flags, environment, cwd: io.cwd, defaultData, defaultLogLevel });
}

/**
 * Returns the failpoints of a test. Throws unless only clients on this machine can connect, because a client can
 * end a gateway with failpoints.
 */
function readTestHooks(spec: string | undefined, { listen }: Config): Failpoints {
	if (spec === undefined) return noFailpoints;
	const beyond = listen.find(({ host }) => !isLoopback(`http://${host.includes(":") ? `[${host}]` : host}`));
	if (beyond) {
		throw new UsageError(gatewayRunTexts.testHooks({ address: beyond.host, port: beyond.port }));
	}
	return parseFailpoints(spec);
}

function endOnUncaught(log: Logger, io: Io): void {
	process.on("uncaughtException", (error) => {
		log.error("uncaught error", { error });
		io.stderr.write(`${gatewayRunTexts.internalError({ reason: error.message })}\n`);
		process.exit(1);
	});
}
