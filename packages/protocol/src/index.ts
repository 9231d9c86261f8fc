export type { FileChangePayload } from "./change-methods.ts";
export type {
	Client,
	ClientOptions,
	ClientState,
	OpenParams,
	Requester,
	RequestMethod,
	RequestOptions,
	SessionClient,
} from "./client/client.ts";
export { createClient } from "./client/create-client.ts";
export { describeFailure, refusalOf } from "./client/handshake.ts";
export { pinnedTo } from "./client/pinned-to.ts";
export { type Progress, ReplyProgress } from "./client/reply-progress.ts";
export type { OpenSession } from "./client/session-reader.ts";
export type { CommandPayload } from "./command-methods.ts";
export {
	type AnswerContext,
	type AssistantMessagePayload,
	type AssistantStreamPayload,
	type EventName,
	type EventPayloads,
	eventNames,
	isOzzieEvent,
	type OzzieEvent,
	type ToolCallPayload,
	type UserMessagePayload,
} from "./events.ts";
export { type FilePayload, UploadedFile } from "./file-payload.ts";
export {
	type EventFrame,
	type FailureFrame,
	maxRequestBytes,
	RequestFrame,
	type ResponseFrame,
	type SuccessFrame,
} from "./frame.ts";
export { issueWords } from "./issue-words.ts";
export type { MemoryPayload } from "./memory-methods.ts";
export {
	type MethodInput,
	type MethodName,
	type MethodParams,
	type MethodResult,
	methods,
} from "./methods.ts";
export { type Actor, OnBehalf, type Place } from "./on-behalf.ts";
export type { PersonCheck } from "./person-check.ts";
export type {
	NoticePayload,
	OpenPromptPayload,
	PromptContext,
	PromptOptionPayload,
	PromptRequestPayload,
} from "./prompt-payloads.ts";
export type { OriginPayload, ScheduleEventPayloads, SchedulePayload } from "./schedule-methods.ts";
export type { FeedbackPayload } from "./session-methods.ts";
export type { SkillPayload } from "./skill-methods.ts";
export type { TaskPayload } from "./task-payloads.ts";
export type {
	GrantPayload,
	GrantRequestPayload,
	PlaceProfilePayload,
	TrustedPayload,
} from "./trust-payloads.ts";
export type { TokensPayload, UsagePayload } from "./usage-report.ts";
