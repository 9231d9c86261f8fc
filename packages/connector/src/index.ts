export type {
	Command,
	CommandOption,
	CommandShape,
	Completing,
	Suggestion,
} from "./commands/command.ts";
export { commandTable } from "./commands/command-table.ts";
export { Connector, type ConnectorParts, type ConnectorStatus } from "./connector.ts";
export { type ControlKind, controlKinds, type Form, forms } from "./controls/control-kind.ts";
export { Controls, type ControlTarget } from "./controls/controls.ts";
export {
	type GatewayFiles,
	type GatewayHistory,
	type GatewayPlace,
	openGatewayFiles,
} from "./gateway-files.ts";
export { type InboundEvent, type InboundHandler, Inbox, type InboxParts } from "./inbound/inbox.ts";
export { type Decision, decideRow, readStuck, type StuckRow } from "./outbox/decisions.ts";
export { type Lane, lanes } from "./outbox/lane.ts";
export { Outbox, type OutboxParts } from "./outbox/outbox.ts";
export type { Plan, PlannedRow } from "./outbox/plan.ts";
export {
	DeliveryError,
	type DeliveryFailure,
	type OutboxRow,
	type RateLimit,
	type Receipt,
	type Request,
	type Surface,
} from "./outbox/surface.ts";
export {
	type Address,
	Arrival,
	type ArrivalOf,
	type Attachment,
	type Person,
	type Room,
	type Ticket,
} from "./platform/arrival.ts";
export type { ChatPlatform, PlatformLimits } from "./platform/chat-platform.ts";
export { Control, Posting } from "./platform/posting.ts";
export { connectorMigrations } from "./store/migrations.ts";
export { startRetention } from "./store/retention.ts";
export type { ConnectorTables } from "./store/tables.ts";
export type { Dialect } from "./text/dialect.ts";
export type { Block, Heading, Inline, Link, TextDocument } from "./text/document.ts";
export { plainText } from "./text/document.ts";
export { type FitOptions, type Fitted, fitPosts } from "./text/fit-posts.ts";
export { markdownDialect } from "./text/markdown-dialect.ts";
export { parseText } from "./text/parse-text.ts";
export { type Marks, writeLines } from "./text/write-lines.ts";
