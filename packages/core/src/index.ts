export type { ClientCall, ClientResult } from "./agent/client-tools/client-calls.ts";
export type { ToolClient, ToolConnection } from "./agent/client-tools/client-tools.ts";
export {
	type ClientTool,
	clientToolLimits,
	type ToolRegistration,
} from "./agent/client-tools/registration.ts";
export type { Compacted } from "./agent/context/fit-request.ts";
export {
	type DirectoryEntry,
	type ProgramEntry,
	type RemoteEntry,
	trustNeed,
	variablesOf,
} from "./agent/mcp/directory/directory-entry.ts";
export {
	type DirectoryFile,
	directoryFileName,
	readDirectoryFile,
} from "./agent/mcp/directory/directory-file.ts";
export { programOf, trustedServers } from "./agent/mcp/directory/directory-trust.ts";
export { beginLogin, type LoginOptions, type PendingLogin } from "./agent/mcp/login/begin-login.ts";
export { revokeLogin } from "./agent/mcp/login/end-login.ts";
export { mcpLoginTexts } from "./agent/mcp/login/texts.ts";
export { fixedSource, McpServers } from "./agent/mcp/mcp-servers.ts";
export type { ProviderState } from "./agent/run/provider-health.ts";
export { SkillFiles, type SkillsOnDisk } from "./agent/skills/skill-files.ts";
export type { ListedSkill } from "./agent/skills/skills.ts";
export { builtInInstructions } from "./agent/system-prompt/system-prompt.ts";
export type { GrantOutcome, RequestedGrant, StoredGrant } from "./conversation/grants/channel-grants.ts";
export { isSessionId } from "./conversation/sessions.ts";
export type { ByteRange, Files } from "./files/files.ts";
export type { Roots } from "./filesystem/paths.ts";
export { isWithin } from "./filesystem/paths.ts";
export { createAiSdkModel } from "./models/ai-sdk/ai-sdk-model.ts";
export type { ApiFamily } from "./models/ai-sdk/families.ts";
export type { ServerTraits } from "./models/ai-sdk/server-traits.ts";
export { createAnthropicModel } from "./models/anthropic/anthropic-model.ts";
export { createLlamaModel, type LlamaModel } from "./models/llama/llama-model.ts";
export { createOfflineModel } from "./models/offline/offline-model.ts";
export { offlineHelp } from "./models/offline/texts.ts";
export { createRoutedModel } from "./models/routed/routed-model.ts";
export { builtinModels } from "./models/table/builtin-models.ts";
export { modelsFromFile } from "./models/table/model-file.ts";
export type { ModelInfo, Prices, Routes } from "./models/table/model-table.ts";
export { ModelTable, tiers, unknownModel } from "./models/table/model-table.ts";
export { checkPolicy } from "./policy/policy-layers.ts";
export { openProfiles } from "./policy/profiles/open-profiles.ts";
export type { Profile, ProfileEndpoint, Profiles } from "./policy/profiles/profile.ts";
export { Runtime } from "./runtime.ts";
export type { RuntimeOptions } from "./runtime-options.ts";
export { Egress } from "./sandbox/egress/egress.ts";
export { readAllowedHost } from "./sandbox/egress/host-name.ts";
export {
	type OperatorCommand,
	type OperatorCommandResult,
	readOperatorCommand,
	runOperatorCommand,
} from "./sandbox/operator-command.ts";
export {
	findOperatorProgram,
	type OperatorProgram,
	operatorEnvironment,
	type RunningOperatorProgram,
	startOperatorProgram,
} from "./sandbox/operator-program.ts";
export {
	askToEndAs,
	type BackgroundProgram,
	type OwnProgram,
	type RunningProgram,
	runOnTerminal,
	startInBackground,
	startOwnProgram,
} from "./sandbox/own-program.ts";
export { createSandboxes, type SandboxesOptions } from "./sandbox/sandboxes.ts";
export type { ProbeListeners } from "./sandbox/self-test.ts";
export { checkStoredTexts, type TextCheck } from "./store/check-texts.ts";
export type { Keyed } from "./store/idempotency.ts";
export type { PositionedEvent } from "./store/journal.ts";
export { freshSchema } from "./store/migrations/fresh-schema.ts";
export { migrations } from "./store/migrations/migrations.ts";
export { countOpenWork } from "./store/open-work.ts";
export { createSnapshot, type Snapshot } from "./store/snapshot.ts";
export type { Tables } from "./store/tables.ts";
export { findNearMiss } from "./text/near-miss.ts";
export { eventOf, whenText } from "./text/schedule-times.ts";
export { isUnread } from "./text/unread-approval.ts";
export { visible, visibleLines } from "./text/visible.ts";
export { builtinTools } from "./tools/builtin.ts";
export { shortToolNames } from "./tools/short/short-tool-names.ts";
export { shortTools } from "./tools/short/short-tools.ts";
export type { WebFetchOptions } from "./tools/web/page-fetcher.ts";
export { braveOrigin, createSearchProvider, type SearchSettings } from "./tools/web/search-provider.ts";
export { createWebFetch } from "./tools/web/web-fetch.ts";
export { createWebSearch } from "./tools/web/web-search.ts";
export {
	type Audit,
	type AuditEntry,
	type AuditRow,
	auditedCall,
	byItself,
	requestedBy,
} from "./trust/audit/audit.ts";
export { type AuditAnchor, type AuditCheck, checkAudit } from "./trust/audit/audit-check.ts";
export type { AuditFilter } from "./trust/audit/audit-log.ts";
export type { OpenGrantRequest } from "./trust/grants/open-grant-requests.ts";
export type { PairingFacts } from "./trust/people/pairings.ts";
export type { PersonCheck, PersonReport } from "./trust/people/person-checks.ts";
export type { AssignableRole, PersonFacts } from "./trust/people/person-rows.ts";
export type { PlaceFacts } from "./trust/places.ts";
export type { ListedRule, PolicyAnswer, PolicyListing, PolicyQuestion } from "./trust/policies.ts";
export type { OperatorTokenFile } from "./trust/shared/trust-options.ts";
export type { NewToken } from "./trust/tokens/new-token.ts";
export type { TokenFacts } from "./trust/tokens/token-rows.ts";
export type { CreatedToken, Tokens } from "./trust/tokens/tokens.ts";
export type { UsageFilter, UsageReport } from "./usage/read-usage.ts";
export type { BudgetChange } from "./usage/set-budget.ts";
export type { Explanation } from "./use-cases/messages/explain.ts";
export type { ExplainedCall } from "./use-cases/messages/explain-calls.ts";
export type {
	Feedback,
	FeedbackEntry,
	FeedbackFilter,
} from "./use-cases/messages/feedback.ts";
export type { OpenPrompt } from "./use-cases/messages/open-prompts.ts";
export type { ReadSummary } from "./use-cases/messages/read-summary.ts";
export type { ReadContext } from "./use-cases/messages/select-context.ts";
export type { Accepted } from "./use-cases/messages/send.ts";
export type { ScheduleTarget } from "./use-cases/schedules/schedules.ts";
export type { Follower } from "./use-cases/sessions/follow.ts";
export type { HistoryBlock, HistoryMessage } from "./use-cases/sessions/import-history.ts";
export { listSessions, type SessionFilter, type SessionSummary } from "./use-cases/sessions/list.ts";
export type { EventFilter, EventHistory } from "./use-cases/sessions/read-events.ts";
export type { TimedMessage } from "./use-cases/sessions/read-transcript.ts";
export type { Submitted, Tasks } from "./use-cases/tasks/tasks.ts";
export { type Action, actions, authorize, isAuthorized } from "./vocabulary/authorize.ts";
export {
	type ChatSettings,
	noticeWays,
	type PersonRule,
	type PlaceProfile,
} from "./vocabulary/chat-settings.ts";
export type { BackgroundCommand, CommandEvent } from "./vocabulary/commands/background-command.ts";
export type { ContextSnapshot } from "./vocabulary/context-snapshot.ts";
export type {
	Author,
	EndCause,
	GrantFacts,
	Passing,
	Recorded,
	RecordedEvent,
	SessionEvent,
	TrustBadge,
} from "./vocabulary/event.ts";
export { loginKey, type McpLogin, type McpLoginState, type McpLogins } from "./vocabulary/mcp/login.ts";
export {
	type McpRemoteSettings,
	type McpServerSettings,
	type McpServerState,
	type McpSetup,
	type McpSource,
	mcpNamePattern,
	type TrustedMcpRemote,
	type TrustedMcpServer,
} from "./vocabulary/mcp/server.ts";
export type { Memory } from "./vocabulary/memory.ts";
export {
	type AssistantMessage,
	type ImageBlock,
	imageTypes,
	isImageType,
	type Message,
} from "./vocabulary/message.ts";
export {
	type Model,
	type ModelEvent,
	type ModelRequest,
	type Reasoning,
	reasoningLevels,
	type Sampling,
	type StopReason,
	serverOf,
} from "./vocabulary/model.ts";
export { ModelError } from "./vocabulary/model-error.ts";
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
} from "./vocabulary/principal.ts";
export type { PromptResponse } from "./vocabulary/prompt.ts";
export { alwaysRequires, type Prompt } from "./vocabulary/prompt.ts";
export type { RunOptions } from "./vocabulary/run-options.ts";
export {
	type Sandboxes,
	type SandboxFeatures,
	type SandboxMode,
	type SandboxState,
	sandboxModes,
} from "./vocabulary/sandbox.ts";
export type { RequestedTrigger, RunOrigin, Schedule, Trigger } from "./vocabulary/schedule.ts";
export { SecretBox } from "./vocabulary/secrets.ts";
export type { SkillEvent } from "./vocabulary/skill.ts";
export type { FileFacts, StoredFile } from "./vocabulary/stored-file.ts";
export { type FileLimits, FileTooLargeError, imageProblem } from "./vocabulary/stored-file.ts";
export type { TaskEvent, WorkerEvent } from "./vocabulary/task.ts";
export {
	type Autonomy,
	type NewTask,
	type PlanStep,
	type Priority,
	priorities,
	progressOf,
	type TaskFacts,
	type TaskFilter,
	type TaskProgress,
	type TaskState,
	taskStates,
} from "./vocabulary/task.ts";
export { defineTool, type Tool } from "./vocabulary/tool.ts";
export type { TransientEvent } from "./vocabulary/transient-event.ts";
export type { BudgetReached, Budgets } from "./vocabulary/usage.ts";
export { billionths, dollars, formatDollars, noUsage, type Usage } from "./vocabulary/usage.ts";
