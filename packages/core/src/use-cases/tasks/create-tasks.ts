import { chooseSettings, type ModelChoice, realName } from "../../agent/run/settings.ts";
import type { Runner } from "../../agent/runner.ts";
import type { Services } from "../../conversation/services.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import type { Places } from "../../trust/places.ts";
import { checkWorker, type TaskChoice } from "./check-task.ts";
import { TaskRunner } from "./task-runner.ts";
import { Tasks } from "./tasks.ts";

/** Default maximum of active tasks. */
const usualLimit = 4;

/** Services of the runtime for tasks. */
interface TaskParts {
	readonly deps: Services;
	readonly sessions: Sessions;
	readonly runner: Runner;
	readonly places: Places;
	readonly admit: () => void;
}

/** The tasks of a runtime, and who works on them. */
export function createTasks(
	{ limit = usualLimit, shared = false }: { readonly limit?: number; readonly shared?: boolean },
	models: ModelChoice,
	{ deps, sessions, runner, places, admit }: TaskParts,
): { readonly tasks: Tasks; readonly runner: TaskRunner } {
	const choice: TaskChoice = {
		profiles: models.profiles,
		modelOf: (agent, wanted) => realName(agent, wanted, models),
		pinnedAgent: (place) => places.profileOf(place).agent,
		async toolsOf({ place }, agent) {
			const only = places.profileOf(place).tools;
			const { tools } = await chooseSettings({ profile: agent, model: undefined }, models, { only });
			return tools.map(({ name }) => name);
		},
	};
	const check = (row: Parameters<typeof checkWorker>[0], wanted: Parameters<typeof checkWorker>[1]) =>
		checkWorker(row, wanted, choice);
	const taskRunner = new TaskRunner({ deps, sessions, runner, limit, alone: !shared, check });
	return { tasks: new Tasks({ deps, sessions, runner: taskRunner, choice, admit }), runner: taskRunner };
}
