import { defined, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { CheckedTask } from "../../conversation/tasks/submit.ts";
import type { Profiles } from "../../policy/profiles/profile.ts";
import { fromRow } from "../../store/journal.ts";
import type { TaskRow } from "../../store/task-rows.ts";
import { type NewTask, type NewWorker, priorities } from "../../vocabulary/task.ts";
import { taskRefusalTexts } from "./texts.ts";

/** Default tools of tasks. */
const usualTools = ["run_command", "git", "query_memories"];

/** Maximum retries of a task after failures of a provider. */
const maxRetries = 3;

/** Lookups that check the agent, the tools and the model of a task. */
export interface TaskChoice {
	readonly profiles: Profiles;
	/** Returns the names of the tools that the agent has in the session. */
	readonly toolsOf: (session: Session, agent: string) => Promise<readonly string[]>;
	/** Returns the full name of a model on the agent's server. Throws for an unknown model. */
	readonly modelOf: (agent: string, requested: string) => Promise<string>;
	/** Returns the agent that the operator chose for a channel, or undefined. */
	readonly pinnedAgent: (place: string | undefined) => string | undefined;
}

/**
 * Checks the agent, the tools and the model of a task. Throws for a name that is unknown or not allowed in the session
 * `home`. `notes` describes the default tools that this session lacks.
 */
export async function checkTask(
	home: Session,
	requested: NewTask,
	choice: TaskChoice,
): Promise<{ readonly task: CheckedTask; readonly notes: readonly string[] }> {
	const pinned = choice.pinnedAgent(home.place);
	const agent = requested.agent ?? pinned ?? home.profile;
	if (pinned !== undefined && agent !== pinned) {
		throw invalid(taskRefusalTexts.agentByOperator(home.place, pinned));
	}
	await choice.profiles.find(agent);
	const usable = await choice.toolsOf(home, agent);
	const names = [...new Set(requested.tools ?? usualTools)];
	const unknown = names.find((name) => !usable.includes(name));
	if (unknown !== undefined && requested.tools) throw invalid(unknownTool(unknown, usable));
	const missing = names.filter((name) => !usable.includes(name));
	const inherited = agent === home.profile ? home.model : undefined;
	const model = requested.model === undefined ? inherited : await choice.modelOf(agent, requested.model);
	const task = {
		...requested,
		agent,
		maxRetries,
		tools: names.filter((name) => usable.includes(name)),
		...defined({ model }),
	};
	return {
		task,
		notes: missing.map((name) => taskRefusalTexts.toolMissing(name)),
	};
}

/**
 * Checks a requested worker, and adds the agent of the task. The rules of that agent then apply to the worker. Throws
 * `invalid_argument` for a tool that the task does not have.
 */
export async function checkWorker(
	row: TaskRow,
	requested: NewWorker,
	choice: TaskChoice,
): Promise<CheckedTask> {
	const { agent } = row;
	const own = fromRow<string[]>(row.tools);
	const tools = requested.tools ?? own;
	const unknown = tools.find((name) => !own.includes(name));
	if (unknown !== undefined) throw invalid(unknownTool(unknown, own));
	const model =
		requested.model === undefined ? (row.model ?? undefined) : await choice.modelOf(agent, requested.model);
	const { title, description, dependsOn } = requested;
	return {
		title,
		description,
		tools,
		agent,
		maxRetries,
		autonomy: row.autonomy,
		priority: priorities[row.priority] ?? "normal",
		...defined({ dependsOn, model }),
	};
}

function unknownTool(name: string, usable: readonly string[]): string {
	return taskRefusalTexts.noTool(name.slice(0, 100), usable);
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
