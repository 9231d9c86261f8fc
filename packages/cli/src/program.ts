import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { type Io, programName } from "./command-line/io.ts";
import { explainUsage } from "./command-line/usage.ts";
import { auditCommand } from "./commands/access/audit.ts";
import { channelsCommand } from "./commands/access/channels.ts";
import { peopleCommand } from "./commands/access/people.ts";
import { policyCommand } from "./commands/access/policy.ts";
import { tokenCommand } from "./commands/access/token.ts";
import { trustCommand } from "./commands/access/trust.ts";
import { budgetCommand, usageCommand } from "./commands/agents/budget.ts";
import { mcpCommand } from "./commands/agents/mcp.ts";
import { memoriesCommand } from "./commands/agents/memories.ts";
import { agentsCommand, modelsCommand } from "./commands/agents/models.ts";
import { schedulesCommand } from "./commands/agents/schedules.ts";
import { skillsCommand } from "./commands/agents/skills.ts";
import { discordCommand } from "./commands/connectors/discord.ts";
import { slackCommand } from "./commands/connectors/slack.ts";
import { doctorCommand } from "./commands/gateway/doctor.ts";
import { gatewayCommand, startCommand } from "./commands/gateway/gateway.ts";
import { backupCommand, restoreCommand } from "./commands/gateway/restore.ts";
import { rpcCommand } from "./commands/gateway/rpc.ts";
import { statusCommand } from "./commands/gateway/status.ts";
import { stopCommand } from "./commands/gateway/stop.ts";
import { helpCommand } from "./commands/help.ts";
import { answerCommand } from "./commands/sessions/answer.ts";
import { askCommand } from "./commands/sessions/ask.ts";
import { chatCommand } from "./commands/sessions/chat.ts";
import { eventsCommand } from "./commands/sessions/events.ts";
import { feedbackCommand } from "./commands/sessions/feedback.ts";
import { sessionsCommand } from "./commands/sessions/sessions.ts";
import { taskCommand, tasksCommand } from "./commands/sessions/tasks.ts";

/** Constructors of the commands by name, in the order of the help. */
const commands: Readonly<Record<string, (io: Io, version: string) => Command>> = {
	start: startCommand,
	gateway: gatewayCommand,
	rpc: rpcCommand,
	chat: chatCommand,
	ask: askCommand,
	answer: answerCommand,
	sessions: sessionsCommand,
	skills: skillsCommand,
	mcp: mcpCommand,
	memories: memoriesCommand,
	schedules: schedulesCommand,
	feedback: feedbackCommand,
	events: eventsCommand,
	tasks: tasksCommand,
	task: taskCommand,
	usage: usageCommand,
	budget: budgetCommand,
	agents: agentsCommand,
	models: modelsCommand,
	policy: policyCommand,
	status: statusCommand,
	doctor: doctorCommand,
	stop: stopCommand,
	discord: discordCommand,
	slack: slackCommand,
	token: tokenCommand,
	people: peopleCommand,
	channels: channelsCommand,
	trust: trustCommand,
	audit: auditCommand,
	backup: backupCommand,
	restore: restoreCommand,
};

/** Current names of renamed commands by their old names, which are aliases of them. */
const oldNames: Readonly<Record<string, string>> = { places: "channels" };

/**
 * The program for these arguments. If they begin with the name of a command, it contains only that command, because
 * constructing all takes 10 ms. A command loads its own modules when it runs.
 */
export function createProgram(io: Io, args: readonly string[]): Command {
	const program = new Command(programName())
		.description("Self-hosted AI agent for you and your team. It asks before it acts.")
		.version(version)
		.helpCommand(false)
		.addHelpText(
			"after",
			"\nStart with `parley start`. The built-in model needs no API key: see\n`parley help offline`.",
		);
	const [given = ""] = args;
	const name = oldNames[given] ?? given;
	const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
	const made = named ? [named] : [...Object.values(commands), helpCommand];
	for (const make of made) program.addCommand(make(io, version));
	return explainUsage(program, io);
}

/** The version of the command and of the gateway that it starts. */
const version = manifest.version;
