import type { Generated, GeneratedAlways } from "kysely";
import type { CommandEndReason } from "../vocabulary/commands/background-command.ts";
import type { Stamped } from "./stamped.ts";
import type { TaskTables } from "./task-tables.ts";
import type { TrustTables } from "./trust-tables.ts";

interface SessionsTable extends Stamped {
	id: string;
	/** Principal that opened the session. */
	owner: string;
	external_key: string | null;
	title: string;
	/** Author of the title, or null without one. A model never replaces a person's title. */
	titled_by: "person" | "model" | null;
	root_dir: string;
	status: "active" | "closed";
	/** The `seq` of the newest recorded event. */
	last_seq: number;
	message_count: number;
	input_tokens: number;
	output_tokens: number;
	/** Model that `set_model` set. If it is null, the profile or the gateway decides. */
	model: string | null;
	/** Agent profile of the session. */
	profile: string;
	/** Taint (see taint.ts) in a fixed order: "", "U", "UP", … */
	taint: string;
	created_at: number;
	updated_at: number;
	/** Time when the last client disconnected. Null while a client is connected. */
	left_at: number | null;
	/** Channel of the session, in the form of `placeKey`. Null if the session does not belong to a chat platform. */
	place: string | null;
	/** The task whose conversation it is; null for conversations of people. */
	task_id: string | null;
	/** The `seq` of the first event that must have a hash: 1, or higher in a session from before there were hashes. */
	hashed_from: Generated<number>;
}

interface EventsTable extends Stamped {
	position: GeneratedAlways<number>;
	id: string;
	session_id: string;
	seq: number;
	type: string;
	at: number;
	data: string;
	/** See text-hash.ts; null in rows from before the migration that added it. */
	hash: string | null;
}

export type RunState = "queued" | "active" | "ended";

interface RunsTable extends Stamped {
	id: string;
	session_id: string;
	/** Order within the session, from 1. */
	ordinal: number;
	state: RunState;
	content: string;
	/** `ImageBlock`s of the message as JSON. */
	images: string | null;
	/** The run whose last reply this run repeats. */
	retry_of: string | null;
	/** The `Attachment`s of the message (files/attachment.ts) as JSON. */
	attachments: string | null;
	/** Id in all log lines about the message, from the platform to the model call. Default: the id of the run. */
	correlation: string | null;
	/** 1 if the run was started under `accept_all_tools`, also after the end of that trust. */
	accept_all: number;
	/** The `Person` of a chat platform who wrote it, as JSON, with their role at that time. Null for all others. */
	actor: string | null;
	/** `RunOptions` (run/options.ts) as JSON; null for a run without any. */
	options: string | null;
	/** `MessageContext` (vocabulary/message-context.ts) as JSON; null if no messages were read. */
	context: string | null;
	cancel_requested: number;
	/** Principal that requested the cancel. NULL: none, or in an earlier version. */
	cancelled_by: string | null;
	created_at: number;
	ended_at: number | null;
	/** The run that its message joined while it was queued; null for all others. */
	joined: string | null;
	/** See text-hash.ts; null in rows from before the migration that added it. */
	hash: string | null;
}

interface StepsTable extends Stamped {
	run_id: string;
	/** Order within the run, from 0. */
	n: number;
	at: number;
	/** One `Step` (vocabulary/step.ts) as JSON. */
	data: string;
	/** See text-hash.ts; null in rows from before the migration that added it. */
	hash: string | null;
}

export type PromptState = "open" | "answered" | "cancelled" | "expired" | "closed" | "consumed";

interface PromptsTable extends Stamped {
	token: string;
	session_id: string;
	run_id: string;
	call_id: string;
	state: PromptState;
	/** The `seq` of its `prompt.requested`. */
	seq: number;
	/** One `Prompt` as JSON. */
	request: string;
	/** One `Answer` as JSON; a password is its handle. */
	answer: string | null;
	/** 1 for the always-ask floor. */
	floor: number;
	/** Scope of an approval for the session, as JSON. */
	scope: string | null;
	/** Hash of the shown call. An approval is valid only for a call with the same hash. */
	binding: string | null;
	/** Number of reminders and escalations. */
	reminded: number;
	/** `NoticeSchedule` as JSON if approvers are notified; otherwise null. */
	notices: string | null;
	/** Time of the next reminder, escalation or expiry; null if it follows from the lifetime. */
	due_at: number | null;
	/** `Votes` (conversation/votes.ts) as JSON if several people must approve and one has; otherwise null. */
	votes: string | null;
	/** `StoredGrantRequest` as JSON if the question is about trust in a channel. Its `run_id` is "" then. */
	wanted_grant: string | null;
	created_at: number;
	expires_at: number;
}

