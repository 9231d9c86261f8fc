import type { Generated, GeneratedAlways } from "kysely";
import type { Stamped } from "./stamped.ts";
import type { TaskTables } from "./task-tables.ts";
import type { ToolTables } from "./tool-tables.ts";
import type { TrustTables } from "./trust-tables.ts";

interface SessionsTable extends Stamped {
	id: string;
	/** Principal that opened the session. */
	owner: string;
	external_key: string | null;
	title: string;
	/** Author of the title, or null if the session has no title. A model never replaces a person's title. */
	titled_by: "person" | "model" | null;
	root_dir: string;
	status: "active" | "closed";
	/** The `seq` of the newest recorded event. */
	last_seq: number;
	message_count: number;
	input_tokens: number;
	output_tokens: number;
	/** Model from `set_model` or the channel settings. If null, the profile or the gateway determines the model. */
	model: string | null;
	profile: string;
	/** Taint (see taint.ts) in a fixed order: "", "U", "UP", … */
	taint: string;
	created_at: number;
	updated_at: number;
	/**
	 * Time when the session was created or the last client disconnected. Null while a client is connected. Stays null
	 * if the gateway stops while a client is connected.
	 */
	left_at: number | null;
	/** Key of the session's channel, from `placeKey`. Null if the session does not belong to a chat platform. */
	place: string | null;
	/** Task, if the session contains the conversation between the task and the model. Null for sessions of people. */
	task_id: string | null;
	/** The `seq` of the first event that must have a hash. If above 1, a version without hashes wrote earlier events. */
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
	/** Hash of the row (see text-hash.ts). Null in rows from before the migration that added hashes. */
	hash: string | null;
}

export type RunState = "queued" | "active" | "ended";

interface RunsTable extends Stamped {
	id: string;
	session_id: string;
	/** Position within the session, from 1. */
	ordinal: number;
	state: RunState;
	content: string;
	/** `ImageBlock`s of the message as JSON. */
	images: string | null;
	/** Run that is retried: the new run replaces the last reply of the run `retry_of`. Null for all other runs. */
	retry_of: string | null;
	/** The `Attachment`s of the message (vocabulary/stored-file.ts) as JSON. */
	attachments: string | null;
	/** Id in all log lines about the message, from the platform to the model call. Default: the run's id. */
	correlation: string | null;
	/** 1 if `accept_all_tools` was active at the start of the run. Does not change if `accept_all_tools` ends. */
	accept_all: number;
	/** The `Person` who wrote the message, as JSON, with the role at that time. Null if not from a chat platform. */
	actor: string | null;
	/** `RunOptions` (vocabulary/run-options.ts) as JSON; null if the run has no options. */
	options: string | null;
	/** `MessageContext` (vocabulary/message-context.ts) as JSON; null if no messages were read. */
	context: string | null;
	cancel_requested: number;
	/** Principal that requested the cancellation. Null if there was no request, and in rows of earlier versions. */
	cancelled_by: string | null;
	created_at: number;
	ended_at: number | null;
	/** Run to which the message was added while the message's own run was queued. Null for all other runs. */
	joined: string | null;
	/** Hash of the row (see text-hash.ts). Null in rows from before the migration that added hashes. */
	hash: string | null;
}

interface StepsTable extends Stamped {
	run_id: string;
	/** Position within the run, from 0. */
	n: number;
	at: number;
	/** One `Step` (vocabulary/step.ts) as JSON. */
	data: string;
	/** Hash of the row (see text-hash.ts). Null in rows from before the migration that added hashes. */
	hash: string | null;
}

export type PromptState = "open" | "answered" | "cancelled" | "expired" | "closed" | "consumed";

