import { once } from "node:events";
import { createInterface } from "node:readline";
import { defined, delay, ParleyError, systemClock } from "@parley/base";
import type { Finding, SetupStep } from "@parley/connector";
import { type RunningProgram, startOwnProgram } from "@parley/core";
import { withGateway } from "../client/with-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat } from "../command-line/output.ts";
import type { Platform } from "../gateway/platform.ts";
import { doctorRows } from "../tables/finding-rows.ts";
import { createStyles, usesColours } from "../text/styles.ts";
import { wrapText } from "../text/wrap.ts";
import { connectorSetupTexts } from "../texts/connectors/setup.ts";
import { connectorCheckTexts } from "../texts/connectors/state.ts";
import {
	type ConnectorStatus,
	connectorFix,
	connectorWords,
	readConnectorStatuses,
} from "./connector-report.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";
import { connectorEnvironment } from "./supervise-connectors.ts";

/** Milliseconds that the person has to write to the bot. */
const patienceMs = 15 * 60_000;

/** Steps of a setup, and the platform that they set up. */
export interface SetupWay {
	readonly platform: Platform;
	/** Returns the steps of the setup. The last step waits for `answered`, at most `patienceMs`. */
	steps(answered: (signal: AbortSignal) => Promise<void>, patienceMs: number): readonly SetupStep[];
	/** Whether the token is set. Without a token, only the first step is possible. */
	readonly hasToken: boolean;
	/** Ids of the steps whose checks need a running connector, in addition to the answer step. */
	readonly withConnector: readonly string[];
	/** Further arguments for the connector's command. */
	readonly connectorArgs?: readonly string[];
}

interface Setup {
	readonly platform: Platform;
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly signal: AbortSignal;
}

/**
 * Guides a person through the setup of the bot. The last step waits for an answer of the bot. At a terminal,
 * Enter repeats the failed check of any other step. Without a terminal, the first failed check ends the
 * setup. Returns the exit code.
 */
export async function setUpConnector(way: SetupWay, flags: ConnectorFlags, io: Io): Promise<number> {
	const stopping = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => stopping.abort());
	const { platform } = way;
	const setup = { platform, flags, io, signal: stopping.signal };
	const since = systemClock.now();
	const answered = (signal: AbortSignal): Promise<void> =>
		untilAnswered({ flags, io, platform, since, signal });
	const connector = new SetupConnector({ flags, io, platform, args: way.connectorArgs ?? [] });
	const steps = way.steps(answered, patienceMs);
	try {
		if (!way.hasToken) return withoutToken(steps, setup);
		if (!(await follow(steps, { connector, way }, setup))) return stopping.signal.aborted ? 130 : 1;
		printLine(io, `\n${lastWords(connector, platform)}`);
		return 0;
	} finally {
		await connector.stop();
	}
}

async function follow(
	steps: readonly SetupStep[],
	{ connector, way }: { readonly connector: SetupConnector; readonly way: SetupWay },
	setup: Setup,
): Promise<boolean> {
	for (const [index, step] of steps.entries()) {
		printLine(setup.io, heading(setup.io, `${index + 1}/${steps.length}  ${step.title}`));
		const isDone =
			step.id === "answer"
				? await waitForAnswer(step, setup)
				: await passes(way.withConnector.includes(step.id) ? connector.before(step) : step, setup);
		if (!isDone) return false;
	}
	return true;
}

/**
 * Repeats the check of a step until it passes. Prints no instruction if the first check passes. Resolves with
 * false if the person leaves, or if the check fails without a terminal.
 */
async function passes(step: SetupStep, { io, signal }: Setup): Promise<boolean> {
	for (let isFirst = true; ; isFirst = false) {
		const findings = await step.check(signal);
		const isDone = findings.every(({ status }) => status !== "fail");
		if (!isDone && isFirst) printText(io, step.todo);
		show(findings, io);
		if (isDone) return true;
		if (signal.aborted || !io.stdin.isTTY) return false;
		const { again, retryWithToken } = connectorSetupTexts;
		printText(io, step.id === "token" ? retryWithToken : again);
		if (!(await entered(io, signal))) return false;
	}
}

