import type { CommandEvent } from "./commands/background-command.ts";
import type { CompactionLevel } from "./context-snapshot.ts";
import type { ImageType } from "./message.ts";
import type { ModelFault } from "./model-error.ts";
import type { Notice, Prompt } from "./prompt.ts";
import type { RunOrigin, ScheduleEvent } from "./schedule.ts";
import type { SkillEvent } from "./skill.ts";
import type { FileFacts } from "./stored-file.ts";
import type { PlanStep, TaskEvent, WorkerEvent } from "./task.ts";
import type { TransientEvent } from "./transient-event.ts";
import type { BudgetReached, Usage } from "./usage.ts";

/**
 * Reason for the early end of a run.
 * - refusal: the model refused.
 * - cut: the last reply was incomplete, usually because of its token limit.
 * - model: a model call failed.
 * - budget: a budget allows no further call.
 * - denied: a tool call was denied repeatedly.
 * - limit: a limit other than a budget was reached.
 * - settings: the run cannot use its settings, for example its agent, model or tools.
 * - step: the workflow of the run failed.
 */
export type EndCause = "refusal" | "cut" | "model" | "budget" | "denied" | "limit" | "settings" | "step";

/** Chat user who wrote a message. `name` is untrusted text. */
export interface Author {
	readonly id: string;
	readonly name: string;
}

export interface ImageFacts {
	readonly mediaType: ImageType;
	readonly bytes: number;
}

/** Public facts about the trust grant of a channel. Times are milliseconds since the epoch. */
export interface GrantFacts {
	readonly id: string;
	/** Key of the channel, as `placeKey` returns it. */
	readonly place: string;
	/** Ids of the covered people. Null for all people in the channel with at least the role member. */
	readonly people: readonly string[] | null;
	/** Names of the covered tools. Null for all tools. */
	readonly tools: readonly string[] | null;
	/** Names of the covered classes. Null for all classes that a grant can cover, except `outside-read`. */
	readonly classes: readonly string[] | null;
	readonly maxActions: number;
	readonly usedActions: number;
	readonly reason: string;
	readonly grantedBy: string;
	readonly createdAt: number;
	readonly expiresAt: number;
}

/** The trust grant of a channel at the time of an event. `until` is its expiry in milliseconds since the epoch. */
export interface TrustBadge {
	readonly grantId: string;
	readonly until: number;
}

/**
 * Recorded events of a conversation.
 * - A session begins with `session.created`.
 * - A run begins with `user.message`.
 * - A tool call has one `tool.started` and one `tool.completed` or `tool.failed`, with any `prompt.requested` in
 *   between.
 * - A model call has one `model.called`. If the call is repeated, `run.retrying` follows.
 * - A run ends with exactly one `assistant.message`, after `usage.updated` if the run has a reply or a failed model
 *   call.
 */
