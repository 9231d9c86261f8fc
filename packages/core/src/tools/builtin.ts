import type { Tool } from "../tool.ts";
import { askUser } from "./ask-user.ts";
import { editFile } from "./edit-file.ts";
import { git } from "./git.ts";
import { listFiles } from "./list-files.ts";
import { memoryTools } from "./memory.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";
import { scheduleTools } from "./schedule.ts";
import { searchFiles } from "./search-files.ts";
import { sendFile } from "./send-file.ts";
import { skill } from "./skill.ts";
import { todo } from "./todo.ts";
import { writeFile } from "./write-file.ts";

const builtin: readonly Tool[] = [
	runCommand,
	readFile,
	writeFile,
	editFile,
	listFiles,
	searchFiles,
	git,
	sendFile,
	askUser,
	todo,
	...memoryTools,
	...scheduleTools,
	skill,
];

/** The tools that every session has. */
export function builtinTools(): readonly Tool[] {
	return builtin;
}