interface GrantsTable extends Stamped {
	id: string;
	session_id: string;
	kind: "accept_all" | "scope";
	/** A `GrantScope` as JSON for kind `scope`. */
	scope: string | null;
	granted_by: string;
	created_at: number;
	expires_at: number | null;
	ended_at: number | null;
}

interface SecretsTable extends Stamped {
	/** The handle without its `secret:` prefix. */
	id: string;
	session_id: string;
	sealed: string;
	created_at: number;
}

interface KeysTable extends Stamped {
	principal: string;
	key: string;
	/** Hash of the method and its parameters. */
	request: string;
	response: string;
	created_at: number;
}

/** Messages that were added to an active run and that the run has not read. */
interface SteersTable extends Stamped {
	id: string;
	run_id: string;
	/** Order within the run. */
	ordinal: number;
	content: string;
	/** The `Person` of a chat platform who wrote it, as JSON. Null for all others. */
	actor: string | null;
	created_at: number;
	/** See text-hash.ts; null in rows from before the migration that added it. */
	hash: string | null;
	/** The `MessageContext` of a message that was queued before, as JSON. Null for all others. */
	context: string | null;
}

/** Sums of model calls: one row for each scope, UTC day and model. */
interface UsageDaysTable extends Stamped {
	/** A session's id, or "" for all of the gateway, which outlives its sessions. */
	scope: string;
	/** YYYY-MM-DD. */
	day: string;
	model: string;
	provider: string;
	calls: number;
	input_tokens: number;
	output_tokens: number;
	cache_read_tokens: number;
	cache_write_tokens: number;
	/** Billionths of a US dollar. */
	cost: number;
}

/** Budgets that the operator set at run time, instead of the configured ones. */
interface BudgetsTable extends Stamped {
	/** A session's id, or "" for the gateway. */
	scope: string;
	period: "day" | "month";
	/** Billionths of a US dollar; null lifts the limit. */
	limit_cost: number | null;
	set_by: string;
	set_at: number;
}

/** Reductions of older parts of a transcript. Each applies to everything before `run_ordinal` and `message`. */
interface CompactionsTable extends Stamped {
	session_id: string;
	/** Order within the session, from 1. */
	n: number;
	level: "tool_results" | "thinking" | "summary";
	run_ordinal: number;
	/** Index of a message within that run. */
	message: number;
	/**
	 * For a summary: the message that replaces everything before it. For results: how many characters of each remain. Null:
	 * each becomes one line.
	 */
	summary: string | null;
	at: number;
	/** See text-hash.ts; null in rows from before the migration that added it. */
	hash: string | null;
}

/** Facts of a stored file. Its content is a file of the data directory with the same id. */
interface FilesTable extends Stamped {
	id: string;
	/** Principal that stored the file; for files of tools, the session's owner. */
	owner: string;
	/** The session that it belongs to; null until a message carries it. */
	session_id: string | null;
	name: string;
	media_type: string;
	bytes: number;
	/** Hexadecimal. */
	sha256: string;
	created_at: number;
	expires_at: number;
}

/** Latest feedback of each person about each run. */
interface FeedbackTable extends Stamped {
	session_id: string;
	run_id: string;
	principal: string;
	rating: "good" | "bad";
	comment: string;
	at: number;
}

/** Rendered once, before the first model call of a session, so that the prefix of every request stays the same. */
interface SystemPromptsTable extends Stamped {
	session_id: string;
	text: string;
}

/** Search text of a session in normal form: its name, or one message. */
interface SearchTextsTable extends Stamped {
	id: GeneratedAlways<number>;
	session_id: string;
	kind: "name" | "message";
	text: string;
}

