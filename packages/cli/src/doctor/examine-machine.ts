import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import {
	mkdtemp,
	mkdtempDisposable,
	readFile,
	realpath,
	rm,
	stat,
	statfs,
	writeFile,
} from "node:fs/promises";
import { connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkSqliteFile, createIds, silentLogger, systemClock } from "@parley/base";
import {
	builtinTools,
	checkPolicy,
	createWebFetch,
	findOperatorProgram,
	migrations,
	type SandboxState,
	SkillFiles,
} from "@parley/core";
import { type Config, checkStoredSecrets, openSandboxes, tryProvider } from "@parley/gateway";
import { databaseIn, readOperatorToken } from "@parley/gateway/data";
import { checkAuditFile, checkMessagesFile } from "../audit/check-files.ts";
import { readHealthReport } from "../client/gateway-health.ts";
import { findRunningGateway } from "../client/running-gateway.ts";
import { withGateway } from "../client/with-gateway.ts";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { readConnectorStatuses } from "../connectors/connector-report.ts";
import { readConfig } from "../gateway/run-gateway.ts";
import { distributionOf } from "./distribution.ts";
import type { PathFacts, System } from "./system.ts";

const patienceMs = 2_000;
/** Maximum milliseconds for the check of all messages. */
const longestCheckMs = 10 * 60_000;

/**
 * Returns the machine on which this command runs, with the configuration and the gateway of the data directory. Ignores
 * `PARLEY_URL`.
 */
export async function examineMachine(
	flags: { readonly data?: string },
	io: Io,
	parley: string,
	onProgress: (doing: string) => void = () => undefined,
): Promise<System> {
	const data = await chosenDataDirectory(flags.data, io);
	const own = { ...io, environment: { ...io.environment, PARLEY_URL: undefined } };
	const config = await readConfig({ data }, io).catch(asError);
	const gateway = await findRunningGateway(data);
	const address = { data };
	const settings = config instanceof Error ? undefined : config;
	const askProvider = async (provider = settings?.provider ?? "offline") =>
		settings && tryProvider({ ...settings, provider }, systemClock);
	// Two checks need the answer of the main provider, so they share one request.
	const home = shared(() => askProvider());
	return {
		data,
		config,
		gateway,
		distribution: distributionOf({
			platform: process.platform,
			release: await textOf("/etc/os-release"),
			kernel: await textOf("/proc/version"),
		}),
		uid: process.getuid?.(),
		health: gateway ? await readHealthReport(address, own).catch(() => null) : null,
		versions: { parley, node: process.versions.node, sqlite: process.versions["sqlite"] ?? "unknown" },
		now: () => systemClock.now(),
		...paths,
		answers,
		program: (command) =>
			findOperatorProgram(command, io.environment).then(
				() => true,
				() => false,
			),
		provider: async (name) => (name === undefined ? home() : askProvider(name)),
		sandbox: shared(() => trySandbox(settings, data)),
		policy: async () => policyOf(settings, data),
		skills: async () =>
			existsSync(data) ? new SkillFiles(await realpath(data)).find(undefined) : { skills: [], problems: [] },
		listedSkills: async () => {
			if (!gateway) return [];
			const { skills } = await withGateway(address, own, (client) => client.request("list_skills", {}));
			return skills;
		},
		database: shared(() => checkDatabase(data)),
		storedSecrets: () => checkStoredSecrets(data),
		audit: () => checkAuditFile(data, []),
		messages: () => checkMessagesFile(data, { onProgress, signal: AbortSignal.timeout(longestCheckMs) }),
		operatorToken: async () => (await readOperatorToken(data)) !== undefined,
		connectors: () => readConnectorStatuses(data, systemClock.now()),
		tokens: shared(async () => {
			const { tokens } = await withGateway(address, own, (client) => client.request("list_tokens", {}));
			return tokens;
		}),
	};
}

const paths = {
	stat: async (path: string): Promise<PathFacts | undefined> => {
		const facts = await stat(path).catch(() => undefined);
		return facts && { mode: facts.mode, uid: facts.uid, isDirectory: facts.isDirectory() };
	},
	freeBytes: async (path: string) => {
		const { bavail, bsize } = await statfs(path);
		return bavail * bsize;
	},
	writeProbe: async (directory: string) => {
		const own = await mkdtemp(join(directory, ".doctor-"));
		try {
			await writeFile(join(own, "probe"), "x");
			return (await stat(join(own, "probe"))).mtimeMs;
		} finally {
			await rm(own, { recursive: true, force: true });
		}
	},
	certificateEnd: async (file: string) => new X509Certificate(await readFile(file)).validToDate.getTime(),
};

async function answers(host: string, port: number): Promise<boolean> {
	const socket = connectTo({ host, port, timeout: patienceMs });
	try {
		await once(socket, "connect", { signal: AbortSignal.timeout(patienceMs) });
		return true;
	} catch {
		// A refused connection, an unknown host or a timeout means that no server answers.
		return false;
	} finally {
		socket.destroy();
	}
}

/** Resolves with the state of the sandbox. Uses a temporary directory if the data directory does not exist. */
async function trySandbox(config: Config | undefined, data: string): Promise<SandboxState> {
	const base = config ?? defaultsFor(data);
	await using temporaryData = existsSync(data)
		? undefined
		: await mkdtempDisposable(join(tmpdir(), "parley-doctor-"));
	const parts = { clock: systemClock, ids: createIds(), log: silentLogger };
	return (await openSandboxes({ ...parts, config: { ...base, data: temporaryData?.path ?? data } })).check();
}

function defaultsFor(data: string): Config {
	return {
		listen: [],
		data,
		root: [],
		provider: "offline",
		auth: "local",
		logLevel: "silent",
		allowedHosts: [],
	};
}

async function policyOf(config: Config | undefined, data: string): Promise<string | undefined> {
	const file = config?.policyFile ?? join(data, "policy.jsonc");
	if (!existsSync(file)) return undefined;
	const web = createWebFetch({ clock: systemClock, ids: createIds() });
	checkPolicy(file, [...builtinTools(), web, { name: "web_search" }]);
	return file;
}

async function checkDatabase(data: string): Promise<boolean> {
	const file = databaseIn(data);
	if (!existsSync(file)) return false;
	await checkSqliteFile(file, migrations);
	return true;
}

/** Returns a function that calls `ask` only once, so that several checks share the result. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
	let answer: Promise<T> | undefined;
	return () => {
		answer ??= ask();
		return answer;
	};
}

async function textOf(path: string): Promise<string> {
	return readFile(path, "utf8").catch(() => "");
}

function asError(reason: unknown): Error {
	return reason instanceof Error ? reason : new Error(String(reason));
}
