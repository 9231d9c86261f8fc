import * as z from "zod";
import { type CommandEventPayloads, commandPayloads } from "./command-methods.ts";
import { FilePayload } from "./file-payload.ts";
import type { EventFrame } from "./frame.ts";
import { type ModelEventPayloads, modelPayloads } from "./model-events.ts";
import { Notice, type NoticePayload, PromptRequest, type PromptRequestPayload } from "./prompt-payloads.ts";
import { OriginPayload, type ScheduleEventPayloads, schedulePayloads } from "./schedule-methods.ts";
import { type SkillEventPayloads, skillPayloads } from "./skill-events.ts";
import { type TaskEventPayloads, taskPayloads } from "./task-events.ts";
import { GrantPayload, TrustedPayload } from "./trust-payloads.ts";
import { Tokens, type TokensPayload } from "./usage-report.ts";

export type EmptyPayload = Record<string, never>;

/** The first event of a session. */
export interface SessionCreatedPayload {
	/**
	 * Source of a fork: the copied session, and the number of the last copied turn. Absent if the session is not a fork.
	 */
	readonly forked_from?: { readonly session_id: string; readonly at: number };
}

/** A message was accepted. Its run may still wait for other runs. */
export interface UserMessagePayload {
	readonly content: string;
	readonly run_id: string;
	/** The client's own name for the message. Absent if the client gave no name. */
	readonly correlation_id?: string;
	/** Author of the message. Absent if the client names no person. */
	readonly author?: { readonly id: string; readonly name: string };
	/** Set if the message was added to the active run `run_id` and started no run. */
	readonly steered?: true;
	/** Run of the reply that the new run replaces. `content` is then the message of the run `retry_of`. */
	readonly retry_of?: string;
	readonly attachments?: readonly FilePayload[];
	/** The schedule that sent the message. */
	readonly origin?: OriginPayload;
	readonly imported?: Imported;
}

/**
 * Marks an event that is older than the session. Either a client imported the event, and the gateway could not verify
 * it, or a fork copied the event.
 */
type Imported = true;

/**
 * Part of a reply while the model writes the reply. `start` has an empty content, and the text of the reply begins
 * again. `delta` appends `content` to the text. `index` is 0.
 */
export interface AssistantStreamPayload {
	readonly phase: "start" | "delta" | "end";
	readonly content: string;
	readonly index: number;
}

/** End of a run. Each run has exactly one `assistant.message` event. */
export interface AssistantMessagePayload {
	readonly content: string;
	/** Run that has ended. Absent in events of earlier gateway versions. */
	readonly run_id?: string;
	/** Error message, or `cancelled`. Empty after a success. */
	readonly error: string;
	/** Active run to which the queued message was added. `error` is then `cancelled`. */
	readonly joined?: string;
	/** Person (`PLATFORM:TENANT:USER`) or client that stopped the run. Absent if the run was not stopped. */
	readonly stopped_by?: string;
	readonly context: AnswerContext;
	/** The schedule that started the run. `show` determines the display of the answer in a channel. */
	readonly origin?: OriginPayload;
	readonly imported?: Imported;
}

/** Model and usage of the run. Both are absent if no model answered, and in imported replies. */
export interface AnswerContext {
	readonly model?: string;
	readonly usage?: TokensPayload;
	/** The channel grant. Present if the channel was trusted at the end of the run, unless a schedule started the run. */
	readonly trusted?: TrustedPayload;
}

/**
 * A step of a tool call. Each call first has a `started` event, and then a `completed` or `failed` event with the same
 * `call_id`.
 */
export type ToolCallPayload =
	| {
			readonly status: "started";
			readonly name: string;
			readonly arguments: unknown;
			readonly call_id: string;
			/** The channel grant. Present if the grant replaced the approval of the call. */
			readonly trusted?: TrustedPayload;
			readonly imported?: Imported;
	  }
	| {
			readonly status: "completed";
			readonly name: string;
			readonly result: string;
			readonly call_id: string;
			readonly imported?: Imported;
	  }
	| {
			readonly status: "failed";
			readonly name: string;
			readonly error: string;
			readonly call_id: string;
			readonly imported?: Imported;
	  };

