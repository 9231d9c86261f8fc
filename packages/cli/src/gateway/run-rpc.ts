import { fstatSync } from "node:fs";
import { flushCompileCache } from "node:module";
import {
	createIds,
	createLogger,
	defined,
	ParleyError,
	Redactor,
	systemClock,
	type Timer,
} from "@parley/base";
import {
	type Config,
	loadConfig,
	openAgent,
	type RpcFlags,
	readReasoning,
	secretKeys,
	serveZot,
} from "@parley/gateway/rpc";
import { cacheDirectory, defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { rpcTexts } from "../texts/gateway/start.ts";

/** Milliseconds from a signal to the exit of the process, even if cancelled work has not ended. */
const longestStopMs = 5_000;

const standardInput = 0;

/** Exit codes after a signal, as in shells: 128 plus the signal number. */
const signalCodes = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const;

export interface RunRpcOptions {
	readonly flags: RpcCommandFlags;
	readonly io: Io;
	readonly version: string;
}

/**
 * Serves the parent program until stdin ends or a signal arrives, then ends the process. If the caller can fix an
 * error, rejects before anything is written to stdout.
 */
export async function runRpc({ flags, io, version }: RunRpcOptions): Promise<number> {
	const { environment, stdin, stdout } = io;
	demandLines();
	const token = environment["ZOTCORE_RPC_TOKEN"];
	// Commands and their child processes must not be able to read the token.
	delete environment["ZOTCORE_RPC_TOKEN"];
	const config = await readRpcConfig(flags, io);
	const redactor = new Redactor();
	for (const key of secretKeys(config)) redactor.add(key);
	if (token !== undefined && token.length >= 8) redactor.add(token);
	const log = createLogger({ level: config.logLevel, redactor });
	for (const warning of config.warnings ?? []) log.warn(warning);
	const started = await openAgent({
		flags: withSession(flags),
		config,
		clock: systemClock,
		ids: createIds(),
		log,
		redactor,
		currentDirectory: io.cwd,
		sandboxCheck: { cache: await cacheDirectory(), version },
	});
	const stop = new AbortController();
	let signalled: keyof typeof signalCodes | undefined;
	const patience: Timer[] = [];
	for (const signal of Object.keys(signalCodes) as (keyof typeof signalCodes)[]) {
		process.on(signal, () => {
			signalled ??= signal;
			stop.abort();
			patience.push(systemClock.after(longestStopMs, () => process.exit(signalCodes[signal])));
		});
	}
	// If the reader of stdout has ended, the agent must stop its work before this process exits. The removed listener
	// would end the process immediately, and the agent's commands would outlive it.
	stdout.removeAllListeners("error");
	let code: number;
	try {
		code = await serveZot({
			agent: started.agent,
			input: stdin,
			output: stdout,
			clock: systemClock,
			log,
			version,
			token,
			approvals: flags.rpcApprovals === true,
			stop: stop.signal,
		});
		await started.close();
	} finally {
		// The work has ended, so the timers must no longer end the process.
		for (const timer of patience) timer.cancel();
	}
	flushCompileCache();
	process.exit(signalled === undefined ? code : signalCodes[signalled]);
}

/**
 * Throws if stdin is a directory. Node.js treats a directory as an ended input, so the program would exit without
 * output and without an error.
 */
function demandLines(): void {
	if (!fstatSync(standardInput).isDirectory()) return;
	throw new ParleyError(rpcTexts.inputIsDirectory, {
		code: "invalid_argument",
	});
}

async function readRpcConfig(flags: RpcCommandFlags, io: Io): Promise<Config> {
	const { provider, model, baseUrl, data, config, sandbox, policy: policyFile, logLevel, apiKey } = flags;
	const givenKey = apiKey?.trim() ? apiKey : undefined;
	const { withStoredKeys } = await import("../command-line/stored-keys.ts");
	const { environment } = await withStoredKeys(io, data);
	return loadConfig({
		flags: {
			// Clients send "" if they have no value.
			provider: provider || undefined,
			model: model || undefined,
			baseUrl: versioned(baseUrl || undefined, provider),
			data,
			config,
			sandbox,
			policyFile,
			logLevel,
			reasoning: readReasoning(flags.reasoning),
		},
		environment: { ...environment, ...defined({ ANTHROPIC_API_KEY: givenKey }) },
		...defined({ keyName: givenKey && "--api-key" }),
		cwd: io.cwd,
		defaultData: data ?? (await defaultDataDirectory()),
		defaultLogLevel: "warn",
	});
}

const withoutVersion = new Set<unknown>([undefined, "", "auto", "anthropic", "offline"]);

function versioned(baseUrl: string | undefined, provider: string | undefined): string | undefined {
	if (baseUrl === undefined || withoutVersion.has(provider)) return baseUrl;
	// As zot does, adds the API version to the address of a server with OpenAI's API.
	const plain = baseUrl.replace(/\/+$/, "");
	return /\/v\d\w*$/.test(plain) ? plain : `${plain}/v1`;
}

/** Removes a session that is not a path, for example the `false` of `--no-session`. */
function withSession(flags: RpcCommandFlags): RpcCommandFlags {
	const session: unknown = flags.session;
	return { ...flags, session: typeof session === "string" && session !== "" ? session : undefined };
}

/** Flags of the zot wire, and the flags of a gateway that also apply here. */
export interface RpcCommandFlags extends RpcFlags {
	readonly data?: string;
	readonly config?: string;
	readonly sandbox?: string;
	readonly policy?: string;
	readonly logLevel?: string;
}
