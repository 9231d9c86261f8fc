import {
	chanceOf,
	createIds,
	createLogger,
	defined,
	type Failpoints,
	type Logger,
	noFailpoints,
	ParleyError,
	parseFailpoints,
	Redactor,
	systemClock,
} from "@parley/base";
import type { RunningConnector, RunOptions, RunStatus } from "@parley/connector";
import type { Config, DataLock } from "@parley/gateway";
import { type AddressFlags, type GatewayAddress, locateGateway } from "../client/gateway-address.ts";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";
import { collectWhenIdle } from "../gateway/collect-when-idle.ts";
import { humanLog } from "../gateway/human-log.ts";
import { readConfig } from "../gateway/run-gateway.ts";
import { stopSignal } from "../gateway/stop-signal.ts";
import { createStyles, usesColours } from "../text/styles.ts";
import { connectorRunTexts } from "../texts/connectors/run.ts";
import { type ConnectorWords, ReportWriter, reportFileOf } from "./connector-report.ts";
import { lockConnector } from "./lock-connector.ts";
import { checkReady, connectorToken, reachGateway, revokedToken } from "./reach-gateway.ts";
import { refusedExitCode } from "./supervisor.ts";

export interface ConnectorFlags extends AddressFlags {
	readonly config?: string;
	readonly logLevel?: string;
	/** Whether the connector ends when its standard input ends, because its parent has then ended. */
	readonly supervised?: boolean;
	/** Failpoints for crash tests. */
	readonly testHooks?: string;
}

interface Run {
	readonly platform: string;
	/** Secrets of the platform. Logs must not contain these secrets. */
	readonly secrets: readonly string[];
	readonly flags: ConnectorFlags;
	readonly io: Io;
	start(options: RunOptions, config: Config): Promise<RunningConnector>;
}

/**
 * Runs a connector until a signal or its parent stops it. Rejects if the configuration is invalid. Returns the exit
 * code:
 * - 0 after an end without an error
 * - `refusedExitCode` if a person must change something before the next start
 * - 1 for any other failure
 */
export async function runConnector(run: Run): Promise<number> {
	const { platform, secrets, flags, io } = run;
	const failpoints = flags.testHooks === undefined ? noFailpoints : parseFailpoints(flags.testHooks);
	const config = await readConnectorConfig(flags, io, io.stderr.isTTY ? "warn" : "info");
	const redactor = new Redactor();
	for (const secret of secrets) redactor.add(secret);
	const styles = createStyles(usesColours(io.stderr, io.environment));
	const destination = io.stderr.isTTY ? { destination: humanLog(io.stderr, styles) } : {};
	const log = createLogger({ level: config.logLevel, redactor, ...destination }).child({
		connector: platform,
	});
	const stopRequest = flags.supervised ? parentStopRequest(io) : stopSignal();
	let lock: DataLock | undefined;
	let reportWriter: ReportWriter | undefined;
	try {
		lock = lockConnector(config.data, platform);
		reportWriter = new ReportWriter({
			file: reportFileOf(config.data, platform),
			clock: systemClock,
			log,
			pid: process.pid,
			...defined({
				onChange: isForPerson(run) ? (words: ConnectorWords) => printState(words, run) : undefined,
			}),
		});
		await reportWriter.update({ state: "starting" });
		const end = await work(run, { config, log, redactor, reportWriter, stopRequest, failpoints });
		await reportWriter.end();
		log.info("stopped", { signal: end });
		return 0;
	} catch (reason) {
		await reportWriter?.end(wordsOf(reason, redactor));
		return failed(reason, { run, log, redactor });
	} finally {
		lock?.release();
		// An open standard input would keep the process running.
		if (flags.supervised) io.stdin.destroy();
	}
}

/** Reads the configuration of the gateway. Connectors use only a part of it. */
export function readConnectorConfig(
	{ data, config, logLevel }: ConnectorFlags,
	io: Io,
	defaultLogLevel: "info" | "warn" = "info",
): Promise<Config> {
	const flags = { data, config, logLevel };
	const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
	return readConfig(given, io, defaultLogLevel);
}

interface Working {
	readonly config: Config;
	readonly log: Logger;
	readonly redactor: Redactor;
	readonly reportWriter: ReportWriter;
	readonly stopRequest: Promise<string>;
	readonly failpoints: Failpoints;
}

/**
 * Waits for a gateway, and runs the connector until its end. Resolves with the reason for the end. Rejects after
 * a failure.
 */
async function work(
	{ platform, flags, io, start }: Run,
	{ config, log, redactor, reportWriter, stopRequest, failpoints }: Working,
): Promise<string> {
	const reach = async (): Promise<GatewayAddress> =>
		asConnector(await locateGateway(flags, io), {
			platform,
			config,
			isNamed: Boolean(flags.url ?? io.environment["PARLEY_URL"]),
		});
	const found = await reachGateway(reach, {
		clock: systemClock,
		stopRequest,
		async onWait(why) {
			log.info("waiting for the gateway", { why });
			await reportWriter.update({ state: "waiting", detail: why });
		},
	});
	if ("ended" in found) return found.ended;
	const gateway = found.reached;
	if (gateway.token !== undefined) redactor.add(gateway.token);
	const { url: gatewayUrl, token: gatewayToken = "", certificate } = gateway;
	const ids = createIds();
	const options = {
		gatewayUrl,
		gatewayToken,
		certificate,
		dataDir: config.data,
		onLink: reportWriter.changed,
		clock: systemClock,
		chance: () => chanceOf(ids),
		ids,
		log,
		failpoints,
	};
	const connector = await start(options, config);
	reportWriter.watch(async () => stateWords(await connector.status()));
	const collecting = collectWhenIdle({ clock: systemClock });
	const end = await Promise.race([stopRequest, connector.ended]);
	collecting.cancel();
	await connector.stop();
	if (end instanceof ParleyError && end.code === "unauthenticated") {
		throw revokedToken({ platform, data: config.data, given: io.environment["PARLEY_TOKEN"] }, end);
	}
	if (end instanceof Error) throw end;
	return end ?? connectorRunTexts.hasEnded;
}

