import { type Logger, ParleyError } from "@parley/base";
import type { Config, Gateway, Reach } from "@parley/gateway";
import { findRunningGateway } from "../client/running-gateway.ts";
import { defaultDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { humanLog } from "../gateway/human-log.ts";
import { type RunOptions, readConfig, runGateway } from "../gateway/run-gateway.ts";
import { alignColumns } from "../text/columns.ts";
import { createStyles, type Styles, wantsColours } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { superviseConnectors } from "./supervise-connectors.ts";

interface StartOptions {
	readonly flags: RunOptions["flags"];
	readonly io: Io;
	readonly version: string;
	/** Whether to listen at the default address of Ozzie clients as well. */
	readonly ozzie: boolean;
}

/** The address to which existing Ozzie clients in Go connect by default. */
const ozziePlace = { host: "127.0.0.1", port: 18_420 };

/**
 * Runs a gateway like `runGateway`. The first line on stdout names the model and the reason; stderr has the next steps.
 * At a terminal, only warnings are logged by default, because log lines of runs are for machines.
 */
export async function startForPerson(options: StartOptions): Promise<number> {
	const { flags, io } = options;
	const styles = createStyles(wantsColours(io.stderr, io.environment));
	const defaultData = await defaultDataDirectory();
	const onListening = (gateway: Gateway): void => {
		io.stdout.write(`${answersLine(gateway)}\n`);
	};
	const onStopping = (graceMs: number): void => {
		io.stderr.write(`stopping, running work gets up to ${graceMs / 1000} s …\n`);
	};
	const onReady = (gateway: Gateway): void => {
		io.stderr.write(welcome(gateway, defaultData, styles));
	};
	const attach = (config: Config, log: Logger): { stop(): Promise<void> } => {
		const connectors = superviseConnectors(config, { flags, io, log });
		if (connectors.names.length > 0) io.stderr.write(`  connects to ${connectors.names.join(", ")}\n\n`);
		return connectors;
	};
	try {
		const atTerminal = io.stderr.isTTY && {
			destination: humanLog(io.stderr, styles),
			defaultLogLevel: "warn" as const,
			onStopping,
		};
		const alsoListen = options.ozzie ? [ozziePlace] : [];
		return await runGateway({ ...options, alsoListen, onListening, onReady, attach, ...atTerminal });
	} catch (error) {
		if (!(error instanceof ParleyError) || error.code !== "failed_precondition") throw error;
		const { data } = await readConfig(flags, io);
		const running = await findRunningGateway(data);
		if (!running) throw error;
		io.stderr.write(alreadyRunning(running, data, defaultData));
		return 1;
	}
}

/** The model of the gateway, and the reason for its provider. */
interface Answering {
	readonly provider: Gateway["provider"];
	readonly model: Gateway["model"];
	readonly serverHost: Gateway["serverHost"];
	readonly providerReason: Gateway["providerReason"];
}

/** The model, and the reason for it. */
export function answersLine({ provider, model, serverHost, providerReason }: Answering): string {
	if (provider === "offline" && providerReason === "no key") {
		return "parley answers offline (no key): set ANTHROPIC_API_KEY for Claude";
	}
	const reason = {
		key: "ANTHROPIC_API_KEY is set",
		"base-url": "a base URL is set",
		llama: "a local model server is configured",
		configured: `the provider ${provider} is configured`,
		"no key": "there is no key",
	}[providerReason];
	if (provider === "offline") return `parley answers offline: ${reason}`;
	const where = serverHost === undefined ? provider : `${provider} API at ${serverHost}`;
	return visibleLine(`parley answers with ${model} (${where}): ${reason}`);
}

/** Rows for the person when the gateway listens. */
export function welcome(
	gateway: Omit<Gateway, "stop" | "renewCertificate">,
	defaultData: string,
	styles: Styles,
): string {
	const { urls, provider, dataDirectory, resumed, reach } = gateway;
	const { bold, dim } = styles;
	const flag = dataFlag(dataDirectory, defaultData);
	const place = reach.publicUrl ?? urls[0];
	const facts = [
		...whoAnswers(gateway),
		["data", dataDirectory],
		["clients", `${webSocketUrl(place)} (Ozzie)`],
		["", ozzieHint(urls)],
		...(place === undefined ? [] : [["", `${grpcTarget(place)} (gRPC: kontekst, roz)`]]),
		...whoComes(reach, flag),
		...(resumed > 0 ? [["resumed", `unfinished work in ${resumed} conversations`]] : []),
	];
	const commands = provider === "offline" ? offlineCommands(flag) : modelCommands(flag);
	return [
		"",
		...alignColumns(facts.map(([name = "", fact = ""]) => [`  ${dim(name)}`, fact])),
		"",
		"  In another terminal, in this directory:",
		...alignColumns(commands.map(([command, does]) => [`    ${bold(`npx --no parley ${command}`)}`, does])),
		"",
		`  ${dim("Ctrl-C stops it; conversations and unfinished work are kept.")}`,
		"",
		"",
	].join("\n");
}

function whoAnswers({ provider, model, serverHost = provider }: Answering): string[][] {
	if (provider === "offline") return [["answers", "offline, a small built-in assistant that needs no key"]];
	return [
		["answers", visibleLine(model)],
		["sends", visibleLine(`what you say and what its tools find to ${serverHost}`)],
	];
}

function webSocketUrl(url = ""): string {
	return `${url.replace(/^http/, "ws")}/api/ws`;
}

/** The host and port of a URL, as gRPC clients take them. */
function grpcTarget(url: string): string {
	const { hostname, port, protocol } = new URL(url);
	return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Connection hint for existing Ozzie clients; `docs/ozzie-client.md` has the details. */
function ozzieHint(urls: readonly string[]): string {
	const usual = urls.find((url) => new URL(url).port === String(ozziePlace.port));
	if (usual !== undefined) return "your Ozzie client connects without options: ozzie ask, ozzie tui";
	return `your Ozzie client connects with --gateway ${webSocketUrl(urls[0])}, or without it after a start with --ozzie`;
}

/** Clients that can connect and the token that they need; no rows if only programs of this user can. */
function whoComes(reach: Reach, flag: string): string[][] {
	if (reach.localTrust) return [];
	return [
		["reached", reachedBy(reach)],
		[
			"token",
			reach.auth === "none"
				? "nobody needs it: every program on this machine is you (--auth none)"
				: `everybody needs it: \`npx --no parley token${flag}\` prints it`,
		],
	];
}

function reachedBy({ beyond, tls, insecureLan, proxies, publicUrl }: Reach): string {
	if (insecureLan)
		return "by other machines WITHOUT TLS: all that is said, and the token, can be read on its way";
	if (beyond && tls) return "by other machines, over TLS";
	if (beyond) return "by other machines, through trusted proxies alone";
	return proxies || publicUrl !== undefined
		? "by other machines, through a proxy here"
		: "by this machine alone";
}

function offlineCommands(flag: string): [command: string, does: string][] {
	return [
		[`chat${flag}`, "talk to it"],
		[`ask "run: echo hi" -y${flag}`, "ask once"],
		["help offline", "what the offline assistant understands"],
	];
}

function modelCommands(flag: string): [command: string, does: string][] {
	return [
		[`chat${flag}`, "talk to it"],
		[`ask "What is in this directory?"${flag}`, "ask once"],
		[`usage${flag}`, "what it has used, and what that cost"],
	];
}

/** Flag by which commands find the data directory; "" if they find it without one. */
function dataFlag(data: string, defaultData: string): string {
	return data === defaultData ? "" : ` --data ${shellWord(data)}`;
}

function shellWord(text: string): string {
	return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Error for a second gateway on the same data directory. */
export function alreadyRunning(
	{ pid, urls }: { readonly pid: number; readonly urls: readonly string[] },
	data: string,
	defaultData: string,
): string {
	const flag = dataFlag(data, defaultData);
	return [
		`parley runs already: process ${pid}, at ${urls.join(", ")}, with the data in ${data}`,
		`Talk to it with \`npx --no parley chat${flag}\`, or stop it with \`npx --no parley stop${flag}\`.`,
		"A second one needs a place of its own: `--data DIR --listen 127.0.0.1:0`.",
		"",
	].join("\n");
}
