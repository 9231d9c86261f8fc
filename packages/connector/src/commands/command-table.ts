import type { RoomContext } from "../rooms/handler-context.ts";
import { aboutCommands, helpCommand } from "./about.ts";
import { approvalCommands } from "./approvals.ts";
import type { Command } from "./command.ts";
import { memoryCommands } from "./memory.ts";
import { messageCommands } from "./message-commands.ts";
import { scheduleCommands } from "./schedule.ts";
import { sessionCommands } from "./session.ts";
import { skillCommands } from "./skill.ts";
import { taskCommands } from "./task.ts";
import { trustCommands } from "./trust.ts";

/** All commands of all platforms. Menus, help and text commands are generated from this table. */
export const commandTable: readonly Command<RoomContext>[] = [
	...messageCommands,
	...taskCommands,
	...sessionCommands,
	...approvalCommands,
	...trustCommands,
	...memoryCommands,
	...scheduleCommands,
	...skillCommands,
	...aboutCommands,
	helpCommand(() => commandTable),
];
