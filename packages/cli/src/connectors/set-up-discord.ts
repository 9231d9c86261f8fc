import { setupSteps } from "@parley/discord";
import type { Io } from "../io.ts";
import { openDiscordChecks } from "./examine-discord.ts";
import { discord, discordToken } from "./platform.ts";
import type { ConnectorFlags } from "./run-connector.ts";
import { setUpConnector } from "./set-up-connector.ts";

/** Walks a person through making a Discord bot; returns the exit code. */
export async function setUpDiscord(flags: ConnectorFlags, io: Io): Promise<number> {
	const token = discordToken(io) ?? "";
	const checks = await openDiscordChecks({ flags, io, token });
	try {
		const way = {
			...{ platform: discord, hasToken: token !== "", withConnector: ["commands"] },
			steps: (answered: (signal: AbortSignal) => Promise<void>, patienceMs: number) =>
				setupSteps({ ...checks, answered, patienceMs }),
		};
		return await setUpConnector(way, flags, io);
	} finally {
		checks.close();
	}
}
