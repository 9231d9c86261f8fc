import { chanceOf, noFailpoints, parseFailpoints, systemClock } from "@parley/base";
import { type DiscordStatus, guardProcess, runDiscord } from "@parley/discord";
import type { Io } from "../io.ts";
import type { ConnectorWords } from "./connector-report.ts";
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
		...{ platform: "discord", secret: token, flags, io },
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
				words: async () => wordsOf(await running.status()),
				stop: () => running.stop(),
			};
		},
	});
}

/** How the connector is doing, as its report says it. */
function wordsOf({ link, connector }: DiscordStatus): ConnectorWords {
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
		return { state: "waiting", detail: "the gateway does not answer", ...load };
	}
	return { state: "connected", ...load };
}