interface PromptsTable extends Stamped {
	token: string;
	session_id: string;
	run_id: string;
	call_id: string;
	state: PromptState;
	/** The `seq` of the `prompt.requested` event. */
	seq: number;
	/** One `Prompt` as JSON. */
	request: string;
	/** One `Answer` as JSON. A password is stored as its handle. */
	answer: string | null;
	/** 1 if the tool call always requires approval, or if the question requests a trust grant for a channel. */
	floor: number;
	/** `GrantScope` of an approval for the session, as JSON. Null if no approval for the session is offered. */
	scope: string | null;
	/**
	 * Hashes of the facts that the question shows to the approver, from `bindingText`. The approval is valid only if the
	 * call still has the same facts.
	 */
	binding: string | null;
	/** Number of sent reminders and escalations. */
	reminded: number;
	/** `NoticeSchedule` as JSON if approvers are notified; otherwise null. */
	notices: string | null;
	/** Time of the next reminder, escalation or expiry. If null, fixed shares of the question's lifetime apply. */
	due_at: number | null;
	/** `Votes` (conversation/votes.ts) as JSON. Null if one approval is sufficient, or before the first approval. */
	votes: string | null;
	/**
	 * `StoredGrantRequest` as JSON if the question requests a trust grant; otherwise null. If set, `run_id` is empty.
	 */
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
	/** Keyed hash of the method and its parameters. */
	request: string;
	response: string;
	created_at: number;
}

/** Table of waiting messages. They were added to an active run, but no model call has included them yet. */
interface SteersTable extends Stamped {
	id: string;
	run_id: string;
	/** Position among the waiting messages of the run, from 1. */
	ordinal: number;
	content: string;
	/** The `Person` of a chat platform who wrote the message, as JSON. Null for other authors. */
	actor: string | null;
	created_at: number;
	/** Hash of the row (see text-hash.ts). Null in rows from before the migration that added hashes. */
	hash: string | null;
	/** `MessageContext` as JSON if the message was queued before it was added to the run; otherwise null. */
	context: string | null;
}

/** Table of usage totals from model calls. Each scope, UTC day, model and provider has a row. */
interface UsageDaysTable extends Stamped {
	/** Id of a session, or "" for the gateway. The deletion of a session does not change the gateway's totals. */
	scope: string;
	/** UTC day as YYYY-MM-DD. */
	day: string;
	model: string;
	provider: string;
	calls: number;
	input_tokens: number;
	output_tokens: number;
	cache_read_tokens: number;
	cache_write_tokens: number;
	/** Cost in billionths of a US dollar. */
	cost: number;
}

/** Table of budgets set by the operator at run time. A row replaces the configured budget of its scope and period. */
interface BudgetsTable extends Stamped {
	/** Id of a session, or "" for the gateway. */
	scope: string;
	period: "day" | "month";
	/** Limit in billionths of a US dollar. Null removes the limit. */
	limit_cost: number | null;
	set_by: string;
	set_at: number;
}

/**
 * Table of compactions. A compaction shortens the older part of a session's transcript: all content before the position
 * that `run_ordinal` and `message` give.
 */
interface CompactionsTable extends Stamped {
	session_id: string;
	/** Position within the session, from 1. */
	n: number;
	level: "tool_results" | "thinking" | "summary";
	run_ordinal: number;
	/** Index of a message within the run `run_ordinal`. */
	message: number;
	/**
	 * For a summary, the message that replaces all content before the position. For tool results, the maximum characters
	 * of each result, or null if each result is reduced to one line.
	 */
	summary: string | null;
	at: number;
	/** Hash of the row (see text-hash.ts). Null in rows from before the migration that added hashes. */
	hash: string | null;
}

/** Table of metadata about stored files. The content of each file is in the data directory, under the id of the row. */
interface FilesTable extends Stamped {
	id: string;
	/** Principal that stored the file. For files of tools, the session's owner. */
	owner: string;
	/** Session of the file. Null for an uploaded file until a message contains the file. */
	session_id: string | null;
	name: string;
	media_type: string;
	bytes: number;
	/** Hash of the content, in hexadecimal. */
	sha256: string;
	created_at: number;
	expires_at: number;
}

