const invite = "invite the bot, for example with /invite @parley";
const bug = "report this as a bug in Parley";
const token = "restart the connector with a valid token";

/** Reasons why a request to Slack failed, for operators. Lists of posts and the log show them. */
export const deliveryTexts = {
	/** Refusal of a call. `error` is Slack's error code, and `details` are Slack's messages about the arguments. */
	refused: ({
		method,
		error,
		fix,
		details,
	}: {
		readonly method: string;
		readonly error: string;
		readonly fix: string | undefined;
		readonly details: string | undefined;
	}) =>
		`Slack refuses ${method} (${error})${details === undefined ? "" : ` [${details}]`}${fix === undefined ? "" : `: ${fix}`}`,
	missingScope: ({ scope }: { readonly scope: string | undefined }) =>
		scope === undefined
			? "give the app the missing scope, and install the app again"
			: `give the app the scope "${scope}", and install the app again`,
	/** Explanations and advice by Slack's error code. */
	fixes: {
		channel_not_found: `the channel is deleted, or the bot cannot see it; if it exists, ${invite}`,
		message_not_found: "the message was deleted",
		thread_not_found: "the first message of the thread was deleted",
		is_archived: "the channel is archived; unarchive it so that the bot can post",
		is_inactive: "the channel is archived, frozen or deleted; if it is archived, unarchive it",
		not_in_channel: `the bot is not in the channel; ${invite}`,
		user_not_in_channel: "the person is not in the channel; add the person to the channel",
		cant_update_message: "the message belongs to another app or person",
		edit_window_closed:
			"the workspace does not allow edits of older messages; ask an administrator to allow them",
		msg_too_long: `the text of the message is too long; ${bug}`,
		msg_blocks_too_long: `the blocks of the message are too long; ${bug}`,
		invalid_blocks: `the blocks of the message are invalid; ${bug}`,
		no_text: `the message is empty; ${bug}`,
		restricted_action:
			"the settings of the workspace or the channel do not allow this request; ask an administrator to change them",
		no_permission: `the app lacks a permission, or is not in the channel; install the app again, or ${invite}`,
		not_allowed_token_type: "use a bot token (xoxb-)",
		not_enabled: "in the settings of the app, switch on the home tab",
		messages_tab_disabled: "in the settings of the app, switch on the messages tab",
		team_added_to_org: "the workspace is moving into an organisation; try again later",
		ekm_access_denied: "the administrators of the workspace have suspended access; ask them to restore it",
		team_access_not_granted:
			"the app has no access to this workspace; ask an administrator of the organisation to add the app",
		accesslimited:
			"the organisation does not allow the network of this machine; ask an administrator to allow its address",
		message_limit_exceeded: "the workspace has reached its limit of messages; try again later",
		token,
		account_inactive: `the app was removed, or its workspace was deleted; ${token}`,
	},
	/** Text in place of the method's name in `refused` and `limited`. */
	fileUpload: "the upload of a file",
	limited: ({ method }: { readonly method: string }) =>
		`Slack limits the rate of ${method}: the connector waits and tries again`,
	tokenRefused: ({ method }: { readonly method: string }) =>
		`${method} failed: Slack does not accept the token; ${token}`,
	invalid: ({ problems }: { readonly problems: readonly string[] }) =>
		`cannot send the message, because Slack would refuse it: ${problems.join(", ")}; report this as a bug in Parley`,
	noMessageId: "cannot confirm the post: Slack's response contains no message id",
	noMessages: "cannot read messages: Slack's response is not a list of messages",
	noConversation: "cannot open a direct message: Slack's response contains no conversation",
	foreignAddress: ({ origin }: { readonly origin: string }) =>
		`cannot send a request to ${origin}: this address does not belong to Slack; report this as a bug in Parley`,
	noUploadAddress: ({ name }: { readonly name: string }) =>
		`cannot upload the file ${name}: Slack's response contains no upload address; if this continues, report it as a bug in Parley`,
	tooManyMessages: ({ channel }: { readonly channel: string }) =>
		`cannot search channel ${channel} for the post: the channel has too many newer messages`,
	noCard: ({ card }: { readonly card: string }) =>
		`the post is waiting for the card ${card}, which is not posted yet`,
	notAConversation: ({ id }: { readonly id: string }) =>
		`cannot send the post: invalid Slack conversation id "${id}"; report this as a bug in Parley`,
	notAMessage: ({ id }: { readonly id: string }) =>
		`cannot send the post: invalid Slack message id "${id}"; report this as a bug in Parley`,
	filesUncertain: ({ reason }: { readonly reason: string }) =>
		`the message is posted, but its files might be missing: ${reason}; check the message`,
	privateAnswerExpired:
		"cannot send a private answer: the address of the interaction has expired; ask the person to try again",
	invalidTicket: ({ id }: { readonly id: string }) =>
		`cannot send a private answer: the stored address of the interaction ${id} is invalid; ask the person to try again`,
} as const;
