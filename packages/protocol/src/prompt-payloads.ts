import * as z from "zod";

export interface PromptOptionPayload {
	readonly value: string;
	readonly label: string;
	readonly description: string;
	readonly disabled: boolean;
}

/** Details for displaying a prompt. Each key is present only if it applies to the prompt. */
export interface PromptContext {
	readonly call_id?: string;
	readonly tool?: string;
	readonly arguments?: unknown;
	/** A unified diff, or "". */
	readonly preview?: string;
	readonly risk?: "low" | "normal" | "high" | "critical";
	/** Whether `"session"` is an allowed answer. */
	readonly allow_session?: boolean;
	/** Time at which the prompt expires, in the format of RFC 3339. */
	readonly expires_at?: string;
	readonly notes?: readonly string[];
	/** Notes about unusual facts. A client that displays only a part of the prompt must display the warnings. */
	readonly warnings?: readonly string[];
	/** Number of different people who must approve the call. Absent: one. */
	readonly approvals?: number;
	/** Number of times that approvers have changed the call's arguments. Absent: never. */
	readonly changes?: number;
	/** People whom a connector must notify immediately. */
	readonly notify?: NoticePayload;
	/** Id of the task, if a task opened the prompt. */
	readonly task_id?: string;
	/** Other channels in which the prompt may be answered, as `PLATFORM:TENANT:CHANNEL`. */
	readonly also_in?: readonly string[];
	/**
	 * Reply of the model that contains the call. All calls in the reply have the same `id`. `count` approvals were
	 * opened together, and this approval is number `place` of them, from 1. Absent in approvals from an earlier gateway
	 * version.
	 */
	readonly reply?: { readonly id: string; readonly place: number; readonly count: number };
	/** Rule that an operator can add with `allow_always`. Absent if the approval offers no rule. */
	readonly always_allow?: AlwaysAllowPayload;
}

/** A rule that allows the commands of a call. */
export interface AlwaysAllowPayload {
	/** Name of the tool in rules. */
	readonly tool: string;
	readonly classes: readonly string[];
	/** Allowed commands. A command must begin with `words`. `exact`: no further words are allowed. */
	readonly commands: readonly { readonly words: readonly string[]; readonly exact: boolean }[];
}

/** People to notify about an approval, and the ways to reach them. */
export interface NoticePayload {
	/** Ids in the form `PLATFORM:TENANT:USER`, for example `discord:GUILD:USER`. */
	readonly people: readonly string[];
	/**
	 * Platform ids of roles. Members with one of the roles may approve. Only `mention` and `channel` can notify a role.
	 */
	readonly roles?: readonly string[];
	/**
	 * Ways to send the notice. The connector tries the ways in the order of the list, until one reaches a person.
	 * `mention`: in the conversation. `channel`: in `channels`. `direct`: by direct message.
	 */
	readonly by: readonly ("mention" | "channel" | "direct")[];
	/** Channels for `channel`, in the same guild or team: `PLATFORM:TENANT:CHANNEL`. */
	readonly channels?: readonly string[];
}

export const Notice = z.object({
	people: z.array(z.string()),
	roles: z.exactOptional(z.array(z.string())),
	by: z.array(z.enum(["mention", "channel", "direct"])),
	channels: z.exactOptional(z.array(z.string())),
}) satisfies z.ZodType<NoticePayload>;

/** A prompt: an approval or a question. A client answers the prompt with `prompt_response`. */
export interface PromptRequestPayload {
	readonly type: "text" | "select" | "multi" | "confirm" | "password";
	readonly label: string;
	readonly token: string;
	readonly required: boolean;
	readonly options: readonly PromptOptionPayload[];
	readonly default: unknown;
	readonly placeholder: string;
	readonly validation: string;
	readonly context: PromptContext;
}

export const PromptRequest = z.object({
	type: z.enum(["text", "select", "multi", "confirm", "password"]),
	label: z.string(),
	token: z.string(),
	required: z.boolean(),
	options: z.array(
		z.object({ value: z.string(), label: z.string(), description: z.string(), disabled: z.boolean() }),
	),
	default: z.unknown(),
	placeholder: z.string(),
	validation: z.string(),
	context: z.object({
		call_id: z.exactOptional(z.string()),
		tool: z.exactOptional(z.string()),
		arguments: z.unknown().optional(),
		preview: z.exactOptional(z.string()),
		risk: z.exactOptional(z.enum(["low", "normal", "high", "critical"])),
		allow_session: z.exactOptional(z.boolean()),
		expires_at: z.exactOptional(z.string()),
		notes: z.exactOptional(z.array(z.string())),
		warnings: z.exactOptional(z.array(z.string())),
		notify: z.exactOptional(Notice),
		task_id: z.exactOptional(z.string()),
		approvals: z.exactOptional(z.int().min(2)),
		changes: z.exactOptional(z.int().min(1)),
		also_in: z.exactOptional(z.array(z.string())),
		reply: z.exactOptional(z.object({ id: z.string(), place: z.int().min(1), count: z.int().min(1) })),
		always_allow: z.exactOptional(
			z.object({
				tool: z.string(),
				classes: z.array(z.string()),
				commands: z.array(z.object({ words: z.array(z.string()), exact: z.boolean() })),
			}),
		),
	}),
}) satisfies z.ZodType<PromptRequestPayload>;

/** An open prompt, with its session and requester. */
export const OpenPrompt = PromptRequest.extend({
	session_id: z.string(),
	session_title: z.string(),
	/** Time at which the prompt was opened, in the format of RFC 3339. */
	created_at: z.string(),
	/** Person who requested the work: `PLATFORM:TENANT:USER`. Absent if no chat member requested the work. */
	person: z.exactOptional(z.string()),
	/** Display name. */
	name: z.exactOptional(z.string()),
	/** Channel of the session: `PLATFORM:TENANT:CHANNEL`. Absent outside chats. */
	place: z.exactOptional(z.string()),
	/**
	 * Whether an answer approves only with an explicit value. True for calls that always require approval, and for grant
	 * requests.
	 */
	always_ask: z.boolean(),
});
export type OpenPromptPayload = PromptRequestPayload &
	Readonly<Omit<z.output<typeof OpenPrompt>, keyof PromptRequestPayload>>;
