export { findNearMiss } from "./agents/near-miss.ts";
export { openProfiles } from "./agents/open-profiles.ts";
export type { Profile, ProfileEndpoint, Profiles } from "./agents/profile.ts";
export type { Author, Passing, Recorded, RecordedEvent, SessionEvent, TransientEvent } from "./event.ts";
export type { FileFacts } from "./files/file-facts.ts";
export { migrations } from "./journal/migrations.ts";
export type { Tables } from "./journal/tables.ts";
export type { Message } from "./message.ts";
export {
	type Model,
	type ModelEvent,
	type ModelRequest,
	type Reasoning,
	reasoningLevels,
	type Sampling,
} from "./model.ts";
export { ModelError } from "./model-error.ts";
export { createAnthropicModel, preloadAnthropic } from "./models/anthropic/anthropic-model.ts";
export { offlineHelp } from "./models/offline/help.ts";
export { createOfflineModel } from "./models/offline/offline-model.ts";
export { builtinModels } from "./models/table/builtin-models.ts";
export { modelsFromFile } from "./models/table/model-file.ts";
export type { ModelInfo, Prices } from "./models/table/model-info.ts";
export { ModelTable } from "./models/table/model-table.ts";
export { operator, type Principal } from "./principal.ts";
export type { Prompt } from "./prompt.ts";
export type { PromptResponse } from "./prompt-answer.ts";
export { type Keyed, Runtime } from "./runtime.ts";
export type { RuntimeOptions } from "./runtime-options.ts";
export { createUnsandboxed } from "./sandbox/unsandboxed.ts";
export type { Sandbox } from "./sandbox.ts";
export { SecretBox } from "./secrets.ts";
export type { ExplainedCall, Explanation } from "./session/explain.ts";
export type { Feedback } from "./session/feedback.ts";
export type { Follower } from "./session/follow.ts";
export type { SessionFilter, SessionSummary } from "./session/list.ts";
export type { Roots } from "./session/open.ts";
export type { EventFilter } from "./session/read-events.ts";
export type { Accepted } from "./session/send.ts";
export { builtinTools } from "./tools/builtin.ts";
export { createWebFetch, type WebFetchOptions } from "./tools/web/web-fetch.ts";
export type { BudgetReached, Budgets } from "./usage/budget.ts";
export { billionths, dollars, formatDollars } from "./usage/money.ts";
export type { UsageFilter, UsageReport } from "./usage/read-usage.ts";
export type { BudgetChange } from "./usage/set-budget.ts";
export { noUsage, type Usage } from "./usage/usage.ts";
