import type { Tool } from "../vocabulary/tool.ts";
import { askUser } from "./ask-user.ts";
import { backgroundTools } from "./commands/background.ts";
import { runCommand } from "./commands/run-command.ts";
import { delegate } from "./delegate.ts";
import { editFile } from "./files/edit-file.ts";
import { listFiles } from "./files/list-files.ts";
import { readFile } from "./files/read-file.ts";
import { searchFiles } from "./files/search-files.ts";
import { sendFile } from "./files/send-file.ts";
import { writeFile } from "./files/write-file.ts";
import { git } from "./git/git.ts";
import { memoryTools } from "./memory.ts";
import { scheduleTools } from "./schedule.ts";
import { skill } from "./skill.ts";
import { todo } from "./todo.ts";

const builtin: readonly Tool[] = [
	runCommand,
	readFile,
	writeFile,
	editFile,
	listFiles,
	searchFiles,
	git,
	...backgroundTools,
	sendFile,
	askUser,
	todo,
	...memoryTools,
	...scheduleTools,
	skill,
	delegate,
];

/** Returns the built-in tools, except `web_fetch` and `web_search`, which have dependencies. */
export function builtinTools(): readonly Tool[] {
	return builtin;
}
