import { Command } from "commander";
import { type AddressFlags, addAddressFlags, findGateway } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { skillsHelp, skillsMessages } from "../../texts/commands/agents/skills.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface SkillsFlags extends AddressFlags {
	readonly json?: boolean;
	readonly dir?: string;
}

/** Creates `parley skills`, which lists and shows skills, and trusts the skills of a working directory. */
export function skillsCommand(io: Io): Command {
	const command = new Command("skills")
		.description(skillsHelp.description)
		.helpCommand(false)
		.option("--dir <dir>", skillsHelp.dir)
		.option("--json", sharedHelp.json)
		.addHelpText("after", skillsHelp.notes.trimEnd());
	addAddressFlags(command).action(async (flags: SkillsFlags) => {
		const given = await directoryOf(flags, io);
		const list = await withGateway(flags, io, (client) => client.request("list_skills", given));
		io.exitCode = list.problems.length === 0 ? 0 : 1;
		if (flags.json) return printJson(list, io);
		const { skillTable } = await import("../../tables/skill-and-memory-tables.ts");
		printRows(skillTable(list, outputFormat(io)), io);
	});
	return command.addCommand(showCommand(io)).addCommand(trustCommand(io)).addCommand(untrustCommand(io));
}

function showCommand(io: Io): Command {
	const command = new Command("show").description(skillsHelp.show).argument("<name>", skillsHelp.name);
	return command.action(async (name: string) => {
		const flags: SkillsFlags = command.optsWithGlobals();
		const given = await directoryOf(flags, io);
		const skill = await withGateway(flags, io, (client) => client.request("show_skill", { name, ...given }));
		if (flags.json) return printJson(skill, io);
		const { skillRows } = await import("../../tables/skill-and-memory-tables.ts");
		printRows(skillRows(skill, outputFormat(io)), io);
	});
}

function trustCommand(io: Io): Command {
	const command = new Command("trust")
		.description(skillsHelp.trust)
		.argument("<dir>", skillsHelp.trustedDirectory)
		.option("-y, --yes", sharedHelp.yes);
	return command.action(async (directory: string) => {
		const flags: SkillsFlags & { readonly yes?: boolean } = command.optsWithGlobals();
		const { trustSkills } = await import("../../questions/trust-skills.ts");
		io.exitCode = await trustSkills(await absolute(directory, io), flags, io);
	});
}

function untrustCommand(io: Io): Command {
	const command = new Command("untrust")
		.description(skillsHelp.untrust)
		.argument("<dir>", sharedHelp.workingDirectory);
	return command.action(async (given: string) => {
		const flags: SkillsFlags = command.optsWithGlobals();
		const directory = await absolute(given, io);
		const ended = await withGateway(flags, io, (client) => client.request("untrust_skills", { directory }));
		if (flags.json) return printJson(ended, io);
		printRows([skillsMessages.untrusted({ count: ended.skills })], io);
	});
}

/**
 * Resolves with the directory for the list of skills: `--dir`, otherwise the current directory. If the gateway is on
 * another machine, the result without `--dir` has no directory.
 */
async function directoryOf(flags: SkillsFlags, io: Io): Promise<{ readonly directory?: string }> {
	if (flags.dir !== undefined) return { directory: await absolute(flags.dir, io) };
	const { isLocal } = await findGateway(flags, io);
	return isLocal ? { directory: io.cwd } : {};
}

async function absolute(directory: string, io: Io): Promise<string> {
	const { resolve } = await import("node:path");
	return resolve(io.cwd, directory);
}
