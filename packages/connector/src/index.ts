export type {
	Command,
	CommandOption,
	CommandShape,
	Completing,
	Suggestion,
} from "./commands/command.ts";
export { commandTable } from "./commands/command-table.ts";
export { readTextCommand, type TextCommand } from "./commands/text-command.ts";
export {
	type ControlKind,
	controlKinds,
	type Form,
	forms,
	hasFormOfTarget,
} from "./controls/control-kind.ts";
export { Controls, type ControlTarget } from "./controls/controls.ts";
export {
	type GatewayAddress,
	type GatewayFiles,
	type GatewayHistory,
	openGatewayFiles,
} from "./gateway/gateway-files.ts";
export { type InboundHandler, Inbox, type InboxParts, type QueuedEvent } from "./inbound/inbox.ts";
export {
	type Decision,
	decideRow,
	decideStuckPost,
	readStuck,
	readStuckPosts,
	type StuckRow,
} from "./outbox/decisions.ts";
export { leaveDecisionOn } from "./outbox/left-decisions.ts";
export { Outbox } from "./outbox/outbox.ts";
export type { OutboxParts } from "./outbox/outbox-parts.ts";
export type { Plan, PlannedRow } from "./outbox/plan.ts";
export { type Posted, postedIn } from "./outbox/posted-in.ts";
export { readUnreached, type Unreached } from "./outbox/unreached.ts";
export type { ChatPlatform, PlatformLimits } from "./platform/chat-platform.ts";
export {
	CardMessages,
	composeSurface,
	type PostingRequests,
	type SurfaceParts,
	type UploadBytes,
	type UploadReader,
} from "./platform/compose-surface.ts";
export { type GuardedProcess, guardProcess } from "./platform/guard-process.ts";
export {
	type Address,
	type Attachment,
	InboundEvent,
	type InboundEventOf,
	type Person,
	type ReadMessage,
	type Room,
	type Ticket,
} from "./platform/inbound-event.ts";
export { type Lane, lanes } from "./platform/lane.ts";
export { LateSave, type LateSaveParts } from "./platform/late-save.ts";
export { Lookup, type LookupParts } from "./platform/lookup.ts";
export { Malformed } from "./platform/malformed.ts";
export type { PersonQuery, PersonRights } from "./platform/person-rights.ts";
export {
	CardState,
	Control,
	type GrowingPart,
	Posting,
	reactionsOf,
	type StepList,
	statusEmoji,
} from "./platform/posting.ts";
export {
	type AttachmentSource,
	fileTooLarge,
	mayPass,
	readAttachment,
	readBounded,
} from "./platform/read-attachment.ts";
export type { ContextQuery, ReadContext } from "./platform/read-context.ts";
export {
	DeliveryError,
	type DeliveryFailure,
	type OutboxRow,
	type RateLimit,
	type Receipt,
	type Request,
	type Surface,
} from "./platform/surface.ts";
export type { RoomProgress } from "./rooms/room-progress.ts";
export { Connector, type ConnectorParts, type ConnectorStatus } from "./running/connector.ts";
export type { Health } from "./running/health.ts";
export type {
	ConnectorStart,
	PlatformLink,
	PlatformSide,
	ReadyLink,
	SideOpening,
	StartedParts,
} from "./running/platform-side.ts";
export { type RunPlatform, runConnector } from "./running/run-connector.ts";
export type { RunningConnector, RunOptions, RunStatus } from "./running/running-connector.ts";
export { checkClockOf } from "./setup/check-clock.ts";
export type { Finding, SetupStep } from "./setup/finding.ts";
export { answerStep } from "./setup/finding.ts";
export {
	type ConnectorDatabase,
	type ConnectorDatabaseOptions,
	connectorDatabaseFile,
	openConnectorDatabase,
	type StoredValue,
} from "./store/connector-database.ts";
export { connectorMigrations } from "./store/migrations.ts";
export { startRetention } from "./store/retention.ts";
export type { ConnectorTables } from "./store/tables.ts";
export { columnsOf } from "./text/columns.ts";
export { cutText } from "./text/cut-text.ts";
export type { Dialect } from "./text/dialect.ts";
export type { Block, Heading, Inline, Link, List, Table, TextDocument } from "./text/document.ts";
export { plainText } from "./text/document.ts";
export { type FitOptions, type Fitted, fitPosts } from "./text/fit-posts.ts";
export { markdownDialect } from "./text/markdown-dialect.ts";
export { parseText } from "./text/parse-text.ts";
export { alignedLines, narrowTables } from "./text/tables.ts";
export { type LineSyntax, writeLines } from "./text/write-lines.ts";
export { noticeTexts } from "./texts/notices.ts";
export { checkTexts, downloadTexts, fileUnread, interactionTexts } from "./texts/shared.ts";
