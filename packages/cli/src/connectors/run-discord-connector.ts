import { chanceOf, noFailpoints, parseFailpoints, systemClock } from "@parley/base";
import { guardProcess, runDiscord } from "@parley/discord";
import type { Io } from "../io.ts";
import { stateWords } from "./connector-state.ts";
import { type ConnectorFlags, runConnector } from "./run-connector.ts";

/** Runs the Discord connector until it is stopped, and returns the exit code. */
export function runDiscordConnector(options: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly token: string;
}): Promise<number> {
	const { flags, io, token } = options;
	const failpoints = flags.testHooks === undefined ? noFailpoints : parseFailpoints(flags.testHooks);
	return runConnector({
		...{ platform: "discord", secrets: [token], flags, io },
		start: async ({ config, gateway, log, ids, changed }) => {
			guardProcess(log);
			const running = await runDiscord({
				...{ token, ...config.discord, gatewayUrl: gateway.url, gatewayToken: gateway.token ?? "" },
				...(gateway.certificate !== undefined && { certificate: gateway.certificate }),
				...{ dataDir: config.data, clock: systemClock, chance: () => chanceOf(ids), ids, log, failpoints },
				onLink: changed,
			});
			return {
				ended: running.ended,
				words: async () => stateWords(await running.status()),
				stop: () => running.stop(),
			};
		},
	});
}
