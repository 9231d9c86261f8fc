import { Command } from "commander";
import { type AddressFlags, addAddressFlags, findGateway } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";

interface SkillsFlags extends AddressFlags {
	readonly json?: boolean;
	readonly dir?: string;
}

const notes = `
A skill is instructions for a kind of work. Start one with /NAME in any message.
Skills are read from, in this order of precedence:
  skills/NAME.md, skills/NAME/SKILL.md   in the data directory: yours, always used
  .parley/skills                         in the working directory: need trust
  .claude/skills                         in the working directory: need trust
If two skills have the same name, the first is used and the other is reported.

Examples:
  parley skills
  parley skills show deploy
  parley skills trust ~/projects/shop
`;

/** `parley skills`: lists and shows skills, and trusts those of a working directory. */
export function skillsCommand(io: Io): Command {
	const command = new Command("skills")
		.description("list skills; trust those of a directory; exit code 1 if a file cannot be used")
		.helpCommand(false)
		.option("--dir <dir>", "working directory (default: the current directory)")
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
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
	const command = new Command("show")
		.description("show a skill with its text and the names of its files")
		.argument("<name>", "name of the skill");
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
		.description("trust the current skills of a working directory; a changed skill requires trust again")
		.argument("<dir>", "working directory that has .parley/skills or .claude/skills")
		.option("-y, --yes", "do not ask");
	return command.action(async (directory: string) => {
		const flags: SkillsFlags & { readonly yes?: boolean } = command.optsWithGlobals();
		const { trustSkills } = await import("../../questions/trust-skills.ts");
		io.exitCode = await trustSkills(await absolute(directory, io), flags, io);
	});
}

function untrustCommand(io: Io): Command {
	const command = new Command("untrust")
		.description("stop trusting the skills of a working directory")
		.argument("<dir>", "working directory");
	return command.action(async (given: string) => {
		const flags: SkillsFlags = command.optsWithGlobals();
		const directory = await absolute(given, io);
		const ended = await withGateway(flags, io, (client) => client.request("untrust_skills", { directory }));
		if (flags.json) return printJson(ended, io);
		printRows([`${ended.skills} ${ended.skills === 1 ? "skill is" : "skills are"} no longer trusted`], io);
	});
}

/** The working directory of the flags. A gateway on another machine has other directories. */
async function directoryOf(flags: SkillsFlags, io: Io): Promise<{ readonly directory?: string }> {
	if (flags.dir !== undefined) return { directory: await absolute(flags.dir, io) };
	const { isLocal } = await findGateway(flags, io);
	return isLocal ? { directory: io.cwd } : {};
}

async function absolute(directory: string, io: Io): Promise<string> {
	const { resolve } = await import("node:path");
	return resolve(io.cwd, directory);
}
