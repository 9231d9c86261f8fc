import { silentLogger, systemClock } from "@parley/base";
import type { Finding } from "@parley/connector";
import { examineDiscord as examine, openChecks, runCheck, setupSteps } from "@parley/discord";
import type { Io } from "../command-line/io.ts";
import { discord, discordToken } from "../gateway/platform.ts";
import { examineConnector } from "./examine-connector.ts";
import { type ConnectorFlags, readConnectorConfig } from "./run-connector.ts";
import { setUpConnector } from "./set-up-connector.ts";

/** Prints the findings about the bot. Returns the exit code: 1 if a check fails. */
export async function examineDiscord(options: {
	readonly flags: ConnectorFlags & { readonly json?: boolean; readonly fix?: boolean };
	readonly io: Io;
	readonly token: string;
}): Promise<number> {
	const { flags, io } = options;
	const checks = await openDiscordChecks(options);
	// The finding already lists every change, so the log is silent.
	const fix = flags.fix ? { log: silentLogger } : undefined;
	try {
		return await examineConnector({ platform: discord, flags, io, found: examine({ ...checks, fix }) });
	} finally {
		checks.close();
	}
}

/** Restores commands that were deleted or overwritten on Discord, and returns the findings. */
export async function fixDiscordCommands(options: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly token: string;
}): Promise<readonly Finding[]> {
	const checks = await openDiscordChecks(options);
	try {
		return await runCheck("commands", { ...checks, fix: { log: silentLogger } });
	} finally {
		checks.close();
	}
}

async function openDiscordChecks({
	flags,
	io,
	token,
}: {
	readonly flags: ConnectorFlags;
	readonly io: Io;
	readonly token: string;
}): Promise<ReturnType<typeof openChecks>> {
	const config = await readConnectorConfig(flags, io);
	return openChecks({ token, apiUrl: config.discord?.apiUrl, clock: systemClock });
}

/** Guides a person through the setup of a Discord bot. Returns the exit code. */
export async function setUpDiscord(flags: ConnectorFlags, io: Io): Promise<number> {
	const token = discordToken(io) ?? "";
	const checks = await openDiscordChecks({ flags, io, token });
	try {
		const way = {
			platform: discord,
			hasToken: token !== "",
			withConnector: ["commands"],
			steps: (answered: (signal: AbortSignal) => Promise<void>, patienceMs: number) =>
				setupSteps({ ...checks, answered, patienceMs }),
		};
		return await setUpConnector(way, flags, io);
	} finally {
		checks.close();
	}
}
