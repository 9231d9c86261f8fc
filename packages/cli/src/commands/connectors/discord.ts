import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import { UsageError } from "../../command-line/usage.ts";
import { discord, discordToken } from "../../gateway/platform.ts";
import { addConnectorWork, type ConnectorWork, postsCommand } from "./connector-command.ts";

const tokens = `The bot's token comes from the environment: DISCORD_TOKEN. Where it is set,
\`parley start\` runs this by itself. \`parley discord setup\` makes the bot with
you, step by step; \`parley discord doctor\` looks what is wrong with it.`;

/** `parley discord`: the connector that brings the agent into Discord. */
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
		"DISCORD_TOKEN is not set\nset it to the bot's token; parley discord setup says where that comes from",
	);
}
