import { Command, Option } from "commander";
import type { ConnectorFlags } from "../connectors/run-connector.ts";
import type { Io } from "../io.ts";
import { UsageError } from "../usage.ts";
import { addAddressFlags } from "./address-flags.ts";
import { postsCommand } from "./posts.ts";

const notes = `
The bot's token comes from the environment: DISCORD_TOKEN. Where it is set,
\`parley start\` runs this by itself. \`parley discord setup\` makes the bot with
you, step by step; \`parley discord doctor\` looks what is wrong with it.

It waits for Discord and for a gateway that goes away, and goes on by itself.
Exit codes: 0 when it was asked to stop, 78 when a person must change something
first (a new start would end the same way), 1 for anything else.
`;

const setupNotes = `
Begin without a token: the first step says where it comes from. The gateway must
run, as with \`parley start\`. What is done already is not asked for; at a
terminal Enter checks a step again, elsewhere the first that fails ends it with 1.
`;

const doctorNotes = `
Asks Discord, changes nothing, and needs no gateway. Each finding has an id that
stays the same. The exit code is 1 when one fails, 0 with warnings.
`;

/** `parley discord`: the connector that brings the agent into Discord. */
export function discordCommand(io: Io): Command {
	const command = new Command("discord")
		.description("bring the agent into Discord, beside a gateway that runs")
		.helpCommand(false)
		.option("--config <file>", "settings (default parley.config.json in the data directory)")
		.option("--log-level <level>", "debug, info (default), warn, error or silent")
		.addOption(new Option("--supervised").hideHelp())
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", notes.trimEnd());
	addAddressFlags(command).action(async (flags: ConnectorFlags) => {
		const { runDiscordConnector } = await import("../connectors/run-discord-connector.ts");
		io.exitCode = await runDiscordConnector({ flags, io, token: tokenOf(io) });
	});
	return command
		.addCommand(setupCommand(io))
		.addCommand(doctorCommand(io))
		.addCommand(postsCommand("discord", io));
}

function setupCommand(io: Io): Command {
	const command = new Command("setup")
		.description("make the bot step by step, until it has answered")
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("after", setupNotes.trimEnd());
	return command.action(async () => {
		const { setUpDiscord } = await import("../connectors/set-up-discord.ts");
		io.exitCode = await setUpDiscord(command.optsWithGlobals<ConnectorFlags>(), io);
	});
}

function doctorCommand(io: Io): Command {
	const command = new Command("doctor")
		.description("look what is wrong with the bot, its rights and its commands, and say how to mend it")
		.option("--json", "print JSON")
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("after", doctorNotes.trimEnd());
	return command.action(async () => {
		const { examineDiscord } = await import("../connectors/examine-discord.ts");
		const flags = command.optsWithGlobals<ConnectorFlags & { readonly json?: boolean }>();
		io.exitCode = await examineDiscord({ flags, io, token: tokenOf(io) });
	});
}

function tokenOf({ environment }: Io): string {
	const token = environment["DISCORD_TOKEN"]?.trim().replace(/^Bot /, "");
	if (token) return token;
	throw new UsageError(
		"DISCORD_TOKEN is not set\nset it to the bot's token; parley discord setup says where that comes from",
	);
}