export type ConversationEvent =
	| {
			readonly type: "session.created";
			/** Original session of a fork. The fork begins with the first `turns` turns of that session. */
			readonly forkedFrom?: { readonly sessionId: string; readonly turns: number };
	  }
	| { readonly type: "session.closed" }
	| {
			readonly type: "user.message";
			readonly runId: string;
			readonly content: string;
			/** Correlation id of the client, if it sent one. */
			readonly correlation?: string;
			readonly author?: Author;
			/** True if the message was added to an active run instead of starting a run. */
			readonly steered?: true;
			/** True in the history of a new session; see `assistant.message`. */
			readonly imported?: true;
			/** Run whose last reply is requested again. `content` is the message of that run. */
			readonly retryOf?: string;
			/** Attachments in the order of the message. */
			readonly attachments?: readonly FileFacts[];
			readonly origin?: RunOrigin;
	  }
	| {
			readonly type: "assistant.message";
			readonly runId: string;
			readonly content: string;
			/** "" on success, `cancelled`, or the error for people. */
			readonly error: string;
			/** Absent on success, for `cancelled`, for an error without an `EndCause`, and in events of earlier versions. */
			readonly cause?: EndCause;
			/** Id of the active run that the queued message joined. If `joined` is present, `error` is `cancelled`. */
			readonly joined?: string;
			/** Id of the chat user or client that stopped the run. Absent if no principal stopped the run. */
			readonly stoppedBy?: string;
			/** Model that answered, or "" if no model answered. */
			readonly model: string;
			readonly usage: Usage;
			/** Billionths of a US dollar. Absent in events of earlier versions. */
			readonly cost?: number;
			/** Set if the channel was trusted at the end of the run. Absent in runs of schedules. */
			readonly trusted?: TrustBadge;
			readonly origin?: RunOrigin;
			/**
			 * True if the message is part of the history with which the session was created. The session called no model and
			 * ran no tool for this message. The history comes from a client, which may have invented it, or from the original
			 * session of a fork. `content` is "" for a message without text.
			 */
			readonly imported?: true;
	  }
	/**
	 * A model call failed, or its reply was not usable. Next, `model` is called after `inMs` milliseconds. `attempt` counts
	 * from 1.
	 */
	| {
			readonly type: "run.retrying";
			readonly runId: string;
			readonly reason: string;
			readonly inMs: number;
			readonly attempt: number;
			readonly model: string;
	  }
	/** End of a model call, with the usage that the provider reported. */
	| {
			readonly type: "model.called";
			/** Run of the call, or "" if the call was for the session, for example for its title. */
			readonly runId: string;
			readonly model: string;
			readonly provider: string;
			readonly messages: number;
			readonly usage: Usage;
			/** Billionths of a US dollar. */
			readonly cost: number;
			/** Milliseconds from the request to the end of the reply. */
			readonly durationMs: number;
			/** Error of the call, `cancelled` if the run was stopped, or "" if there was no error. */
			readonly error: string;
			/**
			 * Kind of the `ModelError`. Absent if the call did not fail with a `ModelError`, and in events of earlier versions.
			 */
			readonly fault?: ModelFault;
			/**
			 * Text of the reply if the run continues after the reply. Absent for the reply that ends the run, for a blank text,
			 * and in phases without tools.
			 */
			readonly text?: string;
	  }
	/** Usage of the run so far, and usage of the run's session so far. Costs are billionths of a US dollar. */
	| {
			readonly type: "usage.updated";
			readonly runId: string;
			readonly run: Usage & { readonly cost: number };
			readonly session: Usage & { readonly cost: number };
	  }
	| ({ readonly type: "budget.reached" } & BudgetReached)
	/** Older parts of the transcript were shortened, for the model only. Tokens are estimates. */
	| {
			readonly type: "context.compacted";
			/** Run that caused the compaction, or "" for a request to an idle session. */
			readonly runId: string;
			readonly level: CompactionLevel;
			readonly tokensBefore: number;
			readonly tokensAfter: number;
			/** Reason why no model wrote the summary. Absent if a model wrote the summary, and for levels other than `summary`. */
			readonly error?: string;
	  }
	/** A requested compaction of an idle session has ended. Tokens are estimates, and 0 unless `status` is `compacted`. */
	| {
			readonly type: "compaction.ended";
			/** Result of the compaction. `unchanged` if there was nothing to summarise. */
			readonly status: "compacted" | "unchanged" | "failed" | "cancelled";
			readonly tokensBefore: number;
			readonly tokensAfter: number;
			/** Reason for a failure, or "". */
			readonly error: string;
	  }
	| {
			readonly type: "tool.started";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly arguments: unknown;
			/** Set if the tool call needed no approval because the channel is trusted. */
			readonly trusted?: TrustBadge;
			/** True in the history of a new session; see `assistant.message`. */
			readonly imported?: true;
	  }
	| {
			readonly type: "tool.completed";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly result: string;
			/** Images in the result. Absent if there are none. The field name is stored in the database, so it must not change. */
			readonly pictures?: readonly ImageFacts[];
			/** Milliseconds from the start to the end of the tool. Does not include the wait for an approval. */
			readonly durationMs?: number;
			readonly imported?: true;
	  }
	| {
			readonly type: "tool.failed";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly error: string;
			/** Absent if the tool did not run, or if the call was interrupted. */
			readonly durationMs?: number;
			readonly imported?: true;
	  }
	| { readonly type: "prompt.requested"; readonly prompt: Prompt }
	| {
			readonly type: "prompt.answered";
			readonly token: string;
			/** Value of the answer: true or false for a confirmation. Null for a password and for a dismissed question. */
			readonly value: unknown;
			/** Arguments that replace the arguments of the tool call. Absent if the approver changed no arguments. */
			readonly arguments?: unknown;
			/** True if the approval also applies to later calls of the session. */
			readonly remembered?: true;
			/** Reason that a person gave for a denial. */
			readonly reason?: string;
			/** Ids of the principals that approved before `by`, if several approvals were needed. */
			readonly voters?: readonly string[];
			readonly cancelled: boolean;
			readonly by: string;
			/** Display name of a person who answered from another guild, team or chat platform. */
			readonly byName?: string;
	  }
	/** A person approved a call that needs several approvals. The question stays open. */
	| {
			readonly type: "prompt.voted";
			readonly token: string;
			readonly by: string;
			/** Display name of a person who approved from another guild, team or chat platform. */
			readonly byName?: string;
			/** Number of currently valid approvals. */
			readonly approvals: number;
			readonly needed: number;
			/**
			 * The question with the new arguments, if this person changed the arguments of the call. Earlier approvals are then
			 * invalid.
			 */
			readonly changed?: Prompt;
	  }
	| {
			readonly type: "prompt.closed";
			readonly token: string;
			readonly reason: string;
			/** Principal that stopped the question's run. Absent for other reasons. */
			readonly by?: string;
	  }
	/**
	 * A question is still open. The gateway sends this event at half and at nine tenths of the question's lifetime, or at
	 * the times that the notice settings define.
	 */
	| {
			readonly type: "prompt.reminded";
			readonly token: string;
			readonly runId: string;
			readonly label: string;
			/** Milliseconds since the epoch. */
			readonly expiresAt: number;
			/**
			 * Group to notify. `escalated` is false for a reminder to the first group, and true for the first notice to any
			 * further group.
			 */
			readonly notify?: Notice & { readonly escalated: boolean };
	  }
	/** A file that a tool call shares with the readers of the session. */
	| {
			readonly type: "file.created";
			readonly file: FileFacts;
			readonly runId: string;
			readonly callId: string;
			readonly imported?: true;
	  }
	/** The tool call `callId` has changed the list of steps of a run. Tasks record `task.progress` instead. */
	| {
			readonly type: "todo.updated";
			readonly runId: string;
			readonly callId: string;
			/** Complete list, without secrets. */
			readonly steps: readonly PlanStep[];
	  }
	| { readonly type: "session.renamed"; readonly title: string; readonly by: "person" | "model" }
	/** From now on, tool calls of the session's channel run without approval, within the limits of the grant. */
	| { readonly type: "grant.created"; readonly grant: GrantFacts }
	| { readonly type: "grant.ended"; readonly grantId: string; readonly reason: string };

export type RecordedEvent =
	| ConversationEvent
	| CommandEvent
	| ScheduleEvent
	| SkillEvent
	| TaskEvent
	| WorkerEvent;

/** A recorded event with its position. `seq` starts at 1 in each session and has no gaps. */
export interface Recorded {
	readonly transient: false;
	readonly id: string;
	readonly sessionId: string;
	readonly seq: number;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly event: RecordedEvent;
}

/** A transient event. `seq` is the number of the last event that was recorded before this event. */
export interface Passing {
	readonly transient: true;
	readonly sessionId: string;
	readonly seq: number;
	readonly event: TransientEvent;
}

export type SessionEvent = Recorded | Passing;