/** Notes about people, about channels, and shared by all. */
interface MemoriesTable extends Stamped {
	n: GeneratedAlways<number>;
	id: string;
	scope: "user" | "channel" | "everyone";
	/** The person, or the channel as `placeKey` writes it, or "" for all people. */
	subject: string;
	/** The person or principal whose run or request wrote it. */
	author: string;
	/** The session of the run that wrote it; null if a person wrote it. The session may be deleted. */
	session_id: string | null;
	/** Taint of that session when it was written (see taint.ts). */
	taint: string;
	text: string;
	/** As JSON: an array of strings. */
	tags: string;
	/** Text and tags in the spelling of the index. */
	search_text: string;
	created_at: number;
}

/** Messages that are sent to a session at given times (see schedule/schedule.ts). */
interface SchedulesTable extends Stamped {
	id: string;
	session_id: string;
	/** The key under which a deleted session is created again; null if the schedule ends with its session. */
	external_key: string | null;
	/** The person or principal that created it. */
	owner: string;
	/** As JSON: the principal without its person. */
	principal: string;
	/** The `Person` as JSON; null without one. */
	actor: string | null;
	title: string;
	prompt: string;
	/** `Trigger` as JSON. */
	trigger: string;
	show: "thread" | "post" | "silent";
	/** Taint of the run that created it. */
	taint: string;
	created_at: number;
	/** Null if it waits for an event or never fires again. */
	next_due: number | null;
	last_due: number | null;
	last_fired_at: number | null;
	last_run_id: string | null;
	firings: number;
	/** Reason why the last due time did not fire. */
	problem: string | null;
	/** Number of the last event of the session that an event schedule has looked at. */
	seen_seq: number;
}

/** Messages of a chat platform that a session has got as context, so that later runs get only newer ones. */
interface ReadMessagesTable extends Stamped {
	session_id: string;
	/** The platform's id. */
	message: string;
	/** Time of its last edit in milliseconds, or 0. */
	edited_at: number;
	/** The run that got it last. */
	run_id: string;
}

/** Skills of working directories that the operator has trusted. */
interface TrustedSkillsTable extends Stamped {
	/** Real path of the working directory. */
	directory: string;
	/** Path of the skill's file, relative to it. */
	path: string;
	/** Hash of all files of the skill (see `Skill`). */
	hash: string;
	/** The files as JSON (see `TrustedContent`). Null in rows of earlier versions. */
	content: string | null;
	trusted_by: string;
	trusted_at: number;
}

/** Commands in the background of a session (see vocabulary/commands/background-command.ts). */
interface BackgroundCommandsTable extends Stamped {
	session_id: string;
	/** Number in the session, from 1. */
	n: number;
	run_id: string;
	call_id: string;
	/** Without secrets. */
	command: string;
	started_at: number;
	/** Null while it runs. */
	ended_at: number | null;
	reason: CommandEndReason | null;
	code: number | null;
	/** 1 if a run of the session knows the end. */
	informed: number;
}

/** Descriptions of tools of MCP servers for which the last call ran (see agent/mcp/approved-tools.ts). */
interface McpToolsTable extends Stamped {
	name: string;
	directory: string;
	hash: string;
	at: number;
}

export interface Tables extends TrustTables, TaskTables {
	sessions: SessionsTable;
	events: EventsTable;
	runs: RunsTable;
	steps: StepsTable;
	prompts: PromptsTable;
	grants: GrantsTable;
	secrets: SecretsTable;
	keys: KeysTable;
	steers: SteersTable;
	usage_days: UsageDaysTable;
	budgets: BudgetsTable;
	compactions: CompactionsTable;
	read_messages: ReadMessagesTable;
	files: FilesTable;
	feedback: FeedbackTable;
	search_texts: SearchTextsTable;
	system_prompts: SystemPromptsTable;
	memories: MemoriesTable;
	schedules: SchedulesTable;
	trusted_skills: TrustedSkillsTable;
	background_commands: BackgroundCommandsTable;
	mcp_tools: McpToolsTable;
}

/** The stamp of every row that this version of the program writes on one machine. */
export const stamp = { epoch: 1, v: 1 } as const;