function failed(
	reason: unknown,
	{ run, log, redactor }: { readonly run: Run; readonly log: Logger; readonly redactor: Redactor },
): number {
	if (reason instanceof UsageError) throw reason;
	const { platform, flags, io } = run;
	const { detail: why = "" } = wordsOf(reason, redactor);
	const code = isFinal(reason) ? refusedExitCode : 1;
	if (flags.supervised) log.error("the connector ended", { why, code });
	else io.stderr.write(`${connectorRunTexts.failed({ platform, reason: why })}\n`);
	log.debug("the connector ended", { error: reason });
	return code;
}

function wordsOf(reason: unknown, redactor: Redactor): ConnectorWords {
	// A system error keeps its own message, which `ParleyError.from` would replace with `internal error`.
	const why = reason instanceof Error ? reason.message : ParleyError.from(reason).message;
	return { state: isFinal(reason) ? "refused" : "failed", detail: redactor.redact(why) };
}

const finalCodes = ["failed_precondition", "unauthenticated", "permission_denied", "data_loss"];

/** Whether only a person can remove the cause of the failure. A restart would then fail with the same error. */
function isFinal(reason: unknown): boolean {
	const isDenied =
		reason instanceof Error && "code" in reason && ["EACCES", "EROFS"].includes(`${reason.code}`);
	return isDenied || (reason instanceof ParleyError && finalCodes.includes(reason.code));
}

function isForPerson({ flags, io }: Run): boolean {
	return io.stderr.isTTY && !flags.supervised;
}

function printState({ state, detail }: ConnectorWords, { platform, io }: Run): void {
	if (state === "starting") io.stderr.write(`${connectorRunTexts.connecting({ platform })}\n`);
	if (state === "connected") io.stderr.write(`${connectorRunTexts.connected}\n`);
	if (state === "waiting") io.stderr.write(`${connectorRunTexts.waiting({ reason: detail })}\n`);
}

interface ConnectorTarget {
	readonly platform: string;
	readonly config: { readonly data: string };
	/**
	 * Whether the operator named the address. With a connector token, such an address is not checked, because the running
	 * connector waits for the gateway.
	 */
	readonly isNamed: boolean;
}

/**
 * Resolves with the address and a connector token. If PARLEY_TOKEN is a connector token, uses it, and does not check
 * a named address. Otherwise, uses the token of `connectorToken`. Rejects with the error of `checkReady` if no
 * gateway is ready, and otherwise with the error of `connectorToken`.
 */
async function asConnector(
	address: GatewayAddress,
	{ platform, config, isNamed }: ConnectorTarget,
): Promise<GatewayAddress> {
	if (address.token?.startsWith("gw_connector_")) {
		if (!isNamed) await checkReady({ ...address, isNamed });
		return address;
	}
	const { connect } = await import("../client/connect.ts");
	const gateway = connect(address);
	try {
		return { ...address, token: await connectorToken({ platform, data: config.data, gateway }) };
	} catch (reason) {
		// The error of a failed WebSocket does not show whether a gateway is listening at the address.
		if (reason instanceof ParleyError && reason.code === "unavailable")
			await checkReady({ ...address, isNamed });
		throw reason;
	} finally {
		await gateway.close();
	}
}

/**
 * Resolves with the reason to stop, after SIGTERM or the end of the parent. Ignores Ctrl-C, because the parent
 * also receives it and then requests a stop.
 */
async function parentStopRequest({ stdin }: Io): Promise<string> {
	process.on("SIGINT", () => undefined);
	const parentEnded = new Promise<string>((resolve) => {
		const ended = (): void => resolve(connectorRunTexts.parentEnded);
		stdin.once("end", ended).once("error", ended).resume();
	});
	const terminated = new Promise<string>((resolve) => process.once("SIGTERM", resolve));
	return Promise.race([parentEnded, terminated]);
}

function stateWords({ link, connector, behind }: RunStatus): ConnectorWords {
	const load = connector && {
		waiting: connector.waiting,
		open: connector.open,
		held: connector.stuck.filter(({ state }) => state === "held").length,
	};
	if (link === undefined) return { state: "starting", ...load };
	if (link.state !== "ready") {
		return { state: link.state === "lost" ? "waiting" : "refused", detail: link.detail, ...load };
	}
	if (connector?.gateway.state === "waiting") {
		return { state: "waiting", detail: connectorRunTexts.noAnswer, ...load };
	}
	if (behind > 0) {
		return { state: "waiting", detail: connectorRunTexts.missedMessages({ channels: behind }), ...load };
	}
	return { state: "connected", ...load };
}