/** A prompt was answered. `value` is null if the prompt requests a password or was cancelled. */
export interface PromptResponsePayload {
	readonly token: string;
	readonly value: unknown;
	readonly cancelled: boolean;
	readonly by: string;
	/**
	 * Display name of the respondent. Present if the respondent is from another guild, team or platform than the
	 * session.
	 */
	readonly by_name?: string;
	/** Arguments of the approved call, if the respondent changed the arguments. */
	readonly arguments?: unknown;
	/** Set if the approval also covers similar later calls in the session. */
	readonly remembered?: true;
	/** Reason for a denial. Absent if the respondent gave no reason. */
	readonly reason?: string;
	/** People who approved earlier, if the call required several approvals. */
	readonly voters?: readonly string[];
}

/** One approval of a call that requires several approvals. The prompt is still open. */
export interface PromptVotePayload {
	readonly token: string;
	readonly by: string;
	/** Display name of the respondent, as in `prompt.response`. */
	readonly by_name?: string;
	/** Number of approvals that are valid now. */
	readonly approvals: number;
	readonly needed: number;
	/**
	 * The prompt with changed arguments, if the respondent changed the arguments. The changed prompt replaces the
	 * earlier prompt, and earlier approvals become void.
	 */
	readonly changed?: PromptRequestPayload;
}

/** A prompt that can no longer be answered. */
export interface PromptClosedPayload {
	readonly token: string;
	readonly reason: string;
	/** Principal that stopped the run of the prompt. Absent if the prompt was closed for another reason. */
	readonly by?: string;
}

/** Reminder about a prompt that is still open. */
export interface PromptReminderPayload {
	readonly token: string;
	readonly label: string;
	/** Time at which the prompt expires, in the format of RFC 3339. */
	readonly expires_at: string;
	readonly run_id: string;
	/** Group of people whom a connector must notify. `escalated`: whether this is the first notice to the group. */
	readonly notify?: NoticePayload & { readonly escalated: boolean };
}

/** A file for the clients of the session. */
export interface FileCreatedPayload extends FilePayload {
	readonly run_id: string;
	readonly call_id: string;
	readonly imported?: Imported;
}

/** The grant of the session's channel has ended. */
export interface GrantEndedPayload {
	readonly grant_id: string;
	readonly reason: string;
}

export interface SessionRenamedPayload {
	readonly title: string;
	readonly by: "person" | "model";
}

/** Payloads of all events in this version of the protocol, by event name. */
export interface EventPayloads
	extends ModelEventPayloads,
		CommandEventPayloads,
		ScheduleEventPayloads,
		SkillEventPayloads,
		TaskEventPayloads {
	readonly "session.created": SessionCreatedPayload;
	readonly "session.closed": EmptyPayload;
	readonly "user.message": UserMessagePayload;
	readonly "assistant.stream": AssistantStreamPayload;
	readonly "assistant.message": AssistantMessagePayload;
	readonly "tool.call": ToolCallPayload;
	readonly "prompt.request": PromptRequestPayload;
	readonly "prompt.response": PromptResponsePayload;
	readonly "prompt.vote": PromptVotePayload;
	readonly "prompt.closed": PromptClosedPayload;
	readonly "prompt.reminder": PromptReminderPayload;
	readonly "file.created": FileCreatedPayload;
	readonly "session.renamed": SessionRenamedPayload;
	/** A channel grant started. Tool calls in the session's channel run without approval if the grant covers them. */
	readonly "grant.created": GrantPayload;
	readonly "grant.ended": GrantEndedPayload;
	/** The session was deleted. No event follows. */
	readonly "session.deleted": EmptyPayload;
}

export type EventName = keyof EventPayloads;