/** Table of feedback about runs. Each principal has at most one row for a run: the latest feedback. */
interface FeedbackTable extends Stamped {
	session_id: string;
	run_id: string;
	principal: string;
	rating: "good" | "bad";
	comment: string;
	at: number;
}

/** Table of system prompts, one per session. Rendered once, so that all requests of a session begin in the same way. */
interface SystemPromptsTable extends Stamped {
	session_id: string;
	text: string;
}

/** Table of normalized texts (see `folded`) for the search. Each text is the name of a session or one message. */
interface SearchTextsTable extends Stamped {
	id: GeneratedAlways<number>;
	session_id: string;
	kind: "name" | "message";
	text: string;
}

/** Table of notes about people, notes about channels, and shared notes. */
interface MemoriesTable extends Stamped {
	n: GeneratedAlways<number>;
	id: string;
	scope: "user" | "channel" | "everyone";
	/** Person or principal that the note is about, or the key of the channel (see `placeKey`). "" for a shared note. */
	subject: string;
	/** Person or principal that wrote the note, through a run or a request. */
	author: string;
	/**
	 * Session of the run that wrote the note, or for the run of a task, the session that owns the task. The session may
	 * have been deleted. Null if a client stored the note.
	 */
	session_id: string | null;
	/** Taint of the session or request that wrote the note (see taint.ts). */
	taint: string;
	text: string;
	/** Array of strings as JSON. */
	tags: string;
	/** Text and tags in the spelling of the index. */
	search_text: string;
	created_at: number;
}

/**
 * Table of the schedules: messages that the gateway sends to a session at given times or on events (see
 * vocabulary/schedule.ts).
 */
interface SchedulesTable extends Stamped {
	id: string;
	session_id: string;
	/** External key to create a deleted session again. If null, the schedule is deleted with its session. */
	external_key: string | null;
	/** Id of the person or principal that created the schedule. */
	owner: string;
	/** Principal that created the schedule, as JSON. Its person is in `actor`. */
	principal: string;
	/** The `Person` of the principal as JSON, or null. */
	actor: string | null;
	title: string;
	prompt: string;
	/** `Trigger` as JSON. */
	trigger: string;
	show: "thread" | "post" | "silent";
	/** Taint of the request or the run that created the schedule. */
	taint: string;
	created_at: number;
	/** Next due time. Null if the schedule waits for an event or never fires again. */
	next_due: number | null;
	last_due: number | null;
	last_fired_at: number | null;
	last_run_id: string | null;
	firings: number;
	/** Reason why the schedule missed its last due time, or why it still waits to fire. Null if neither applies. */
	problem: string | null;
	/** For an event trigger, the number of the session's last event that the schedule has checked. */
	seen_seq: number;
}

/**
 * Table of chat messages that runs of a session have received as context. A later run receives the same message again
 * only if the message was edited or the request refers to the message.
 */
interface ReadMessagesTable extends Stamped {
	session_id: string;
	/** Id of the message on the platform. */
	message: string;
	/** Time of the last edit in milliseconds since the epoch. 0 if the message was never edited. */
	edited_at: number;
	/** Last run that received the message. */
	run_id: string;
}

/** Table of trusted skills. The operator has trusted each skill for one working directory. */
interface TrustedSkillsTable extends Stamped {
	/** Real path of the working directory. */
	directory: string;
	/** Path of the skill's file, relative to the working directory. */
	path: string;
	/** Hash of the skill's files (see `Skill`). */
	hash: string;
	/** Files of the skill as JSON (see `TrustedContent`). Null in rows of earlier versions. */
	content: string | null;
	trusted_by: string;
	trusted_at: number;
}

export interface Tables extends TrustTables, TaskTables, ToolTables {
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
}

/** Values of the `Stamped` columns in all rows that this version of the program writes. */
export const stamp = { epoch: 1, v: 1 } as const;
