import { Command, Option } from "commander";
import type { ConnectorFlags } from "../connectors/run-connector.ts";
import type { SlackFlags } from "../connectors/run-slack-connector.ts";
import type { ManifestFlags } from "../connectors/slack-manifest.ts";
import type { Io } from "../io.ts";
import { addAddressFlags } from "./address-flags.ts";
import { postsCommand } from "./posts.ts";

const notes = `
The tokens come from the environment: SLACK_BOT_TOKEN, and SLACK_APP_TOKEN for
Socket Mode, which needs no address outside, or SLACK_SIGNING_SECRET and --listen
for HTTP. Where they are set, \`parley start\` runs this by itself. \`parley slack
setup\` makes the app with you, step by step; \`parley slack doctor\` looks what is
wrong with it.

It waits for Slack and for a gateway that goes away, and goes on by itself.
Exit codes: 0 when it was asked to stop, 78 when a person must change something
first (a new start would end the same way), 1 for anything else.
`;

const setupNotes = `
Begin without a token: the first step says where it comes from. The gateway must
run, as with \`parley start\`. What is done already is not asked for; at a
terminal Enter checks a step again, elsewhere the first that fails ends it with 1.
`;

const doctorNotes = `
Asks Slack, changes nothing, and needs no gateway. Each finding has an id that
stays the same. The exit code is 1 when one fails, 0 with warnings.
`;

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
	const command = new Command("slack")
		.description("bring the agent into Slack, beside a gateway that runs")
		.helpCommand(false)
		.option("--listen <host:port>", "wait there for what Slack sends over HTTP")
		.option("--config <file>", "settings (default parley.config.json in the data directory)")
		.option("--log-level <level>", "debug, info (default), warn, error or silent")
		.addOption(new Option("--supervised").hideHelp())
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", notes.trimEnd());
	addAddressFlags(command).action(async (flags: SlackFlags) => {
		const { runSlackConnector } = await import("../connectors/run-slack-connector.ts");
		io.exitCode = await runSlackConnector(flags, io);
	});
	return command
		.addCommand(setupCommand(io))
		.addCommand(doctorCommand(io))
		.addCommand(manifestCommand(io))
		.addCommand(postsCommand("slack", io));
}

function setupCommand(io: Io): Command {
	const command = new Command("setup")
		.description("make the app step by step, until it has answered")
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("after", setupNotes.trimEnd());
	return command.action(async () => {
		const { setUpSlack } = await import("../connectors/set-up-slack.ts");
		io.exitCode = await setUpSlack(command.optsWithGlobals<ConnectorFlags>(), io);
	});
}

function doctorCommand(io: Io): Command {
	const command = new Command("doctor")
		.description("look what is wrong with the app, its scopes and its sockets, and say how to mend it")
		.option("--json", "print JSON")
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("after", doctorNotes.trimEnd());
	return command.action(async () => {
		const { examineSlack } = await import("../connectors/examine-slack.ts");
		const flags = command.optsWithGlobals<ConnectorFlags & { readonly json?: boolean }>();
		io.exitCode = await examineSlack({ flags, io });
	});
}

function manifestCommand(io: Io): Command {
	const command = new Command("manifest")
		.description("print the app that Parley needs, or what an installed one lacks")
		.option("--public-url <url>", "for HTTP: where Slack reaches this connector, without a path")
		.option("--diff <file>", "the manifest of an installed app; - reads it from standard input")
		.option("--json", "with --diff: print JSON")
		.addHelpText("after", manifestNotes.trimEnd());
	return command.action(async (flags: ManifestFlags) => {
		const { slackManifest } = await import("../connectors/slack-manifest.ts");
		io.exitCode = await slackManifest(flags, io);
	});
}
