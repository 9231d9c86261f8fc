import * as z from "zod";
import { id, Message, ts } from "../intake/wire.ts";
import { Installation } from "../intake/workspace.ts";

/** Unique id of an interaction. For three seconds, the id can open a form. */
const trigger_id = z.string().min(1).max(128);
const url = z.string().optional();

/** Slash command: https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling */
export const SlashCommand = Installation.extend({
	trigger_id,
	command: z.string().regex(/^\/\S{1,40}$/),
	text: z.string().default(""),
	user_id: id,
	channel_id: id,
	response_url: url,
});

const User = z.object({ id });
const OfChannel = z.object({ id });
const Option = z.object({ value: z.string() });

/** Press of a control: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const BlockActions = z.object({
	trigger_id,
	response_url: url,
	user: User,
	/** Channel of the press. Absent on the app's home page. */
	channel: OfChannel.optional(),
	view: z.object({ type: z.string(), private_metadata: z.string() }).optional(),
	container: z.object({ message_ts: ts.optional(), thread_ts: ts.optional() }).optional(),
	message: z.object({ ts, thread_ts: ts.optional() }).optional(),
	actions: z
		.array(
			z.object({
				action_id: z.string(),
				action_ts: ts,
				/** Type of the control. For `feedback_buttons`, the value is the control of the pressed button. */
				type: z.string().optional(),
				value: z.string().optional(),
				selected_option: Option.nullish(),
				selected_options: z.array(Option).nullish(),
			}),
		)
		.min(1),
});
export type BlockActions = z.output<typeof BlockActions>;

/** Submitted form: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export const ViewSubmission = z.object({
	trigger_id,
	user: User,
	view: z.object({
		callback_id: z.string(),
		private_metadata: z.string(),
		state: z.object({
			values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))),
		}),
	}),
});

/** Use of a message menu: https://docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload */
export const MessageAction = z.object({
	trigger_id,
	response_url: url,
	user: User,
	channel: OfChannel,
	callback_id: z.string(),
	action_ts: ts,
	message: Message,
	/** Workspace of the installation. Null if the app is installed for all workspaces of an organisation. */
	team: z.object({ id: z.string() }).nullish(),
	enterprise: z.object({ id: z.string() }).nullish(),
	is_enterprise_install: Installation.shape.is_enterprise_install,
});

const read: ReadonlySet<string> = new Set(["block_actions", "view_submission", "message_action"]);

/** An interaction that the app does not use: https://docs.slack.dev/reference/interaction-payloads */
export const OtherInteraction = z.object({
	type: z.string().refine((type) => !read.has(type), "does not match Slack's documentation"),
});
