import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { ManifestFlags } from "../../connectors/examine-slack.ts";
import { slack } from "../../gateway/platform.ts";
import { slackHelp } from "../../texts/commands/connectors/slack.ts";
import { addConnectorWork, type ConnectorWork, postsCommand } from "./connector-command.ts";

export function slackCommand(io: Io): Command {
	const command = new Command("slack").option("--listen <host:port>", slackHelp.listen);
	const work: ConnectorWork = {
		platform: slack,
		account: "app",
		parts: slackHelp.parts,
		tokens: slackHelp.tokens,
		run: async (flags) => {
			const { runSlackConnector } = await import("../../connectors/run-slack-connector.ts");
			return runSlackConnector(flags, await withKeys(io, flags.data));
		},
		setUp: async (flags) => {
			const { setUpSlack } = await import("../../connectors/examine-slack.ts");
			return setUpSlack(flags, await withKeys(io, flags.data));
		},
		examine: async (flags) => {
			const { examineSlack } = await import("../../connectors/examine-slack.ts");
			return examineSlack({ flags, io: await withKeys(io, flags.data) });
		},
	};
	return addConnectorWork(command, work, io)
		.addCommand(manifestCommand(io))
		.addCommand(postsCommand("slack", io));
}

function manifestCommand(io: Io): Command {
	const command = new Command("manifest")
		.description(slackHelp.manifest)
		.option("--public-url <url>", slackHelp.publicUrl)
		.option("--diff <file>", slackHelp.diff)
		.option("--json", slackHelp.diffJson)
		.addHelpText("after", slackHelp.manifestNotes.trimEnd());
	return command.action(async (flags: ManifestFlags) => {
		const { slackManifest } = await import("../../connectors/examine-slack.ts");
		io.exitCode = await slackManifest(flags, io);
	});
}

async function withKeys(io: Io, data: string | undefined): Promise<Io> {
	// The module is loaded only when a command needs the keys.
	const { withStoredKeys } = await import("../../command-line/stored-keys.ts");
	return withStoredKeys(io, data);
}
