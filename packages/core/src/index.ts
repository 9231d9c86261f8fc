export { findNearMiss } from "./agents/near-miss.ts";
export { openProfiles } from "./agents/open-profiles.ts";
export type { Profile, ProfileEndpoint, Profiles } from "./agents/profile.ts";
export { type Action, actions, authorize, isAuthorized } from "./authorize.ts";
export type { ClientCall, ClientResult } from "./client-tools/client-calls.ts";
export type { ToolClient, ToolConnection } from "./client-tools/client-tools.ts";
export { type ClientTool, clientToolLimits, type ToolRegistration } from "./client-tools/registration.ts";
export type { Compacted } from "./context/fit-request.ts";
export type { ContextSnapshot } from "./context-snapshot.ts";
export type {
	Author,
	EndCause,
	GrantFacts,
	Passing,
	Recorded,
	RecordedEvent,
	SessionEvent,
	TransientEvent,
	TrustBadge,
} from "./event.ts";
export type { FileFacts, KeptFile } from "./files/file-facts.ts";
export { type FileLimits, FileTooLargeError } from "./files/file-limits.ts";
export type { ByteRange, Files } from "./files/files.ts";
export { pictureProblem } from "./files/picture-kind.ts";
export { checkTexts, type TextCheck } from "./journal/check-texts.ts";
export { freshSchema } from "./journal/fresh-schema.ts";
export type { Placed } from "./journal/journal.ts";
export { migrations } from "./journal/migrations.ts";
export { countOpenWork } from "./journal/open-work.ts";
export { type Snapshot, takeSnapshot } from "./journal/snapshot.ts";
export type { Tables } from "./journal/tables.ts";
export type { Memory } from "./memory/memory.ts";
export { type AssistantMessage, type ImageBlock, imageTypes, isImageType, type Message } from "./message.ts";
export {
	type Model,
	type ModelEvent,
	type ModelRequest,
	type Reasoning,
	reasoningLevels,
	type Sampling,
	type StopReason,
} from "./model.ts";
export { ModelError } from "./model-error.ts";
export { createAnthropicModel } from "./models/anthropic/anthropic-model.ts";
export { createLlamaModel, type LlamaModel } from "./models/llama/llama-model.ts";
export { offlineHelp } from "./models/offline/help.ts";
export { createOfflineModel } from "./models/offline/offline-model.ts";
export { builtinModels } from "./models/table/builtin-models.ts";
export { modelsFromFile } from "./models/table/model-file.ts";
export type { ModelInfo, Prices } from "./models/table/model-info.ts";
export { ModelTable } from "./models/table/model-table.ts";
export { unknownModel } from "./models/table/unknown-model.ts";
export { checkPolicy } from "./policy/check-policy.ts";
export {
	type Actor,
	actingId,
	operator,
	type Person,
	type Place,
	type Principal,
	type PrincipalKind,
	placeKey,
	type Role,
	roles,
} from "./principal.ts";
export { alwaysRequires, type Prompt } from "./prompt.ts";
export type { PromptResponse } from "./prompt-answer.ts";
export type { RunOptions } from "./run/options.ts";
export type { ProviderState } from "./run/provider-health.ts";
export { Runtime } from "./runtime.ts";
export type { RuntimeOptions } from "./runtime-options.ts";
export { Egress } from "./sandbox/egress/egress.ts";
export { readAllowedHost } from "./sandbox/egress/host-name.ts";
export {
	findOperatorProgram,
	type OperatorProgram,
	operatorEnvironment,
	type RunningOperatorProgram,
	startOperatorProgram,
} from "./sandbox/operator-program.ts";
export { type OwnProgram, type RunningProgram, startOwnProgram } from "./sandbox/own-program.ts";
export { createSandboxes, type SandboxesOptions } from "./sandbox/sandboxes.ts";
export type { ProbeListeners } from "./sandbox/self-test.ts";
export {
	type Sandboxes,
	type SandboxFeatures,
	type SandboxMode,
	type SandboxState,
	sandboxModes,
} from "./sandbox.ts";
export { eventOf, whenText } from "./schedule/read-when.ts";
export type { RunOrigin, Schedule, Trigger } from "./schedule/schedule.ts";
export type { ScheduleTarget, WantedTrigger } from "./schedule/schedules.ts";
export { SecretBox } from "./secrets.ts";
export type { Explanation } from "./session/explain.ts";
export type { ExplainedCall } from "./session/explain-calls.ts";
export type { Feedback, FeedbackFilter, GivenFeedback } from "./session/feedback.ts";
export type { Follower } from "./session/follow.ts";
export type { Keyed } from "./session/idempotency.ts";
export type { HistoryBlock, HistoryMessage } from "./session/import-history.ts";
export { listSessions, type SessionFilter, type SessionSummary } from "./session/list.ts";
export type { Roots } from "./session/open.ts";
export type { OpenPrompt } from "./session/open-prompts.ts";
export type { EventFilter, EventHistory } from "./session/read-events.ts";
export type { TimedMessage } from "./session/read-transcript.ts";
export type { Accepted } from "./session/send.ts";
export { isSessionId } from "./session/sessions.ts";
export type { SkillEvent } from "./skills/skill-event.ts";
export { type FoundSkills, SkillFiles } from "./skills/skill-files.ts";
export type { ListedSkill } from "./skills/skills.ts";
export { builtInInstructions } from "./system-prompt/system-prompt.ts";
export { progressOf } from "./tasks/progress.ts";
export {
	type Autonomy,
	type NewTask,
	type PlanStep,
	type Priority,
	priorities,
	type TaskFacts,
	type TaskFilter,
	type TaskProgress,
	type TaskState,
	taskStates,
} from "./tasks/task.ts";
export type { TaskEvent, WorkerEvent } from "./tasks/task-event.ts";
export type { Submitted, Tasks } from "./tasks/tasks.ts";
export { defineTool, type Tool } from "./tool.ts";
export { builtinTools } from "./tools/builtin.ts";
export { isWithin } from "./tools/paths.ts";
export { shortToolNames } from "./tools/short/short-tool-names.ts";
export { shortTools } from "./tools/short/short-tools.ts";
export { visible } from "./tools/visible.ts";
export { createWebFetch, type WebFetchOptions } from "./tools/web/web-fetch.ts";
export { type Audit, type AuditEntry, type AuditRow, askedBy, byItself } from "./trust/audit.ts";
export { type AuditAnchor, type AuditCheck, checkAudit } from "./trust/audit-check.ts";
export type { AuditFilter } from "./trust/audit-log.ts";
export type { GrantOutcome, KeptGrant, WantedGrant } from "./trust/channel-grants.ts";
export type { ChatSettings, PersonRule } from "./trust/chat-settings.ts";
export type { OpenWish } from "./trust/grant-wishes.ts";
export type { ListedRule, PolicyListing } from "./trust/list-rules.ts";
export type { GivenRole, PairingFacts, PersonFacts } from "./trust/people.ts";
export type { PersonCheck, PersonReport } from "./trust/person-checks.ts";
export type { PlaceProfile } from "./trust/place-profile.ts";
export type { PlaceFacts } from "./trust/places.ts";
export type { PolicyAnswer, PolicyQuestion } from "./trust/policies.ts";
export type { OperatorTokenFile } from "./trust/token-file.ts";
export type { TokenFacts } from "./trust/token-rows.ts";
export type { NewToken } from "./trust/token-wish.ts";
export type { MadeToken, Tokens } from "./trust/tokens.ts";
export type { BudgetReached, Budgets } from "./usage/budget.ts";
export { billionths, dollars, formatDollars } from "./usage/money.ts";
export type { UsageFilter, UsageReport } from "./usage/read-usage.ts";
export type { BudgetChange } from "./usage/set-budget.ts";
export { noUsage, type Usage } from "./usage/usage.ts";
