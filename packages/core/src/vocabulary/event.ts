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
 * Reason of an early end of a run.
 * - refusal: the model refused.
 * - cut: its last reply reached a limit.
 * - model: the provider failed.
 * - budget: a budget allows no further call.
 * - denied: people denied a call repeatedly.
 * - limit: another limit of runs.
 * - settings: the agent of the run, its model or its tools cannot be used.
 * - step: a step of its workflow failed.
 */
export type EndCause = "refusal" | "cut" | "model" | "budget" | "denied" | "limit" | "settings" | "step";

/** Author of a message, unless it is the operator of the session. Untrusted text for the model. */
export interface Author {
	readonly id: string;
	readonly name: string;
}

/** Metadata of an image. */
export interface ImageFacts {
	readonly mediaType: ImageType;
	readonly bytes: number;
}

/** Public facts about a channel's grant. Times are milliseconds since the epoch. */
export interface GrantFacts {
	readonly id: string;
	/** The channel, as `placeKey` writes it. */
	readonly place: string;
	/** Null: every person with access there. */
	readonly people: readonly string[] | null;
	/** Names of tools and of classes. Null for all that the floor allows. */
	readonly tools: readonly string[] | null;
	readonly classes: readonly string[] | null;
	readonly maxActions: number;
	readonly usedActions: number;
	readonly reason: string;
	readonly grantedBy: string;
	readonly createdAt: number;
	readonly expiresAt: number;
}

/** Trust grant of a channel under which a call ran without approval, with its end. */
export interface TrustBadge {
	readonly grantId: string;
	readonly until: number;
}

/**
 * Recorded events of a conversation. A session begins with `session.created`. A run has `user.message` first. Each call has
 * one `tool.started` and exactly one `tool.completed` or `tool.failed`, with its `prompt.requested` in between. Each model
 * call has one `model.called`, and `run.retrying` after it if the call is repeated. At the end, `usage.updated` follows if a
 * model was called, and finally exactly one `assistant.message`.
 */
