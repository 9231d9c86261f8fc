import { guardProcess, runDiscord } from "@parley/discord";
import type { Io } from "../command-line/io.ts";
import { discord } from "../gateway/platform.ts";
import { type ConnectorFlags, runConnector } from "./run-connector.ts";

/** Runs the Discord connector until it is stopped, and returns the exit code. */
export function runDiscordConnector(options: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly token: string;
}): Promise<number> {
	const { flags, io, token } = options;
	return runConnector({
		platform: discord.name,
		secrets: [token],
		flags,
		io,
		start: (running, config) => {
			guardProcess(running.log);
			return runDiscord({ ...running, joinMs: config.chat?.joinMs ?? 0, token, ...config.discord });
		},
	});
}
