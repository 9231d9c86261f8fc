import * as z from "zod";
import { Installation } from "./workspace.ts";

/** Id of a channel, a person or a file. */
export const id = z.string().regex(/^[A-Z0-9]{1,64}$/);
export const ts = z.string().regex(/^\d{1,16}\.\d{1,16}$/);
const text = z
	.string()
	.nullish()
	.transform((value) => value ?? "");

/** The outer event: https://docs.slack.dev/apis/events-api#callback-field */
export const Outer = z.object({
	event_id: z.string().min(1).max(100),
	event: z.looseObject({ type: z.string() }),
	is_ext_shared_channel: z.boolean().nullish(),
	/** Installations that receive the event. Slack sends at most one of them. */
	authorizations: z.array(Installation).nullish(),
});
export type Outer = z.output<typeof Outer>;

const Edited = z.object({ user: z.string().optional(), ts });

/** Parsed fields of `message` and `app_mention`: https://docs.slack.dev/reference/events/message */
export const Message = z.object({
	ts,
	thread_ts: ts.optional(),
	subtype: z.string().optional(),
	user: id.nullish(),
	bot_id: id.nullish(),
	username: z.string().nullish(),
	bot_profile: z.object({ name: z.string().optional() }).nullish(),
	text,
	/** Files, which are parsed one by one, so that an invalid file does not affect the others. */
	files: z.array(z.unknown()).nullish(),
	blocks: z.array(z.unknown()).nullish().catch(undefined),
	attachments: z.array(z.unknown()).nullish().catch(undefined),
	edited: Edited.nullish(),
});
export type Message = z.output<typeof Message>;

export const Where = z.object({ channel: id, channel_type: z.string().optional() });
export type Where = z.output<typeof Where>;

export const Changed = Where.extend({
	message: Message,
	previous_message: z.object({ text, edited: Edited.nullish() }).nullish(),
});

export const Deleted = Where.extend({
	deleted_ts: ts,
	previous_message: z.object({ thread_ts: ts.optional() }).nullish(),
});

/** File object: https://docs.slack.dev/reference/objects/file-object */
export const WireFile = z.object({
	id,
	name: z.string().nullish(),
	title: z.string().nullish(),
	size: z.int().min(0).nullish(),
	mimetype: z.string().nullish(),
	url_private: z.string().nullish(),
	url_private_download: z.string().nullish(),
	mode: z.string().nullish(),
	file_access: z.string().nullish(),
});
export type WireFile = z.output<typeof WireFile>;

/** Event of a reaction: https://docs.slack.dev/reference/events/reaction_added */
export const Reaction = z.object({
	user: id,
	reaction: z.string(),
	item: z.discriminatedUnion("type", [
		z.object({ type: z.literal("message"), channel: id, ts }),
		z.object({ type: z.literal("file") }),
		z.object({ type: z.literal("file_comment") }),
	]),
});

/** Event of the stop button: https://docs.slack.dev/reference/events/agent_session_stopped */
export const Stopped = z.object({ user: id, channel: id, thread_ts: ts });

/** Event of a changed title: https://docs.slack.dev/reference/events/agent_session_title_changed */
export const Retitled = Stopped.extend({ title: z.string().max(200) });

/** Event of a changed view: https://docs.slack.dev/reference/events/app_context_changed. `Viewed` parses the context. */
export const ContextChanged = z.object({ user: id, context: z.unknown() });

/**
 * Event of the app's home: https://docs.slack.dev/reference/events/app_home_opened. `channel` is the channel of
 * direct messages with the person.
 */
export const HomeOpened = z.object({ user: id, channel: id, tab: z.string().optional() });

/** User object: https://docs.slack.dev/reference/objects/user-object */
export const User = z.object({
	id,
	team_id: z.string().optional(),
	name: z.string().optional(),
	real_name: z.string().nullish(),
	profile: z.object({ display_name: z.string().nullish(), real_name: z.string().nullish() }).nullish(),
	is_bot: z.boolean().optional(),
	/** Whether the user was deactivated, or removed from the workspace. */
	deleted: z.boolean().optional(),
	is_restricted: z.boolean().optional(),
	is_ultra_restricted: z.boolean().optional(),
	is_stranger: z.boolean().optional(),
	/** The user's workspaces in an organisation. */
	enterprise_user: z.object({ teams: z.array(z.string()).default([]) }).nullish(),
});
export type User = z.output<typeof User>;

/** Channel object: https://docs.slack.dev/reference/objects/conversation-object */
export const Channel = z.object({
	id,
	name: z.string().nullish(),
	is_im: z.boolean().optional(),
	is_mpim: z.boolean().optional(),
	is_private: z.boolean().optional(),
	is_member: z.boolean().optional(),
	is_ext_shared: z.boolean().optional(),
	is_pending_ext_shared: z.boolean().optional(),
});
export type Channel = z.output<typeof Channel>;

/** Channel of an event. Some events have only its id, others the complete object. */
export const OfChannel = z.object({
	channel: z.union([id, z.object({ id }).transform((channel) => channel.id)]),
});
export const Member = z.object({ user: id, channel: id, inviter: id.optional().catch(undefined) });
export const ChangedId = z.object({ old_channel_id: id, new_channel_id: id });
