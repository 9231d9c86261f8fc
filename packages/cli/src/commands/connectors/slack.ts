import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { ManifestFlags } from "../../connectors/examine-slack.ts";
import { slack } from "../../gateway/platform.ts";
import { addConnectorWork, type ConnectorWork, postsCommand } from "./connector-command.ts";

const tokens = `The tokens come from the environment: SLACK_BOT_TOKEN, and SLACK_APP_TOKEN for
Socket Mode, which needs no address outside, or SLACK_SIGNING_SECRET and --listen
for HTTP. Where they are set, \`parley start\` runs this by itself. \`parley slack
setup\` makes the app with you, step by step; \`parley slack doctor\` looks what is
wrong with it.`;

const manifestNotes = `
Without --diff it prints what to paste under "App Manifest" in the settings of
the app. With --diff it compares one that is installed: + is missing, - is more
than is needed, ~ is otherwise; the exit code is 1 where anything is. Names,
descriptions and colours are yours, and are not compared.

Examples:
  parley slack manifest > manifest.json
  parley slack manifest --diff installed.json
  parley slack manifest --public-url https://chat.example.com
`;

/** `parley slack`: the connector that brings the agent into Slack. */
export function slackCommand(io: Io): Command {
	const command = new Command("slack").option(
		"--listen <host:port>",
		"wait there for what Slack sends over HTTP",
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
		.description("print the app that Parley needs, or what an installed one lacks")
		.option("--public-url <url>", "for HTTP: where Slack reaches this connector, without a path")
		.option("--diff <file>", "the manifest of an installed app; - reads it from standard input")
		.option("--json", "with --diff: print JSON")
		.addHelpText("after", manifestNotes.trimEnd());
	return command.action(async (flags: ManifestFlags) => {
		const { slackManifest } = await import("../../connectors/examine-slack.ts");
		io.exitCode = await slackManifest(flags, io);
	});
}
