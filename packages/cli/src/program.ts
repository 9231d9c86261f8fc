import { Command } from "commander";
import { agentsCommand } from "./commands/agents.ts";
import { answerCommand } from "./commands/answer.ts";
import { askCommand } from "./commands/ask.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { budgetCommand } from "./commands/budget.ts";
import { chatCommand } from "./commands/chat.ts";
import { discordCommand } from "./commands/discord.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { eventsCommand } from "./commands/events.ts";
import { feedbackCommand } from "./commands/feedback.ts";
import { gatewayCommand } from "./commands/gateway.ts";
import { helpCommand } from "./commands/help.ts";
import { memoriesCommand } from "./commands/memories.ts";
import { modelsCommand } from "./commands/models.ts";
import { peopleCommand } from "./commands/people.ts";
import { placesCommand } from "./commands/places.ts";
import { policyCommand } from "./commands/policy.ts";
import { restoreCommand } from "./commands/restore.ts";
import { rpcCommand } from "./commands/rpc.ts";
import { schedulesCommand } from "./commands/schedules.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { skillsCommand } from "./commands/skills.ts";
import { slackCommand } from "./commands/slack.ts";
import { startCommand } from "./commands/start.ts";
import { statusCommand } from "./commands/status.ts";
import { stopCommand } from "./commands/stop.ts";
import { taskCommand } from "./commands/task.ts";
import { tasksCommand } from "./commands/tasks.ts";
import { tokenCommand } from "./commands/token.ts";
import { trustCommand } from "./commands/trust.ts";
import { usageCommand } from "./commands/usage.ts";
import type { Io } from "./io.ts";
import { programName } from "./program-name.ts";
import { explainUsage } from "./usage.ts";
import { version } from "./version.ts";

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
	places: placesCommand,
	trust: trustCommand,
	audit: auditCommand,
	backup: backupCommand,
	restore: restoreCommand,
};

/**
 * The command line for these arguments. If they begin with the name of a command, it has that command alone: to construct all
 * takes 10 ms. A command loads its own modules when it runs.
 */
export function createProgram(io: Io, args: readonly string[]): Command {
	const program = new Command(programName())
		.description("An AI agent on your own machine that asks before it acts.")
		.version(version)
		.helpCommand(false)
		.addHelpText("after", "\nBegin with `parley start`. `parley help offline` shows what needs no key.");
	const [name = ""] = args;
	const named = Object.hasOwn(commands, name) ? commands[name] : undefined;
	const made = named ? [named] : [...Object.values(commands), helpCommand];
	for (const make of made) program.addCommand(make(io, version));
	return explainUsage(program, io);
}
