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

/** The whole command line. What a command needs is loaded when it runs. */
export function createProgram(io: Io): Command {
	const program = new Command(programName())
		.description("An AI agent on your own machine that asks before it acts.")
		.version(version)
		.helpCommand(false)
		.addHelpText("after", "\nBegin with `parley start`. `parley help offline` shows what needs no key.");
	const commands = [
		startCommand(io, version),
		gatewayCommand(io, version),
		rpcCommand(io, version),
		chatCommand(io),
		askCommand(io),
		answerCommand(io),
		sessionsCommand(io),
		skillsCommand(io),
		memoriesCommand(io),
		schedulesCommand(io),
		eventsCommand(io),
		tasksCommand(io),
		taskCommand(io),
		usageCommand(io),
		budgetCommand(io),
		agentsCommand(io),
		modelsCommand(io),
		policyCommand(io),
		statusCommand(io),
		doctorCommand(io, version),
		stopCommand(io),
		discordCommand(io),
		slackCommand(io),
		tokenCommand(io),
		peopleCommand(io),
		placesCommand(io),
		trustCommand(io),
		auditCommand(io),
		backupCommand(io, version),
		restoreCommand(io),
		helpCommand(io),
	];
	for (const command of commands) program.addCommand(command);
	return explainUsage(program, io);
}
