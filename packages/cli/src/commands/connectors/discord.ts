import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { UsageError } from "../../command-line/usage.ts";
import { discord, discordToken } from "../../gateway/platform.ts";
import { addConnectorWork, type ConnectorWork, postsCommand } from "./connector-command.ts";

const tokens = `Set the token of the bot in the environment: DISCORD_TOKEN. If it is set,
\`parley start\` starts this connector. \`parley discord setup\` sets up the bot
step by step; \`parley discord doctor\` checks it.`;

export function discordCommand(io: Io): Command {
	const work: ConnectorWork = {
		platform: discord,
		account: "bot",
		parts: "its rights and its commands",
		tokens,
		fix: "restore commands that were deleted or overwritten at Discord",
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
	throw new UsageError(
		"DISCORD_TOKEN is not set\nset it to the token of the bot; `parley discord setup` explains how to get one",
	);
}
