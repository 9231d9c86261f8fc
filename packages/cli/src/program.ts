import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { type Io, programName } from "./command-line/io.ts";
import { explainUsage, unusedFlag } from "./command-line/usage.ts";
import { auditCommand } from "./commands/access/audit.ts";
import { channelsCommand } from "./commands/access/channels.ts";
import { peopleCommand } from "./commands/access/people.ts";
import { policyCommand } from "./commands/access/policy.ts";
import { projectsCommand } from "./commands/access/projects.ts";
import { tokenCommand } from "./commands/access/token.ts";
import { trustCommand } from "./commands/access/trust.ts";
import { budgetCommand, usageCommand } from "./commands/agents/budget.ts";
import { mcpCommand } from "./commands/agents/mcp.ts";
import { memoriesCommand } from "./commands/agents/memories.ts";
import { agentsCommand, modelsCommand } from "./commands/agents/models.ts";
import { schedulesCommand } from "./commands/agents/schedules.ts";
import { skillsCommand } from "./commands/agents/skills.ts";
import { completeCommand, completionCommand } from "./commands/completion.ts";
import { discordCommand } from "./commands/connectors/discord.ts";
import { slackCommand } from "./commands/connectors/slack.ts";
import { configCommand } from "./commands/gateway/config.ts";
import { doctorCommand } from "./commands/gateway/doctor.ts";
import { gatewayCommand, startCommand } from "./commands/gateway/gateway.ts";
import { logsCommand } from "./commands/gateway/logs.ts";
import { backupCommand, restoreCommand } from "./commands/gateway/restore.ts";
import { rpcCommand } from "./commands/gateway/rpc.ts";
import { serviceCommand } from "./commands/gateway/service.ts";
import { setupCommand } from "./commands/gateway/setup.ts";
import { statusCommand } from "./commands/gateway/status.ts";
import { stopCommand } from "./commands/gateway/stop.ts";
import { uninstallCommand } from "./commands/gateway/uninstall.ts";
import { upgradeCommand } from "./commands/gateway/upgrade.ts";
import { versionCommand } from "./commands/gateway/version.ts";
import { helpCommand } from "./commands/help.ts";
import { answerCommand } from "./commands/sessions/answer.ts";
import { askCommand } from "./commands/sessions/ask.ts";
import { chatCommand } from "./commands/sessions/chat.ts";
import { eventsCommand } from "./commands/sessions/events.ts";
import { feedbackCommand } from "./commands/sessions/feedback.ts";
import { sessionsCommand } from "./commands/sessions/sessions.ts";
import { taskCommand, tasksCommand } from "./commands/sessions/tasks.ts";
import { programTexts } from "./texts/program.ts";

type MakeCommand = (io: Io, version: string) => Command;

/** Constructors of the commands, by heading and command name, in the order of the help. */
const groups: Readonly<Record<string, Readonly<Record<string, MakeCommand>>>> = {
	[programTexts.useAgent]: {
		chat: chatCommand,
		ask: askCommand,
		answer: answerCommand,
		sessions: sessionsCommand,
		tasks: tasksCommand,
		task: taskCommand,
		schedules: schedulesCommand,
		memories: memoriesCommand,
		events: eventsCommand,
		feedback: feedbackCommand,
	},
	[programTexts.runGateway]: {
		setup: setupCommand,
		start: startCommand,
		stop: stopCommand,
		status: statusCommand,
		service: serviceCommand,
		logs: logsCommand,
		doctor: doctorCommand,
		config: configCommand,
		gateway: gatewayCommand,
		rpc: rpcCommand,
		backup: backupCommand,
		restore: restoreCommand,
		upgrade: upgradeCommand,
		uninstall: uninstallCommand,
		version: versionCommand,
		completion: completionCommand,
	},
	[programTexts.modelsAndTools]: {
		models: modelsCommand,
		usage: usageCommand,
		budget: budgetCommand,
		agents: agentsCommand,
		skills: skillsCommand,
		mcp: mcpCommand,
	},
	[programTexts.chatsAndPeople]: {
		discord: discordCommand,
		slack: slackCommand,
		people: peopleCommand,
		channels: channelsCommand,
		projects: projectsCommand,
		trust: trustCommand,
		policy: policyCommand,
		token: tokenCommand,
		audit: auditCommand,
	},
};

const allCommands = Object.entries(groups).flatMap(([heading, commands]) =>
	Object.entries(commands).map(([name, make]) => ({ heading, name, make })),
);

/** Current names of renamed commands by their old names. The old names are aliases. */
const oldNames: Readonly<Record<string, string>> = { places: "channels" };

/**
 * Returns the program for these arguments. If they name a command, the program contains only this command, because
 * constructing all commands takes 10 ms. A command loads its own modules when it runs.
 */
export function createProgram(io: Io, args: readonly string[]): Command {
	const program: Command = new Command(programName())
		.description(programTexts.description)
		.version(version)
		.hook("preAction", (_, command) => applyGlobalFlags(program, command))
		.helpCommand(false)
		.addHelpText("after", programTexts.firstSteps);
	addGlobalFlags(program);
	const given = commandIn(args);
	const name = oldNames[given] ?? given;
	const named = allCommands.find((one) => one.name === name);
	for (const { heading, make } of named ? [named] : allCommands) {
		program.addCommand(make(io, version).helpGroup(heading));
	}
	if (!named) program.addCommand(helpCommand(io).helpGroup(programTexts.useAgent));
	if (given === "complete") program.addCommand(completeCommand(io, programToComplete), { hidden: true });
	return explainUsage(program, io);
}

/**
 * Creates the program with the commands that are completed. Excludes `completion`, because the completion library
 * adds its own.
 */
function programToComplete(io: Io): Command {
	const program = addGlobalFlags(new Command("parley"));
	for (const { name, make } of allCommands) if (name !== "completion") program.addCommand(make(io, version));
	return program;
}

/**
 * Skips `--data`, `--url` and their values, and returns the next argument: the name of the command, or another flag.
 * Returns "" if no argument remains.
 */
export function commandIn(args: readonly string[]): string {
	const [first = "", , ...others] = args;
	if (/^--(?:data|url)$/.test(first)) return commandIn(others);
	return /^--(?:data|url)=/.test(first) ? commandIn(args.slice(1)) : first;
}

function addGlobalFlags(program: Command): Command {
	return program
		.option("--data <dir>", programTexts.data)
		.option("--url <url>", programTexts.url)
		.enablePositionalOptions();
}

/**
 * Applies the flags of the program to the command. A flag after the name of the command has precedence. Throws a
 * `UsageError` if the command does not have the flag.
 */
function applyGlobalFlags(program: Command, command: Command): void {
	for (const [name, value] of Object.entries(program.opts())) {
		const owner = ownerOf(name, command, program);
		if (!owner) throw unusedFlag(name, command);
		const own: unknown = owner.getOptionValue(name);
		if (own === undefined) owner.setOptionValueWithSource(name, value, "cli");
		// A subcommand reads all flags together, and the flags of the program have precedence.
		else program.setOptionValueWithSource(name, own, "cli");
	}
}

/**
 * Returns the command, or its nearest parent group, that has the option. Returns undefined if only the program
 * has it.
 */
function ownerOf(name: string, command: Command, program: Command): Command | undefined {
	let owner: Command | null = command;
	while (owner && owner !== program) {
		if (owner.options.some((option) => option.attributeName() === name)) return owner;
		owner = owner.parent;
	}
	return undefined;
}

/** Version of the command, and of the gateway that it starts. */
const version = manifest.version;
