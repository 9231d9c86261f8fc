import {
	type Clock,
	defined,
	definedItems,
	type Failpoints,
	type Ids,
	type Logger,
	type Store,
} from "@parley/base";
import { contextsOf } from "./agent/calls/tool-context.ts";
import type { ClientTools } from "./agent/client-tools/client-tools.ts";
import { Contexts } from "./agent/context/contexts.ts";
import type { McpOptions, McpServers } from "./agent/mcp/mcp-servers.ts";
import { ProviderHealth } from "./agent/run/provider-health.ts";
import type { RunLimits, RunSchedules } from "./agent/run/run.ts";
import {
	chooseSettings,
	type ModelChoice,
	type ModelOptions,
	realName,
	resolveChoice,
} from "./agent/run/settings.ts";
import type { RunnerPorts } from "./agent/runner.ts";
import type { Skills } from "./agent/skills/skills.ts";
import { systemPromptOf } from "./agent/system-prompt/session-prompt.ts";
import type { BackgroundCommands } from "./conversation/commands/background-commands.ts";
import { placesAnswering } from "./conversation/may-answer-elsewhere.ts";
import type { Observers } from "./conversation/observers.ts";
import type { Prompts } from "./conversation/prompts.ts";
import type { Session } from "./conversation/session.ts";
import type { SessionGrants } from "./conversation/session-grants.ts";
import type { Workspaces } from "./conversation/workspaces.ts";
import type { Files } from "./files/files.ts";
import { type Roots, toolRoots } from "./filesystem/paths.ts";
import type { Memories } from "./memory/memories.ts";
import type { Journal } from "./store/journal.ts";
import type { Tables } from "./store/tables.ts";
import type { TextRedactor } from "./text/session-redactor.ts";
import type { Audit } from "./trust/audit/audit.ts";
import type { People } from "./trust/people/people.ts";
import type { Places } from "./trust/places.ts";
import type { Policies } from "./trust/policies.ts";
import type { OperatorTokenFile, PolicyFiles } from "./trust/shared/trust-options.ts";
import type { TaskChoice } from "./use-cases/tasks/check-task.ts";
import type { TaskRunner } from "./use-cases/tasks/task-runner.ts";
import { taskTools } from "./use-cases/tasks/tools/task-tools.ts";
import type { ChatSettings } from "./vocabulary/chat-settings.ts";
import type { Sandboxes } from "./vocabulary/sandbox.ts";
import type { SecretBox } from "./vocabulary/secrets.ts";
import type { FileLimits } from "./vocabulary/stored-file.ts";
import { type Budgets, noBudgets } from "./vocabulary/usage.ts";

export interface RuntimeOptions extends ModelOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	readonly budgets?: Budgets;
	/** Whether a model chooses titles of sessions without a title. Default: false. */
	readonly titles?: boolean;
	/** Returns a random number from 0 to 1 for jitter. Default: no jitter. */
	readonly random?: () => number;
	readonly sandbox: Sandboxes;
	readonly secrets: SecretBox;
	/**
	 * Redactor that removes secrets from tool results and model output, before people and models see these texts. Default:
	 * redacts text that looks like a credential.
	 */
	readonly redactor?: TextRedactor;
	readonly roots: Roots;
	/** Real paths of additional directories that no tool may use. Default: none. */
	readonly forbidden?: readonly string[];
	/** Template that replaces the built-in system prompt. */
	readonly systemTemplate?: string;
	/** Text about commands in the system prompt. Default: none. */
	readonly commandsNote?: string;
	readonly limits?: Partial<RunLimits>;
	/** Maximum number of active tasks, and the limits of each task. */
	readonly tasks?: Partial<RunLimits> & { readonly limit?: number };
	/** Whether other processes use the store. Default: false. */
	readonly shared?: boolean;
	/** Limits of stored files and their lifetime. */
	readonly files?: Partial<FileLimits>;
	/** Access rules for chat users, and channel settings. Default: `noChat`. */
	readonly chat?: ChatSettings;
	/** File with the operator's token. Default: only tokens that were created at run time are valid. */
	readonly operatorToken?: OperatorTokenFile;
	/** Policy files. Default: only the built-in rules apply. */
	readonly policy?: PolicyFiles;
	/** MCP servers that offer tools to sessions. Default: none. */
	readonly mcp?: McpOptions;
}

