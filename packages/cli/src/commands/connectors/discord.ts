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
			return runDiscordConnector({ flags, io, token: tokenOf(io) });
		},
		setUp: async (flags) => {
			const { setUpDiscord } = await import("../../connectors/examine-discord.ts");
			return setUpDiscord(flags, io);
		},
		examine: async (flags) => {
			const { examineDiscord } = await import("../../connectors/examine-discord.ts");
			return examineDiscord({ flags, io, token: tokenOf(io) });
		},
	};
	return addConnectorWork(new Command("discord"), work, io).addCommand(postsCommand("discord", io));
}

function tokenOf(io: Io): string {
	const token = discordToken(io);
	if (token) return token;
	throw new UsageError(discordMessages.tokenMissing);
}