export type ConversationEvent =
	| {
			readonly type: "session.created";
			/** The session whose first `turns` turns it begins with. */
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
			/** Entered an active run instead of starting one. */
			readonly steered?: true;
			/** Part of the history of a new session: see `assistant.message`. */
			readonly imported?: true;
			/** The run whose last reply is requested again. `content` is the message of that run. */
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
			/** Absent on success, for `cancelled`, for an internal error, and in events of earlier versions. */
			readonly cause?: EndCause;
			/** The run that the message joined while it was queued. The error is `cancelled`. */
			readonly joined?: string;
			/** Principal that stopped the run, if one did: the person of a chat, or the client. */
			readonly stoppedBy?: string;
			/** Model that answered; "" if no model answered. */
			readonly model: string;
			readonly usage: Usage;
			/** Billionths of a US dollar; absent in events that an earlier version wrote. */
			readonly cost?: number;
			/** While the channel was trusted. */
			readonly trusted?: TrustBadge;
			readonly origin?: RunOrigin;
			/**
			 * Part of the history of a new session. It did not happen in this session: no model was called, and no tool ran.
			 * In a history from a client, the client may claim anything, and a message without text has `content` "". A fork
			 * has the history of another session.
			 */
			readonly imported?: true;
	  }
	/** A failed model call is repeated by `model` after `inMs` milliseconds. `attempt` counts from 1. */
	| {
			readonly type: "run.retrying";
			readonly runId: string;
			readonly reason: string;
			readonly inMs: number;
			readonly attempt: number;
			readonly model: string;
	  }
	/** End of a model call with its actual usage. */
	| {
			readonly type: "model.called";
			/** "" if the call was for the session and not for a run, for example for its title. */
			readonly runId: string;
			readonly model: string;
			readonly provider: string;
			readonly messages: number;
			readonly usage: Usage;
			/** Billionths of a US dollar. */
			readonly cost: number;
			/** From the request to the end of the reply. */
			readonly durationMs: number;
			/** "" if the reply is complete. */
			readonly error: string;
			/** Kind of the failure. Absent without a failure, and in events of earlier versions. */
			readonly fault?: ModelFault;
			/** Text of a reply after which the run continues with tool calls. Absent without text. */
			readonly text?: string;
	  }
	/** Usage of the run and its session so far. Costs are billionths of a US dollar. */
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
			/** "" for a request while the session was idle. */
			readonly runId: string;
			readonly level: CompactionLevel;
			readonly tokensBefore: number;
			readonly tokensAfter: number;
			/** Reason why no model wrote the summary. Absent if a model did, and at other levels. */
			readonly error?: string;
	  }
	/** A requested compaction of an idle session has ended. Tokens are estimates, and 0 if the transcript is unchanged. */
	| {
			readonly type: "compaction.ended";
			/** unchanged: the transcript had no message after its last summary. */
			readonly status: "compacted" | "unchanged" | "failed" | "cancelled";
			readonly tokensBefore: number;
			readonly tokensAfter: number;
			/** Reason of a failure, else "". */
			readonly error: string;
	  }
	| {
			readonly type: "tool.started";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly arguments: unknown;
			/** Set if the call needed no approval because the channel is trusted. */
			readonly trusted?: TrustBadge;
			/** See `assistant.message`; so in `tool.completed` and `tool.failed`. */
			readonly imported?: true;
	  }
	| {
			readonly type: "tool.completed";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly result: string;
			/** Images in the result. Absent if there are none. Stored under this name. */
			readonly pictures?: readonly ImageFacts[];
			/** Duration of the call, without the time that people needed to answer. */
			readonly durationMs?: number;
			readonly imported?: true;
	  }
	| {
			readonly type: "tool.failed";
			readonly runId: string;
			readonly callId: string;
			readonly name: string;
			readonly error: string;
			/** Absent if it did not run. */
			readonly durationMs?: number;
			readonly imported?: true;
	  }
	| { readonly type: "prompt.requested"; readonly prompt: Prompt }
	| {
			readonly type: "prompt.answered";
			readonly token: string;
			/** The answer, or null for a password. */
			readonly value: unknown;
			/** Arguments changed by the approver. */
			readonly arguments?: unknown;
			/** The approval applies to the rest of the session. */
			readonly remembered?: true;
			/** Reason of a denial, if one was given. */
			readonly reason?: string;
			/** Principals of the approvals before this one, if several were needed. */
			readonly voters?: readonly string[];
			readonly cancelled: boolean;
			readonly by: string;
			/** Display name of a person who answered from another chat platform. */
			readonly byName?: string;
	  }
	/** An approval that needs several people got one of their approvals, and is still open. */
	| {
			readonly type: "prompt.voted";
			readonly token: string;
			readonly by: string;
			/** Display name of a person who approved from another chat platform. */
			readonly byName?: string;
			/** Approvals that are valid now. */
			readonly approvals: number;
			readonly needed: number;
			/** The question with the arguments that this person changed. Earlier approvals are void. */
			readonly changed?: Prompt;
	  }
	| {
			readonly type: "prompt.closed";
			readonly token: string;
			readonly reason: string;
			/** Principal that stopped its run, if one did. */
			readonly by?: string;
	  }
	/** A question is still open: at half and at nine tenths of its lifetime, or at the times of its notices. */
	| {
			readonly type: "prompt.reminded";
			readonly token: string;
			readonly runId: string;
			readonly label: string;
			/** Milliseconds since the epoch. */
			readonly expiresAt: number;
			/** People to notify. `escalated`: this group gets its first notice. */
			readonly notify?: Notice & { readonly escalated: boolean };
	  }
	/** A file for the people of the session; `runId` and `callId` identify the call that created it. */
	| {
			readonly type: "file.created";
			readonly file: FileFacts;
			readonly runId: string;
			readonly callId: string;
			readonly imported?: true;
	  }
	/** The list of steps of a run has changed, by the call with this id. Tasks record `task.progress` instead. */
	| {
			readonly type: "todo.updated";
			readonly runId: string;
			readonly callId: string;
			/** Complete list, without secrets. */
			readonly steps: readonly PlanStep[];
	  }
	| { readonly type: "session.renamed"; readonly title: string; readonly by: "person" | "model" }
	/** From now on, calls of the session's channel run without approval, within the limits of the grant. */
	| { readonly type: "grant.created"; readonly grant: GrantFacts }
	| { readonly type: "grant.ended"; readonly grantId: string; readonly reason: string };

/** All recorded events, in the order of `seq`: the vocabulary of the product. */
export type RecordedEvent =
	| ConversationEvent
	| CommandEvent
	| ScheduleEvent
	| SkillEvent
	| TaskEvent
	| WorkerEvent;

/** A recorded event with its position: `seq` counts from 1 in its session, without gaps. */
export interface Recorded {
	readonly transient: false;
	readonly id: string;
	readonly sessionId: string;
	readonly seq: number;
	/** Milliseconds since the epoch. */
	readonly at: number;
	readonly event: RecordedEvent;
}

/** A transient event; `seq` is that of the last recorded event before it. */
export interface Passing {
	readonly transient: true;
	readonly sessionId: string;
	readonly seq: number;
	readonly event: TransientEvent;
}

export type SessionEvent = Recorded | Passing;
