import { Command } from "commander";
import type { Io } from "../../command-line/io.ts";
import type { ProjectFlags } from "../../gateway/projects.ts";
import { projectsHelp } from "../../texts/commands/access/projects.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

/** Creates `parley projects`, which lists and changes the directories in which agents may work. */
export function projectsCommand(io: Io): Command {
	const command = new Command("projects")
		.description(projectsHelp.description)
		.helpCommand(false)
		.option("--data <dir>", sharedHelp.gatewayData)
		.option("--json", sharedHelp.json)
		.addHelpText("after", projectsHelp.notes.trimEnd())
		.action(async (flags: ProjectFlags) => (await work()).listProjects(flags, io));
	const list = new Command("list")
		.description(projectsHelp.list)
		.action(async () => (await work()).listProjects(list.optsWithGlobals(), io));
	return command
		.addCommand(list)
		.addCommand(answerCommand("allow", io).option("-y, --yes", projectsHelp.yes))
		.addCommand(answerCommand("deny", io))
		.addCommand(answerCommand("forget", io));
}

function answerCommand(name: "allow" | "deny" | "forget", io: Io): Command {
	const command = new Command(name).description(projectsHelp[name]).argument("[dir]", projectsHelp.directory);
	return command.action(async (directory: string | undefined) => {
		io.exitCode = await (await work()).answerFor(directory ?? ".", name, {
			flags: command.optsWithGlobals<ProjectFlags>(),
			io,
		});
	});
}

function work() {
	return import("../../gateway/projects.ts");
}
