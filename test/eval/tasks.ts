import type { Task } from "./task.ts";
import { editTasks } from "./tasks/edits.ts";
import { fileTasks } from "./tasks/files.ts";
import { injectionTasks } from "./tasks/injections.ts";
import { refusalTasks } from "./tasks/refusals.ts";
import { searchTasks } from "./tasks/searches.ts";
import { shellTasks } from "./tasks/shell.ts";
import { stepTasks } from "./tasks/steps.ts";

/** All tasks, in the order of the results. */
export const tasks: readonly Task[] = [
	...[...fileTasks, ...editTasks, ...searchTasks, ...shellTasks],
	...[...stepTasks, ...refusalTasks, ...injectionTasks],
];
