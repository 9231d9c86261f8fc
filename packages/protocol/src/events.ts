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
	/** The source of a fork: its session, and the number of the last copied turn. */
	readonly forked_from?: { readonly session_id: string; readonly at: number };
}

/** A message was accepted. Its run may still wait for other runs. */
export interface UserMessagePayload {
	readonly content: string;
	readonly run_id: string;
	/** The client's own name for the message, if any. */
	readonly correlation_id?: string;
	/** Author of the message. Absent if the client names no person. */
	readonly author?: { readonly id: string; readonly name: string };
	/** Set if the message joined the active run `run_id` and started no run. */
	readonly steered?: true;
	/** The run whose reply is repeated. The content is the message of that run. */
	readonly retry_of?: string;
	readonly attachments?: readonly FilePayload[];
	/** The schedule that sent the message. */
	readonly origin?: OriginPayload;
	readonly imported?: Imported;
}

/**
 * Marks an event from before the session. A client imported the event, so the gateway could not verify it, or a fork
 * copied it.
 */
type Imported = true;

/**
 * A reply while the model writes it. `start` has an empty text, even if a part of the same reply was shown before.
 * `delta` adds its content. `index` is 0.
 */
export interface AssistantStreamPayload {
	readonly phase: "start" | "delta" | "end";
	readonly content: string;
	readonly index: number;
}

/** End of a run. Each run has exactly one such event. */
export interface AssistantMessagePayload {
	readonly content: string;
	/** Run of the message. Absent in events of earlier gateway versions. */
	readonly run_id?: string;
	/** Error message, or `cancelled`. Empty after a success. */
	readonly error: string;
	/** The active run that the queued message joined. `error` is then `cancelled`. */
	readonly joined?: string;
	/** Person (`PLATFORM:TENANT:USER`) or client that stopped the run, if any. */
	readonly stopped_by?: string;
	readonly context: AnswerContext;
	/** The schedule that started the run. `show` is the display of the answer in a channel. */
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

/** One tool call: `started`, and then `completed` or `failed` with the same `call_id`. */
export type ToolCallPayload =
	| {
			readonly status: "started";
			readonly name: string;
			readonly arguments: unknown;
			readonly call_id: string;
			/** The channel grant. Present if it replaced the approval. */
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

/** A prompt was answered. The value of a password or of a cancelled question is null. */
export interface PromptResponsePayload {
	readonly token: string;
	readonly value: unknown;
	readonly cancelled: boolean;
	readonly by: string;
	/** Display name of a respondent from another guild, team or platform than the session's. */
	readonly by_name?: string;
	/** Arguments of the approved call, if the person changed them. */
	readonly arguments?: unknown;
	/** Set if the approval also covers later similar calls of the session. */
	readonly remembered?: true;
	/** Reason for a denial, if any. */
	readonly reason?: string;
	/** People who approved earlier, if the call required several approvals. */
	readonly voters?: readonly string[];
}

/** One of several approvals that a call requires. The prompt is still open. */
export interface PromptVotePayload {
	readonly token: string;
	readonly by: string;
	/** Display name of the respondent, as in `prompt.response`. */
	readonly by_name?: string;
	/** Number of approvals that are valid now. */
	readonly approvals: number;
	readonly needed: number;
	/**
	 * The prompt with the arguments that this person changed. It replaces the prompt, and earlier approvals become void.
	 */
	readonly changed?: PromptRequestPayload;
}

/** A prompt that can no longer be answered. */
export interface PromptClosedPayload {
	readonly token: string;
	readonly reason: string;
	/** Principal that stopped the run of the prompt, if any. */
	readonly by?: string;
}

/** Reminder of a prompt that has been open for a long time. */
export interface PromptReminderPayload {
	readonly token: string;
	readonly label: string;
	/** Time of the expiry, in the format of RFC 3339. */
	readonly expires_at: string;
	readonly run_id: string;
	/** People whom a connector must notify. `escalated`: whether this is the first notice of this group. */
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

/** Payloads of all events of this version, by event name. */
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
	/** A channel grant started. Within the limits of the grant, calls of the session's channel run without approval. */
	readonly "grant.created": GrantPayload;
	readonly "grant.ended": GrantEndedPayload;
	/** The session was deleted. No event follows. */
	readonly "session.deleted": EmptyPayload;
}

export type EventName = keyof EventPayloads;

/** An event frame of this version. `switch (event.event)` narrows the type of its payload. */
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
 * Whether a frame is an event of this version with a valid payload. Clients should ignore all other frames, for example
 * events of a later version.
 */
export function isOzzieEvent(frame: EventFrame): frame is OzzieEvent {
	const name = frame.event;
	return isEventName(name) && payloads[name].safeParse(frame.payload).success;
}

function isEventName(name: string): name is EventName {
	return Object.hasOwn(payloads, name);
}
