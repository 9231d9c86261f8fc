import { Command, Option } from "commander";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import type { ConnectorFlags } from "../../connectors/run-connector.ts";
import type { Platform } from "../../gateway/platform.ts";
import { connectorHelp } from "../../texts/commands/connectors/connector.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

export type DoctorFlags = ConnectorFlags & { readonly json?: boolean; readonly fix?: boolean };

/** Texts and actions of `parley PLATFORM`. Each action is loaded when it runs, and returns the exit code. */
export interface ConnectorWork {
	readonly platform: Platform;
	/** Kind of account on the platform, for example `bot`. */
	readonly account: string;
	/** Further parts that `doctor` checks, for example `its rights and its commands`. */
	readonly parts: string;
	/** Effect of `doctor --fix`, for the help. Absent if `--fix` is not supported. */
	readonly fix?: string;
	/** First note in the help: the source of the tokens. */
	readonly tokens: string;
	run(flags: ConnectorFlags): Promise<number>;
	setUp(flags: ConnectorFlags): Promise<number>;
	examine(flags: DoctorFlags): Promise<number>;
}

/**
 * Adds the action of a platform's connector to the command, and the subcommands, including `setup` and `doctor`. The
 * caller must add the platform's own options before this call.
 */
export function addConnectorWork(command: Command, work: ConnectorWork, io: Io): Command {
	const { title } = work.platform;
	command
		.description(connectorHelp.run({ platform: title }))
		.helpCommand(false)
		.option("--config <file>", sharedHelp.config)
		.option("--log-level <level>", sharedHelp.logLevel)
		.addOption(new Option("--supervised").hideHelp())
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", notesOf(work).trimEnd());
	addAddressFlags(command).action(async (flags: ConnectorFlags) => {
		io.exitCode = await work.run(flags);
	});
	return command.addCommand(setupCommand(work, io)).addCommand(doctorCommand(work, io));
}

const notesOf = ({ tokens, platform }: ConnectorWork): string =>
	connectorHelp.notes({ tokens, platform: platform.title });

function setupCommand({ account, setUp }: ConnectorWork, io: Io): Command {
	const command = new Command("setup")
		.description(connectorHelp.setup({ account }))
		.addHelpText("after", connectorHelp.setupNotes.trimEnd());
	return command.action(async () => {
		io.exitCode = await setUp(command.optsWithGlobals<ConnectorFlags>());
	});
}

const doctorNotesOf = ({ platform, fix }: ConnectorWork): string =>
	connectorHelp.doctorNotes({ platform: platform.title, fix });

function doctorCommand(work: ConnectorWork, io: Io): Command {
	const command = new Command("doctor")
		.description(connectorHelp.doctor({ account: work.account, parts: work.parts }))
		.option("--json", sharedHelp.json)
		.addHelpText("after", doctorNotesOf(work).trimEnd());
	if (work.fix !== undefined) command.option("--fix", work.fix);
	return command.action(async () => {
		io.exitCode = await work.examine(command.optsWithGlobals<DoctorFlags>());
	});
}

type Name = Platform["name"];

export function postsCommand(platform: Name, io: Io): Command {
	const command = new Command("posts")
		.description(connectorHelp.posts)
		.helpCommand(false)
		.option("--json", sharedHelp.json);
	command.action(async () => {
		const { listStuckPosts } = await import("../../connectors/stuck-posts.ts");
		const flags = command.optsWithGlobals<ConnectorFlags & { readonly json?: boolean }>();
		await listStuckPosts({ platform, flags }, io);
	});
	return command
		.addCommand(
			decideCommand("send", connectorHelp.sendPost, {
				platform,
				io,
			}),
		)
		.addCommand(decideCommand("drop", connectorHelp.dropPost, { platform, io }));
}

function decideCommand(
	name: "send" | "drop",
	description: string,
	{ platform, io }: { readonly platform: Name; readonly io: Io },
): Command {
	const command = new Command(name)
		.description(description)
		.argument("<id>", connectorHelp.postId({ platform }));
	return command.action(async (id: string) => {
		const { decideStuck } = await import("../../connectors/stuck-posts.ts");
		const flags = command.optsWithGlobals<ConnectorFlags>();
		await decideStuck({ platform, id, send: name === "send", flags }, io);
	});
}
