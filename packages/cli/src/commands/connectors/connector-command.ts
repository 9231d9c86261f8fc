import { Command, Option } from "commander";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import type { ConnectorFlags } from "../../connectors/run-connector.ts";
import type { Platform } from "../../gateway/platform.ts";

export type DoctorFlags = ConnectorFlags & { readonly json?: boolean; readonly fix?: boolean };

/** Words and actions of `parley PLATFORM`. Each action is loaded when it runs, and returns the exit code. */
export interface ConnectorWork {
	readonly platform: Platform;
	/** Kind of account at the platform: `bot`. */
	readonly account: string;
	/** Further parts that `doctor` checks: `its rights and its commands`. */
	readonly parts: string;
	/** Meaning of `doctor --fix`; absent if it can fix nothing. */
	readonly fix?: string;
	/** Source of the tokens: the first lines of the notes. */
	readonly tokens: string;
	run(flags: ConnectorFlags): Promise<number>;
	setUp(flags: ConnectorFlags): Promise<number>;
	examine(flags: DoctorFlags): Promise<number>;
}

/** Makes the command that runs the connector of a platform, with its `setup` and `doctor`; own options come before these. */
export function addConnectorWork(command: Command, work: ConnectorWork, io: Io): Command {
	const { title } = work.platform;
	command
		.description(`run the ${title} connector of a running gateway`)
		.helpCommand(false)
		.option("--config <file>", "configuration file (default: parley.config.json in the data directory)")
		.option("--log-level <level>", "debug, info (default), warn, error or silent")
		.addOption(new Option("--supervised").hideHelp())
		.addOption(new Option("--test-hooks <spec>").hideHelp())
		.addHelpText("after", notesOf(work).trimEnd());
	addAddressFlags(command).action(async (flags: ConnectorFlags) => {
		io.exitCode = await work.run(flags);
	});
	return command.addCommand(setupCommand(work, io)).addCommand(doctorCommand(work, io));
}

const notesOf = ({ tokens, platform }: ConnectorWork): string => `
${tokens}

If ${platform.title} or the gateway is not available, the connector waits and retries.
Exit codes: 0 after a stop request, 78 if you must change something first
(another start would fail the same way), 1 for other errors.
`;

const setupNotes = `
You can start without a token: the first step explains how to get one. The
gateway must run, for example with \`parley start\`. Completed steps are skipped.
At a terminal, Enter checks a step again; without one, a failed step exits
with 1.
`;

function setupCommand({ account, setUp }: ConnectorWork, io: Io): Command {
	const command = new Command("setup")
		.description(`set up the ${account} step by step`)
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("after", setupNotes.trimEnd());
	return command.action(async () => {
		io.exitCode = await setUp(command.optsWithGlobals<ConnectorFlags>());
	});
}

const doctorNotesOf = ({ platform, fix }: ConnectorWork): string => `
Queries ${platform.title} and needs no gateway. Changes nothing${fix === undefined ? "" : " without --fix"}. The id of a
finding never changes. Exit code: 1 if a check fails; 0 otherwise, also with
warnings.
`;

function doctorCommand(work: ConnectorWork, io: Io): Command {
	const command = new Command("doctor")
		.description(`check the ${work.account}, ${work.parts}, and explain how to fix problems`)
		.option("--json", "print JSON")
		.configureHelp({ showGlobalOptions: true })
		.addHelpText("after", doctorNotesOf(work).trimEnd());
	if (work.fix !== undefined) command.option("--fix", work.fix);
	return command.action(async () => {
		io.exitCode = await work.examine(command.optsWithGlobals<DoctorFlags>());
	});
}

type Name = Platform["name"];

export function postsCommand(platform: Name, io: Io): Command {
	const command = new Command("posts")
		.description("list posts that need a decision, and failed posts")
		.helpCommand(false)
		.option("--json", "print JSON")
		.configureHelp({ showGlobalOptions: true });
	command.action(async () => {
		const { listStuckPosts } = await import("../../connectors/stuck-posts.ts");
		const flags = command.optsWithGlobals<ConnectorFlags & { readonly json?: boolean }>();
		await listStuckPosts({ platform, flags }, io);
	});
	return command
		.addCommand(
			decideCommand("send", "send a held post or a failed answer", {
				platform,
				io,
			}),
		)
		.addCommand(decideCommand("drop", "discard a held post", { platform, io }));
}

function decideCommand(
	name: "send" | "drop",
	description: string,
	{ platform, io }: { readonly platform: Name; readonly io: Io },
): Command {
	const command = new Command(name)
		.description(description)
		.argument("<id>", `id from \`parley ${platform} posts\``);
	return command.action(async (id: string) => {
		const { decideStuck } = await import("../../connectors/stuck-posts.ts");
		const flags = command.optsWithGlobals<ConnectorFlags>();
		await decideStuck({ platform, id, send: name === "send", flags }, io);
	});
}
