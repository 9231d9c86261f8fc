import type { Clock, Failpoints, Ids, Logger, Store } from "@parley/base";
import { ParleyError, Redactor } from "@parley/base";
import type { ClientTools } from "./agent/client-tools/client-tools.ts";
import { ProviderHealth } from "./agent/provider-health.ts";
import type { RunDeps, RunLimits } from "./agent/run.ts";
import { chooseSettings, type ModelChoice } from "./agent/settings.ts";
import type { Skills } from "./agent/skills/skills.ts";
import { systemPromptOf } from "./agent/system-prompt/session-prompt.ts";
import { placesAnswering } from "./conversation/may-answer-elsewhere.ts";
import type { Memories } from "./memory/memories.ts";
import { ModelTable } from "./models/table/model-table.ts";
import { noProfiles } from "./policy/profiles/no-profiles.ts";
import type { ProfileEndpoint, Profiles } from "./policy/profiles/profile.ts";
import type { Tables } from "./store/tables.ts";
import type { TextRedactor } from "./text/session-redactor.ts";
import type { Places } from "./trust/places.ts";
import type { OperatorTokenFile } from "./trust/tokens/token-file.ts";
import type { Schedules } from "./use-cases/schedules/schedules.ts";
import { type Roots, toolRoots } from "./use-cases/sessions/open.ts";
import { realName } from "./use-cases/sessions/set-model.ts";
import type { TaskRunner } from "./use-cases/tasks/task-runner.ts";
import { taskTools } from "./use-cases/tasks/tools/task-tools.ts";
import { type Budgets, noBudgets } from "./vocabulary/budget.ts";
import type { ChatSettings } from "./vocabulary/chat-settings.ts";
import type { FileLimits } from "./vocabulary/files/file-limits.ts";
import type { Model, Reasoning } from "./vocabulary/model.ts";
import type { Sandboxes } from "./vocabulary/sandbox.ts";
import type { SecretBox } from "./vocabulary/secrets.ts";
import type { Tool } from "./vocabulary/tool.ts";

/** What a runtime is made of. */
export interface RuntimeOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	readonly model: Model;
	/** The model's name for the provider, or a tier; the provider's default where absent. */
	readonly modelName?: string;
	/** Models that take over where that one stays unable to answer, in order. */
	readonly fallback?: readonly string[];
	readonly reasoning?: Reasoning;
	/** What is known of models; nothing unless told. */
	readonly table?: ModelTable;
	/** Whether sessions may choose models that the table does not know. */
	readonly anyModel?: boolean;
	/** Only the built-in one unless told. */
	readonly profiles?: Profiles;
	/** Other servers, as profiles name them; such profiles cannot be used unless told. */
	readonly modelAt?: (endpoint: ProfileEndpoint) => Model;
	readonly budgets?: Budgets;
	/** Whether a model names sessions that nobody has named; not unless told. */
	readonly titles?: boolean;
	/** Chance from 0 to 1, for what must not happen all at once; none unless told. */
	readonly random?: () => number;
	readonly tools: readonly Tool[];
	readonly sandbox: Sandboxes;
	readonly secrets: SecretBox;
	/** Takes secrets out of what tools found and models said, before anybody sees it; unless told, what looks like one. */
	readonly redactor?: TextRedactor;
	readonly roots: Roots;
	/** Further directories that no tool may touch; none unless told. Real paths. */
	readonly forbidden?: readonly string[];
	/** Replaces the system prompt's own text. */
	readonly systemTemplate?: string;
	/** What the system prompt says of commands; nothing unless told. */
	readonly commandsNote?: string;
	readonly limits?: Partial<RunLimits>;
	/** Of tasks: how many are worked on at a time, and what each may take. */
	readonly tasks?: Partial<RunLimits> & { readonly limit?: number };
	/** Whether other processes work on the store, too; not unless told. */
	readonly shared?: boolean;
	/** How much of files is kept, and how long. */
	readonly files?: Partial<FileLimits>;
	/** Who of chat platforms is let in, and how channels work; nobody unless told. */
	readonly chat?: ChatSettings;
	/** The operator's own token; only those that were made at run time unless told. */
	readonly operatorToken?: OperatorTokenFile;
	/**
	 * The operator's file of rules, which need not exist, and the directory of agents; the built-in rules alone unless
	 * told. `others` are tools that rules may name although they are not here, because the file is for other programs, too.
	 */
	readonly policy?: {
		readonly file: string;
		readonly agents?: string;
		readonly others?: readonly Pick<Tool, "name" | "command">[];
	};
}

/** What of it is about models. */
export type ModelOptions = Pick<
	RuntimeOptions,
	"model" | "modelName" | "fallback" | "reasoning" | "table" | "profiles" | "modelAt" | "tools" | "anyModel"
>;

/** The operator's choices about models, with their defaults. */
export function modelChoiceOf(options: ModelOptions): ModelChoice {
	const { model, modelName, fallback = [], reasoning, table = new ModelTable(), tools } = options;
	const { profiles = noProfiles, anyModel = false } = options;
	const modelAt = options.modelAt ?? refuseEndpoint;
	return { model, modelName, fallback, reasoning, table, profiles, modelAt, tools, anyModel };
}

function refuseEndpoint({ url }: ProfileEndpoint): never {
	throw new ParleyError(`this gateway cannot ask another server (${url})`, { code: "failed_precondition" });
}

/** What every run needs. */
export function runDepsOf(
	options: RuntimeOptions,
	choice: ModelChoice,
	{
		places,
		clientTools,
		memories,
		tasks,
		schedules,
		skills,
	}: {
		readonly places: Pick<Places, "profileOf" | "approveIn">;
		readonly clientTools: ClientTools;
		readonly memories: Memories;
		/** Exists when the first run starts. */
		readonly tasks: () => Pick<TaskRunner, "wake" | "stopEnded">;
		readonly schedules: Schedules;
		readonly skills: Skills;
	},
): RunDeps {
	const { roots } = options;
	return {
		settings: async (session, chosen, correlation) => {
			const tools = {
				skills: (await skills.forModel(session.rootDir)).length > 0,
				only: places.profileOf(session.place).tools,
				...(session.task && { ofTask: session.task.tools, added: taskTools(session.task) }),
				offered: clientTools.of(session.id, correlation),
			};
			return chooseSettings(session, choice, tools, chosen);
		},
		profileOf: ({ place }) => places.profileOf(place),
		approveIn: ({ place }) => options.store.read((db) => placesAnswering(db, place, places)),
		table: choice.table,
		budgets: options.budgets ?? noBudgets,
		random: options.random ?? (() => 0),
		sandbox: options.sandbox,
		roots: (session) => toolRoots(session, roots),
		forbidden: [
			roots.dataDir,
			...(options.forbidden ?? []),
			...(options.policy ? [options.policy.file] : []),
		],
		redactor: options.redactor ?? new Redactor(),
		health: new ProviderHealth(options.clock),
		memories,
		schedules,
		workflows: {
			modelOf: ({ profile }, wanted) => realName(profile, wanted, choice),
			startTasks: () => tasks().wake(),
			stopTasks: (ids) => tasks().stopEnded(ids),
		},
		skills,
		systemPrompt: systemPromptOf({ ...options, skills }),
		limits: { modelCalls: 50, workingMs: 30 * 60 * 1000, ...options.limits },
		taskLimits: { modelCalls: 200, workingMs: 2 * 60 * 60 * 1000, ...options.tasks },
	};
}