async function waitForAnswer(step: SetupStep, { platform, flags, io, signal }: Setup): Promise<boolean> {
	const code = await withGateway(flags, io, async (client) => {
		const { people } = await client.request("list_people", {});
		const isOwned = people.some(
			({ person, role }) => person.startsWith(`${platform.name}:`) && role === "owner",
		);
		if (isOwned) return undefined;
		return (await client.request("invite_person", { role: "owner", platform: platform.name })).code;
	});
	if (code !== undefined) {
		printText(io, connectorSetupTexts.becomeOwner({ request: platform.pairing(code) }));
	}
	printText(io, step.todo);
	let isDone = false;
	try {
		const findings = await step.check(signal);
		show(findings, io);
		isDone = findings.every(({ status }) => status !== "fail");
	} finally {
		if (!isDone && code !== undefined) await withdraw(code, flags, io);
	}
	return isDone;
}

/** Withdraws the invitation. Ignores errors of the gateway, because a person may have used the invitation. */
async function withdraw(code: string, flags: ConnectorFlags, io: Io): Promise<void> {
	try {
		await withGateway(flags, io, (client) => client.request("withdraw_pairing", { pairing: code }));
	} catch (reason) {
		if (!(reason instanceof ParleyError)) throw reason;
	}
}

function withoutToken([first, ...others]: readonly SetupStep[], { platform, io }: Setup): number {
	if (first) printLine(io, heading(io, `1/${others.length + 1}  ${first.title}`));
	if (first) printText(io, first.todo);
	const [variable = ""] = platform.variables;
	printText(io, connectorSetupTexts.runAgain({ variable, platform: platform.name }));
	return 1;
}

function lastWords({ isOwn }: SetupConnector, { title, credential }: Platform): string {
	const words = isOwn ? connectorSetupTexts.completeAndStopped : connectorSetupTexts.complete;
	return words({ variables: credential, platform: title });
}

async function entered({ stdin }: Io, signal: AbortSignal): Promise<boolean> {
	const lines = createInterface({ input: stdin, signal });
	const [line] = await Promise.race([once(lines, "line"), once(lines, "close").then(() => [undefined])]);
	lines.close();
	return line !== undefined && !signal.aborted;
}

function heading({ stdout, environment }: Io, text: string): string {
	return `\n${createStyles(usesColours(stdout, environment)).bold(text)}`;
}

function show(findings: readonly Finding[], io: Io): void {
	const { columns, styles } = outputFormat(io);
	// Excludes the empty row and the totals at the end.
	const rows = doctorRows(findings, { styles, columns: columns - 5 }).slice(0, -2);
	printLine(io, rows.map((row) => `     ${row}`).join("\n"));
}

function printText(io: Io, text: string): void {
	const rows = wrapText(text, outputFormat(io).columns - 5);
	printLine(io, rows.map((row) => `     ${row}`).join("\n"));
}

function printLine({ stdout }: Io, text: string): void {
	stdout.write(`${text}\n`);
}

const pollMs = 2_000;

async function untilAnswered(options: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly platform: Platform;
	/** Time in milliseconds since the epoch. */
	readonly since: number;
	readonly signal: AbortSignal;
}): Promise<void> {
	const { flags, io, platform, since, signal } = options;
	await withGateway(flags, io, async (client) => {
		for (;;) {
			const { sessions } = await client.request("list_sessions", { limit: 100 });
			const isAnswer = sessions.some(
				({ external_key, updated_at, message_count, state }) =>
					external_key?.startsWith(`${platform.name}:`) &&
					Date.parse(updated_at) > since &&
					message_count >= 2 &&
					state === "idle",
			);
			if (isAnswer) return;
			await delay(systemClock, pollMs, signal);
		}
	});
}

const readyPollMs = 300;
/** Maximum milliseconds for a connector to connect, and then for a step that the connector may complete. */
const connectMs = 20_000;

/** Uses the running connector, or starts a temporary connector for the setup. */
class SetupConnector {
	readonly #flags: ConnectorFlags;
	readonly #io: Io;
	readonly #platform: Platform;
	readonly #args: readonly string[];
	#own: RunningProgram | undefined;

