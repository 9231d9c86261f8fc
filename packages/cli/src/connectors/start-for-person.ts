import { defined, definedItems, ParleyError } from "@parley/base";
import type { Gateway, Reach } from "@parley/gateway";
import { findRunningGateway } from "../client/running-gateway.ts";
import { dataFlag, defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { withStoredKeys } from "../command-line/stored-keys.ts";
import { checkRoots } from "../gateway/check-roots.ts";
import { humanLog } from "../gateway/human-log.ts";
import { type RunOptions, readConfig, runGateway } from "../gateway/run-gateway.ts";
import { findInstallation, type Installation } from "../installation/installation.ts";
import { alignColumns } from "../text/columns.ts";
import { shellWord } from "../text/shell-word.ts";
import { createStyles, type Styles, usesColours } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { startTexts } from "../texts/gateway/start-for-person.ts";
import { attachConnectors } from "./supervise-connectors.ts";

interface StartOptions {
	readonly flags: RunOptions["flags"];
	readonly io: Io;
	readonly version: string;
	/** Whether to also listen at the default address of Ozzie clients. */
	readonly ozzie: boolean;
	/** Line that makes the command available in the user's shell. Absent if the shell already finds the command. */
	readonly shellLine?: string;
}

/** The default address of existing Ozzie clients in Go. */
const ozzieEndpoint = { host: "127.0.0.1", port: 18_420 };

/**
 * Runs a gateway like `runGateway`, together with its connectors. At a terminal, first asks for confirmation if a root
 * is `/`, and shows log lines as text from the level `warn` by default. The first line on stdout names the model and
 * the reason for its choice. The next steps are printed to stderr.
 */
export async function startForPerson(options: StartOptions): Promise<number> {
	const { flags, shellLine } = options;
	const io = await withStoredKeys(options.io, flags.data);
	const refusal = await refusalOfRoot(flags, io);
	if (refusal !== undefined) return refusal;
	const styles = createStyles(usesColours(io.stderr, io.environment));
	const defaultData = await defaultDataDirectory();
	const command = commandOf(findInstallation().kind, io.environment);
	const onListening = (gateway: Gateway): void => {
		io.stdout.write(`${modelLine(gateway)}\n`);
	};
	const onStopping = (graceMs: number): void => {
		io.stderr.write(`${startTexts.stopping({ seconds: graceMs / 1000 })}\n`);
	};
	const onReady = (gateway: Gateway): void => {
		io.stderr.write(welcome(gateway, { defaultData, styles, command, ...defined({ shellLine }) }));
	};
	const attach = attachConnectors(flags, io, (names) => {
		if (names.length > 0) io.stderr.write(`  ${startTexts.connects({ platforms: names.join(", ") })}\n\n`);
	});
	try {
		const atTerminal = io.stderr.isTTY && {
			destination: humanLog(io.stderr, styles),
			defaultLogLevel: "warn" as const,
			onStopping,
		};
		const alsoListen = options.ozzie ? [ozzieEndpoint] : [];
		return await runGateway({ ...options, io, alsoListen, onListening, onReady, attach, ...atTerminal });
	} catch (error) {
		if (!(error instanceof ParleyError) || error.code !== "failed_precondition") throw error;
		const { data } = await readConfig(flags, io);
		const running = await findRunningGateway(data);
		if (!running) throw error;
		io.stderr.write(alreadyRunning(running, { data, defaultData, command }));
		return 1;
	}
}

/**
 * Resolves with an exit code if a root is `/` and the operator at the terminal does not confirm it, otherwise
 * with undefined.
 */
async function refusalOfRoot(flags: StartOptions["flags"], io: Io): Promise<number | undefined> {
	if (!(io.stdin.isTTY && io.stdout.isTTY)) return undefined;
	const { root, data } = await readConfig(flags, io);
	if ((await checkRoots(root, io.cwd)) === undefined) return undefined;
	// Only this question needs the library for prompts.
	const { confirmRoot } = await import("./confirm-root.ts");
	return confirmRoot(data, io);
}

interface CallContext {
	readonly defaultData: string;
	/** Command line with which a person runs Parley, without arguments. */
	readonly command: string;
}

interface WelcomeContext extends CallContext {
	readonly styles: Styles;
	readonly shellLine?: string;
}

/** Returns the command line with which a person runs this copy of Parley, without arguments. */
export function commandOf(kind: Installation["kind"], environment: NodeJS.ProcessEnv): string {
	// npx passes its options in environment variables: https://docs.npmjs.com/cli/v11/using-npm/config
	const file = environment["npm_config_package"];
	return kind === "npx" && file !== undefined ? `npx --package ${shellWord(file)} parley` : "parley";
}

interface ModelFacts {
	readonly provider: Gateway["provider"];
	readonly model: Gateway["model"];
	readonly serverHost: Gateway["serverHost"];
	readonly providerReason: Gateway["providerReason"];
}

export function modelLine({ provider, model, serverHost, providerReason }: ModelFacts): string {
	if (provider === "offline" && providerReason === "no key") {
		return startTexts.offlineWithoutKey;
	}
	const reason = {
		key: provider === "anthropic" ? startTexts.anthropicKey : startTexts.providerKey({ provider }),
		"base-url": startTexts.baseUrl,
		llama: startTexts.llama,
		configured: startTexts.configured({ provider }),
		"no key": startTexts.noKey,
	}[providerReason];
	if (provider === "offline") return startTexts.offline({ reason });
	const where = serverHost === undefined ? provider : startTexts.providerAt({ provider, host: serverHost });
	return visibleLine(`model: ${model} (${where}): ${reason}`);
}

export function welcome(
	gateway: Omit<Gateway, "stop" | "renewCertificate">,
	{ defaultData, styles, command, shellLine }: WelcomeContext,
): string {
	const { urls, provider, dataDirectory, resumed, reach } = gateway;
	const { bold, dim } = styles;
	const flag = dataFlag(dataDirectory, defaultData);
	const place = reach.publicUrl ?? urls[0];
	const facts = definedItems([
		...modelFacts(gateway),
		["data", dataDirectory],
		["clients", `${webSocketUrl(place)} (Ozzie)`],
		["", ozzieHint(urls)],
		place === undefined ? undefined : ["", startTexts.grpcClients({ address: grpcTarget(place) })],
		...accessFacts(reach, `${command} token${flag}`),
		resumed > 0 ? ["resumed", startTexts.resumed({ sessions: resumed })] : undefined,
	]);
	const commands = provider === "offline" ? offlineCommands(flag) : modelCommands(flag);
	const lines = commands.map(([words, does]) => [`${command} ${words}`, does]);
	if (shellLine !== undefined) lines.unshift([visibleLine(shellLine), startTexts.findCommand]);
	return [
		"",
		...alignColumns(facts.map(([name = "", fact = ""]) => [`  ${dim(name)}`, fact])),
		"",
		// With npx, the command line may contain a relative path, which is valid only in the current directory.
		`  ${command === "parley" ? startTexts.inOtherTerminal : startTexts.inOtherTerminalHere}`,
		...alignColumns(lines.map(([line = "", does = ""]) => [`    ${bold(line)}`, does])),
		"",
		`  ${dim(startTexts.howToStop)}`,
		"",
		"",
	].join("\n");
}

function modelFacts({ provider, model, serverHost = provider }: ModelFacts): string[][] {
	if (provider === "offline") return [["model", startTexts.offlineModel]];
	return [
		["model", visibleLine(model)],
		["sends", visibleLine(startTexts.sends({ host: serverHost }))],
	];
}

function webSocketUrl(url = ""): string {
	return `${url.replace(/^http/, "ws")}/api/ws`;
}

function grpcTarget(url: string): string {
	const { hostname, port, protocol } = new URL(url);
	return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Returns a hint about Ozzie clients, which `docs/ozzie-client.md` describes in detail. */
function ozzieHint(urls: readonly string[]): string {
	const usual = urls.find((url) => new URL(url).port === String(ozzieEndpoint.port));
	if (usual !== undefined) return startTexts.ozzieClients;
	return startTexts.ozzieClientsAt({ url: webSocketUrl(urls[0]) });
}

/**
 * Returns rows about the reach and the token. Returns none if `reach.localTrust` is true: only this machine can
 * connect, and this user's programs need no token.
 */
function accessFacts(reach: Reach, printsToken: string): string[][] {
	if (reach.localTrust) return [];
	return [
		["reached", reachedBy(reach)],
		[
			"token",
			reach.auth === "none"
				? startTexts.tokenNotRequired
				: startTexts.tokenRequired({ command: printsToken }),
		],
	];
}

function reachedBy({ beyond, tls, insecureLan, proxies, publicUrl }: Reach): string {
	if (insecureLan) return startTexts.reachedInsecurely;
	if (beyond && tls) return startTexts.reachedOverTls;
	if (beyond) return startTexts.reachedThroughProxies;
	return proxies || publicUrl !== undefined ? startTexts.reachedThroughOwnProxy : startTexts.reachedHere;
}

function offlineCommands(flag: string): [command: string, does: string][] {
	return [
		[`chat${flag}`, startTexts.openChat],
		[`ask "run: echo hi" -y${flag}`, startTexts.sendMessage],
		["help offline", startTexts.listOfflineCommands],
	];
}

function modelCommands(flag: string): [command: string, does: string][] {
	return [
		[`chat${flag}`, startTexts.openChat],
		[`ask "What is in this directory?"${flag}`, startTexts.sendMessage],
		[`usage${flag}`, startTexts.showUsage],
	];
}

/** Returns the error text for a second gateway on the same data directory. */
export function alreadyRunning(
	{ pid, urls }: { readonly pid: number; readonly urls: readonly string[] },
	{ data, defaultData, command }: CallContext & { readonly data: string },
): string {
	const flag = dataFlag(data, defaultData);
	return [
		startTexts.alreadyRunning({ pid, urls: urls.join(", "), data }),
		startTexts.chatOrStop({ command, flag }),
		startTexts.secondGateway,
		"",
	].join("\n");
}
