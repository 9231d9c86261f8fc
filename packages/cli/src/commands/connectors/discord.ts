import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { UsageError } from "../../command-line/usage.ts";
import { discord, discordToken } from "../../gateway/platform.ts";
import { discordHelp, discordMessages } from "../../texts/commands/connectors/discord.ts";
import { addConnectorWork, type ConnectorWork, postsCommand } from "./connector-command.ts";

export function discordCommand(io: Io): Command {
	const work: ConnectorWork = {
		platform: discord,
		account: "bot",
		parts: discordHelp.parts,
		tokens: discordHelp.tokens,
		fix: discordHelp.fix,
		run: async (flags) => {
			const { runDiscordConnector } = await import("../../connectors/run-discord-connector.ts");
			const own = await withKeys(io, flags.data);
			return runDiscordConnector({ flags, io: own, token: tokenOf(own) });
		},
		setUp: async (flags) => {
			const { setUpDiscord } = await import("../../connectors/examine-discord.ts");
			return setUpDiscord(flags, await withKeys(io, flags.data));
		},
		examine: async (flags) => {
			const { examineDiscord } = await import("../../connectors/examine-discord.ts");
			const own = await withKeys(io, flags.data);
			return examineDiscord({ flags, io: own, token: tokenOf(own) });
		},
	};
	return addConnectorWork(new Command("discord"), work, io).addCommand(postsCommand("discord", io));
}

function tokenOf(io: Io): string {
	const token = discordToken(io);
	if (token) return token;
	throw new UsageError(discordMessages.tokenMissing);
}

async function withKeys(io: Io, data: string | undefined): Promise<Io> {
	// The module is loaded only when a command needs the keys.
	const { withStoredKeys } = await import("../../command-line/stored-keys.ts");
	return withStoredKeys(io, data);
}