	constructor(of: {
		readonly flags: ConnectorFlags;
		readonly io: Io;
		readonly platform: Platform;
		readonly args: readonly string[];
	}) {
		this.#args = of.args;
		this.#flags = of.flags;
		this.#io = of.io;
		this.#platform = of.platform;
	}

	/** Whether a connector is running that the setup has started. This connector ends with the setup. */
	get isOwn(): boolean {
		return this.#own !== undefined;
	}

	/**
	 * Returns the step with a check that starts a connector if none is running. The check then waits up to `connectMs`,
	 * because the connector may complete the step itself.
	 */
	before(step: SetupStep): SetupStep {
		return {
			...step,
			check: async (signal) => {
				const connector = await this.#ensure(signal);
				if (connector.status !== "ok") return [connector];
				const end = systemClock.monotonic() + connectMs;
				for (;;) {
					const findings = await step.check(signal);
					const isDone = findings.every(({ status }) => status === "ok");
					if (isDone || systemClock.monotonic() > end) return [connector, ...findings];
					// The code below checks the signal for an abort.
					await delay(systemClock, readyPollMs, signal).catch(() => undefined);
					if (signal.aborted) return [connector, ...findings];
				}
			},
		};
	}

	/** Stops the connector that the setup has started. */
	async stop(): Promise<void> {
		this.#own?.signal("SIGTERM");
		await this.#own?.ended;
	}

	async #ensure(signal: AbortSignal): Promise<Finding> {
		try {
			await withGateway(this.#flags, this.#io, (client) => client.request("list_sessions", { limit: 1 }));
		} catch (reason) {
			const fix = connectorSetupTexts.startGatewayFix({ variables: this.#platform.credential });
			return this.#found("fail", ParleyError.from(reason).message, fix);
		}
		const { data } = await readConnectorConfig(this.#flags, this.#io);
		if (!isRunning(await this.#statusIn(data))) this.#start(data);
		return this.#untilConnected(data, signal);
	}

	#start(data: string): void {
		const { config, url } = this.#flags;
		const flags = Object.entries({ data, config, url, "log-level": "silent" });
		const given = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
		const own = startOwnProgram({
			args: [process.argv[1] ?? "", this.#platform.name, ...given, ...this.#args, "--supervised"],
			environment: connectorEnvironment(this.#io.environment, [
				...this.#platform.variables,
				"PARLEY_URL",
				"PARLEY_TOKEN",
			]),
		});
		this.#own = own;
		void own.ended.then(() => {
			if (this.#own === own) this.#own = undefined;
		});
	}

	async #untilConnected(data: string, signal: AbortSignal): Promise<Finding> {
		const end = systemClock.monotonic() + connectMs;
		let status = await this.#statusIn(data);
		while (status?.state !== "connected" && systemClock.monotonic() < end && !signal.aborted) {
			// The loop checks the signal for an abort.
			await delay(systemClock, readyPollMs, signal).catch(() => undefined);
			status = await this.#statusIn(data);
			if (!this.isOwn && !isRunning(status)) break;
		}
		if (status === undefined)
			return this.#found(
				"fail",
				connectorSetupTexts.doesNotStart,
				connectorSetupTexts.doesNotStartFix({ platform: this.#platform.name }),
			);
		const words = connectorCheckTexts.state({ words: connectorWords(status, systemClock.now()) });
		if (status.state === "connected") return this.#found("ok", words);
		return this.#found(
			"fail",
			words,
			connectorFix(status) ?? connectorSetupTexts.detailsFix({ platform: this.#platform.name }),
		);
	}

	async #statusIn(data: string): Promise<ConnectorStatus | undefined> {
		const statuses = await readConnectorStatuses(data, systemClock.now());
		return statuses.find(({ platform }) => platform === this.#platform.name);
	}

	#found(status: "ok" | "fail", what: string, fix?: string): Finding {
		return { id: `${this.#platform.name}-connector`, status, what, ...defined({ fix }) };
	}
}

function isRunning(status: ConnectorStatus | undefined): boolean {
	return status !== undefined && ["starting", "connected", "waiting"].includes(status.state);
}