export interface Services {
	readonly journal: Journal;
	readonly files: Files;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	readonly observers: Observers;
	/** Time at which the runtime was created, in milliseconds since the epoch. */
	readonly startedAt: number;
	/** Returns a keyed hash of the text: see `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
	readonly secrets: SecretBox;
	/** Redactor of the gateway's secrets. */
	readonly redactor: TextRedactor;
	readonly audit: Audit;
	readonly prompts: Prompts;
	readonly grants: SessionGrants;
	readonly people: People;
	readonly policies: Policies;
	/** Working directories of chat sessions. */
	readonly workspaces: Workspaces;
	/** Whether the gateway is stopping, and therefore disconnects its clients. */
	readonly stopping: () => boolean;
}

/** Returns the lookups for the agents, models and tools of tasks and sub-agents. */
export function taskChoiceOf(models: ModelChoice, places: Places, mcp: McpServers): TaskChoice {
	return {
		profiles: models.profiles,
		modelOf: (agent, requested) => realName(agent, requested, models),
		pinnedAgent: (place) => places.profileOf(place).agent,
		async toolsOf({ place, rootDir }, agent) {
			const only = places.profileOf(place).tools;
			const chosen = { only, mcp: await mcp.tools(rootDir, agent) };
			const { tools } = await chooseSettings({ profile: agent, model: undefined }, models, chosen);
			return tools.map(({ name }) => name);
		},
	};
}

/** Directories that the tools of a session may use, and paths that no tool may use. */
export interface ToolPlaces {
	readonly roots: (session: Session) => readonly string[];
	readonly forbidden: readonly string[];
}

export function toolPlacesOf({ roots, forbidden = [], policy }: RuntimeOptions): ToolPlaces {
	return {
		roots: (session) => toolRoots(session, roots.given),
		forbidden: definedItems([roots.dataDir, ...forbidden, policy?.file]),
	};
}

export function runnerPortsOf(
	options: RuntimeOptions,
	choice: ModelChoice,
	{
		places,
		clientTools,
		mcp,
		memories,
		tasks,
		schedules,
		skills,
		commands,
		services,
	}: {
		readonly services: Services;
		readonly places: Places;
		readonly clientTools: ClientTools;
		readonly mcp: McpServers;
		readonly memories: Memories;
		/** Returns the task runner, which is created before the first run starts. */
		readonly tasks: () => TaskRunner;
		readonly schedules: RunSchedules;
		readonly skills: Skills;
		readonly commands: BackgroundCommands;
	},
): RunnerPorts {
	const shared = {
		...services,
		contexts: new Contexts(services),
		profileOf: ({ place }: { readonly place: string | undefined }) => places.profileOf(place),
		table: choice.table,
		budgets: options.budgets ?? noBudgets,
		random: options.random ?? (() => 0),
		health: new ProviderHealth(options.clock),
		memories,
		workflows: {
			modelOf: ({ profile }: { readonly profile: string }, requested: string) =>
				realName(profile, requested, choice),
			agents: {
				...taskChoiceOf(choice, places, mcp),
				find: (agent: string) => choice.profiles.find(agent),
				usualModelOf: async (agent: string) =>
					(await resolveChoice({ profile: agent }, "default", choice)).model,
			},
			startTasks: () => tasks().wake(),
			stopTasks: (ids: readonly string[]) => tasks().stopEnded(ids),
		},
	};
	const contextOf = contextsOf({
		...shared,
		schedules,
		skills,
		commands,
		sandbox: options.sandbox,
		...toolPlacesOf(options),
	});
	return {
		...shared,
		contextOf,
		settings: async (session, chosen, correlation) => {
			const tools = {
				skills: (await skills.forModel(session.rootDir)).length > 0,
				mcp: await mcp.tools(session.rootDir, chosen?.agent ?? session.profile),
				only: places.profileOf(session.place).tools,
				...defined({ ofTask: session.task?.tools, added: session.task && taskTools(session.task) }),
				offered: clientTools.of(session.id, correlation),
			};
			return chooseSettings(session, choice, tools, chosen);
		},
		noticesOf: ({ place }, answeredIn) => places.noticesOf(place, answeredIn),
		approveIn: ({ place }) => options.store.read((db) => placesAnswering(db, place, places)),
		systemPrompt: systemPromptOf({ ...options, skills }),
		limits: { modelCalls: 50, workingMs: 30 * 60 * 1000, ...options.limits },
		taskLimits: { modelCalls: 200, workingMs: 2 * 60 * 60 * 1000, ...options.tasks },
	};
}
