import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { ManifestFlags } from "../../connectors/examine-slack.ts";
import { slack } from "../../gateway/platform.ts";
import { addConnectorWork, type ConnectorWork, postsCommand } from "./connector-command.ts";

const tokens = `Set the tokens in the environment: SLACK_BOT_TOKEN, and SLACK_APP_TOKEN for
Socket Mode, which needs no public address, or SLACK_SIGNING_SECRET and --listen
for HTTP. If they are set, \`parley start\` starts this connector. \`parley slack
setup\` sets up the app step by step; \`parley slack doctor\` checks it.`;

const manifestNotes = `
Without --diff, it prints the manifest to paste under "App Manifest" in the
settings of the app. With --diff, it compares an installed one: + is missing,
- is not needed, ~ differs; the exit code is 1 if anything differs. Names,
descriptions and colours are not compared.

Examples:
  parley slack manifest > manifest.json
  parley slack manifest --diff installed.json
  parley slack manifest --public-url https://chat.example.com
`;

export function slackCommand(io: Io): Command {
	const command = new Command("slack").option(
		"--listen <host:port>",
		"address that receives requests from Slack over HTTP",
	);
	const work: ConnectorWork = {
		platform: slack,
		account: "app",
		parts: "its scopes and its sockets",
		tokens,
		run: async (flags) => {
			const { runSlackConnector } = await import("../../connectors/run-slack-connector.ts");
			return runSlackConnector(flags, io);
		},
		setUp: async (flags) => {
			const { setUpSlack } = await import("../../connectors/examine-slack.ts");
			return setUpSlack(flags, io);
		},
		examine: async (flags) => {
			const { examineSlack } = await import("../../connectors/examine-slack.ts");
			return examineSlack({ flags, io });
		},
	};
	return addConnectorWork(command, work, io)
		.addCommand(manifestCommand(io))
		.addCommand(postsCommand("slack", io));
}

function manifestCommand(io: Io): Command {
	const command = new Command("manifest")
		.description("print the app manifest that Parley needs, or compare an installed one")
		.option("--public-url <url>", "for HTTP: public URL of this connector, without a path")
		.option("--diff <file>", "the manifest of an installed app; - reads it from standard input")
		.option("--json", "with --diff: print JSON")
		.addHelpText("after", manifestNotes.trimEnd());
	return command.action(async (flags: ManifestFlags) => {
		const { slackManifest } = await import("../../connectors/examine-slack.ts");
		io.exitCode = await slackManifest(flags, io);
	});
}