/** An event frame of this version of the protocol. `switch (event.event)` narrows the type of `event.payload`. */
export type OzzieEvent = { [Name in EventName]: EventFrame<Name, EventPayloads[Name]> }[EventName];

const imported = { imported: z.exactOptional(z.literal(true)) };
const call = { name: z.string(), call_id: z.string(), ...imported };

const payloads = {
	"session.created": z.object({
		forked_from: z.exactOptional(z.object({ session_id: z.string(), at: z.int() })),
	}),
	"session.closed": z.object({}),
	"user.message": z.object({
		content: z.string(),
		run_id: z.string(),
		correlation_id: z.exactOptional(z.string()),
		author: z.exactOptional(z.object({ id: z.string(), name: z.string() })),
		steered: z.exactOptional(z.literal(true)),
		retry_of: z.exactOptional(z.string()),
		attachments: z.exactOptional(z.array(FilePayload)),
		origin: z.exactOptional(OriginPayload),
		...imported,
	}),
	"assistant.stream": z.object({
		phase: z.enum(["start", "delta", "end"]),
		content: z.string(),
		index: z.int(),
	}),
	"assistant.message": z.object({
		content: z.string(),
		run_id: z.exactOptional(z.string()),
		error: z.string(),
		joined: z.exactOptional(z.string()),
		stopped_by: z.exactOptional(z.string()),
		context: z.object({
			model: z.exactOptional(z.string()),
			usage: z.exactOptional(Tokens),
			trusted: z.exactOptional(TrustedPayload),
		}),
		origin: z.exactOptional(OriginPayload),
		...imported,
	}),
	...modelPayloads,
	...commandPayloads,
	...skillPayloads,
	...schedulePayloads,
	...taskPayloads,
	"tool.call": z.discriminatedUnion("status", [
		z.object({
			...call,
			status: z.literal("started"),
			arguments: z.unknown(),
			trusted: z.exactOptional(TrustedPayload),
		}),
		z.object({ ...call, status: z.literal("completed"), result: z.string() }),
		z.object({ ...call, status: z.literal("failed"), error: z.string() }),
	]),
	"prompt.request": PromptRequest,
	"prompt.response": z.object({
		token: z.string(),
		value: z.unknown(),
		cancelled: z.boolean(),
		by: z.string(),
		by_name: z.exactOptional(z.string()),
		arguments: z.unknown().optional(),
		remembered: z.exactOptional(z.literal(true)),
		reason: z.exactOptional(z.string()),
		voters: z.exactOptional(z.array(z.string())),
	}),
	"prompt.vote": z.object({
		token: z.string(),
		by: z.string(),
		by_name: z.exactOptional(z.string()),
		approvals: z.int().min(1),
		needed: z.int().min(2),
		changed: z.exactOptional(PromptRequest),
	}),
	"prompt.closed": z.object({ token: z.string(), reason: z.string(), by: z.exactOptional(z.string()) }),
	"prompt.reminder": z.object({
		token: z.string(),
		label: z.string(),
		expires_at: z.string(),
		run_id: z.string(),
		notify: z.exactOptional(Notice.extend({ escalated: z.boolean() })),
	}),
	"file.created": FilePayload.extend({ run_id: z.string(), call_id: z.string(), ...imported }),
	"session.renamed": z.object({ title: z.string(), by: z.enum(["person", "model"]) }),
	"grant.created": GrantPayload,
	"grant.ended": z.object({ grant_id: z.string(), reason: z.string() }),
	"session.deleted": z.object({}),
} satisfies { [Name in EventName]: z.ZodType<EventPayloads[Name]> };

export const eventNames: readonly string[] = Object.keys(payloads);

/**
 * Whether a frame is an event of this version of the protocol and has a valid payload. Clients should ignore all other
 * event frames, for example events of a later version.
 */
export function isOzzieEvent(frame: EventFrame): frame is OzzieEvent {
	const name = frame.event;
	return isEventName(name) && payloads[name].safeParse(frame.payload).success;
}

function isEventName(name: string): name is EventName {
	return Object.hasOwn(payloads, name);
}
