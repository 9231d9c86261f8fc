import { delay, ParleyError, systemClock } from "@parley/base";
import type { Finding, SetupStep } from "@parley/connector";
import { type RunningProgram, startOwnProgram } from "@parley/core";
import type { Io } from "../io.ts";
import { withGateway } from "../with-gateway.ts";
import { type ConnectorStanding, readStandings } from "./connector-report.ts";
import { connectorFix, connectorWords } from "./connector-words.ts";
import type { Platform } from "./platform.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";
import { connectorEnvironment } from "./supervise-connectors.ts";

const lookMs = 300;
/** So long a connector may take to be connected, and then its commands to be brought. */
const patienceMs = 20_000;

/** The connector that runs, or where none does one that runs for as long as a setup. */
export class BorrowedConnector {
	readonly #flags: ConnectorFlags;
	readonly #io: Io;
	readonly #platform: Platform;
	readonly #args: readonly string[];
	#own: RunningProgram | undefined;

	constructor(of: {
		readonly flags: ConnectorFlags;
		readonly io: Io;
		readonly platform: Platform;
		/** What else its command is given. */
		readonly args: readonly string[];
	}) {
		this.#args = of.args;
		this.#flags = of.flags;
		this.#io = of.io;
		this.#platform = of.platform;
	}

	/** Whether it was started here, and ends with the setup. */
	get isOwn(): boolean {
		return this.#own !== undefined;
	}

	/** The step with a check before its own that a connector runs, which may do by itself what the step is about. */
	before(step: SetupStep): SetupStep {
		return {
			...step,
			check: async (signal) => {
				const connector = await this.#ensure(signal);
				if (connector.status !== "ok") return [connector];
				const end = systemClock.monotonic() + patienceMs;
				for (;;) {
					const findings = await step.check(signal);
					const isDone = findings.every(({ status }) => status === "ok");
					if (isDone || systemClock.monotonic() > end) return [connector, ...findings];
					// That it is time to stop shows in the signal, here as below.
					await delay(systemClock, lookMs, signal).catch(() => undefined);
					if (signal.aborted) return [connector, ...findings];
				}
			},
		};
	}

	/** Ends what was started here. */
	async giveBack(): Promise<void> {
		this.#own?.signal("SIGTERM");
		await this.#own?.ended;
	}

	async #ensure(signal: AbortSignal): Promise<Finding> {
		try {
			await withGateway(this.#flags, this.#io, (client) => client.request("list_sessions", { limit: 1 }));
		} catch (reason) {
			const fix = `run \`parley start\` in another terminal, with ${this.#platform.wants} set there as well`;
			return this.#found("fail", ParleyError.from(reason).message, fix);
		}
		const { data } = await readConnectorConfig(this.#flags, this.#io);
		if (!isAtWork(await this.#standingIn(data))) this.#start(data);
		return this.#untilConnected(data, signal);
	}

	#start(data: string): void {
		const { config, url } = this.#flags;
		const flags = Object.entries({ data, config, url, "log-level": "silent" });
		const given = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
		const own = startOwnProgram({
			args: [process.argv[1] ?? "", this.#platform.name, ...given, ...this.#args, "--supervised"],
			environment: connectorEnvironment(this.#io.environment, [
				...[...this.#platform.variables, "PARLEY_URL", "PARLEY_TOKEN"],
			]),
		});
		this.#own = own;
		void own.ended.then(() => {
			if (this.#own === own) this.#own = undefined;
		});
	}

	async #untilConnected(data: string, signal: AbortSignal): Promise<Finding> {
		const end = systemClock.monotonic() + patienceMs;
		let standing = await this.#standingIn(data);
		while (standing?.state !== "connected" && systemClock.monotonic() < end && !signal.aborted) {
			await delay(systemClock, lookMs, signal).catch(() => undefined);
			standing = await this.#standingIn(data);
			if (!this.isOwn && !isAtWork(standing)) break;
		}
		if (standing === undefined)
			return this.#found("fail", "the connector does not start", `parley ${this.#platform.name} says why`);
		const words = `connector: ${connectorWords(standing, systemClock.now())}`;
		if (standing.state === "connected") return this.#found("ok", words);
		return this.#found(
			"fail",
			words,
			connectorFix(standing) ?? `parley ${this.#platform.name} doctor looks closer`,
		);
	}

	async #standingIn(data: string): Promise<ConnectorStanding | undefined> {
		const standings = await readStandings(data, systemClock.now());
		return standings.find(({ platform }) => platform === this.#platform.name);
	}

	#found(status: "ok" | "fail", what: string, fix?: string): Finding {
		return { id: `${this.#platform.name}-connector`, status, what, ...(fix !== undefined && { fix }) };
	}
}

function isAtWork(standing: ConnectorStanding | undefined): boolean {
	return standing !== undefined && ["starting", "connected", "waiting"].includes(standing.state);
}
