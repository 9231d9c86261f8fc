import { defined, type Logger, systemClock } from "@parley/base";
import { startOwnProgram } from "@parley/core";
import type { Config } from "@parley/gateway";
import type { Io } from "../command-line/io.ts";
import type { GatewayFlags } from "../gateway/gateway-flags.ts";
import type { LogOutput } from "../gateway/log-output.ts";
import { platforms } from "../gateway/platform.ts";
import { proxyVariables } from "./proxy-variables.ts";
import { Supervisor } from "./supervisor.ts";

/** Environment variables that every connector receives. They contain no model keys. */
const sharedNames = [
	"PATH",
	"HOME",
	"LANG",
	"LC_ALL",
	"TZ",
	"TMPDIR",
	"XDG_DATA_HOME",
	"NO_COLOR",
	"NODE_EXTRA_CA_CERTS",
	"PARLEY_CONFIG",
	"NODE_USE_ENV_PROXY",
	...proxyVariables,
] as const;

interface SuperviseOptions {
	readonly flags: GatewayFlags;
	readonly io: Io;
	readonly log: Logger;
	/** Receives the log lines of connectors. By default, the lines are written to stderr. */
	onLine?(line: string): void;
}

/** Starts a connector for each platform with credentials in the environment. Restarts connectors like `Supervisor`. */
export function superviseConnectors(
	{ data, logLevel }: { readonly data: string; readonly logLevel: Config["logLevel"] },
	{ flags, io, log, onLine }: SuperviseOptions,
): { readonly names: readonly string[]; stop(): Promise<void> } {
	const script = process.argv[1] ?? "";
	const config = flags.config === undefined ? [] : ["--config", flags.config];
	const requested = platforms.filter((platform) => platform.isRequested(io.environment));
	const supervisors = requested.map(({ name, variables }) => {
		const args = [script, name, "--data", data, "--log-level", logLevel, ...config, "--supervised"];
		const environment = connectorEnvironment(io.environment, variables);
		return new Supervisor({
			name,
			clock: systemClock,
			log,
			start: () => startOwnProgram(defined({ args, environment, onErrorLine: onLine })),
		});
	});
	return {
		names: requested.map(({ name }) => name),
		stop: async () => void (await Promise.all(supervisors.map((supervisor) => supervisor.stop()))),
	};
}

/** Returns a function that starts the connectors with the gateway's log. `onStart` receives their names. */
export function attachConnectors(
	flags: GatewayFlags,
	io: Io,
	onStart: (names: readonly string[]) => void = () => undefined,
): (config: Config, log: Logger, output: LogOutput) => { stop(): Promise<void> } {
	return ({ data }, log, { level, destination, takesLines }) => {
		const pass = (line: string): void => void destination.write(`${line}\n`);
		const onLine = takesLines ? pass : undefined;
		const connectors = superviseConnectors({ data, logLevel: level }, defined({ flags, io, log, onLine }));
		onStart(connectors.names);
		return connectors;
	};
}

/**
 * Returns the environment of a connector. The environment contains only the shared variables and the `needed`
 * variables.
 */
export function connectorEnvironment(
	environment: Io["environment"],
	needed: readonly string[],
): Record<string, string> {
	return Object.fromEntries(
		[...sharedNames, ...needed].flatMap((name) => {
			const value = environment[name];
			return value === undefined ? [] : [[name, value]];
		}),
	);
}
