import { defined } from "@parley/base";
import { DeliveryError, type DeliveryFailure, type RateLimit } from "@parley/connector";

interface Meaning {
	readonly kind: DeliveryFailure;
	/** Advice for the operator. */
	readonly fix?: string;
}

const invite = "invite it there: /invite @parley";
const token = "give the connector a token that counts";

/**
 * Meaning of Slack's error codes for a post, from the errors of each method below https://docs.slack.dev/reference/methods.
 * Other codes are permanent refusals.
 */
const meanings: Readonly<Record<string, Meaning>> = {
	channel_not_found: {
		kind: "gone",
		fix: `the channel is gone, or the bot may not see it; if it is there, ${invite}`,
	},
	message_not_found: { kind: "gone", fix: "somebody has deleted it" },
	thread_not_found: { kind: "gone", fix: "somebody has deleted the message that it began with" },
	is_archived: { kind: "gone", fix: "the channel is archived: unarchive it where the bot is to write" },
	is_inactive: { kind: "gone", fix: "the channel is archived: unarchive it where the bot is to write" },
	user_not_found: { kind: "gone" },
	not_in_channel: { kind: "rejected", fix: `the bot is not in the channel: ${invite}` },
	user_not_in_channel: { kind: "gone", fix: "the one to be answered is not in the channel" },
	cannot_reply_to_message: { kind: "rejected" },
	cant_update_message: { kind: "rejected", fix: "another app or person wrote it" },
	edit_window_closed: { kind: "rejected", fix: "the workspace allows no edits so late" },
	msg_too_long: { kind: "rejected", fix: "its text is too long" },
	msg_blocks_too_long: { kind: "rejected", fix: "its blocks are too long" },
	invalid_blocks: { kind: "rejected", fix: "its blocks are not as Slack wants them" },
	invalid_blocks_format: { kind: "rejected", fix: "its blocks are not as Slack wants them" },
	no_text: { kind: "rejected", fix: "there is nothing to read in it" },
	restricted_action: { kind: "rejected", fix: "the settings of the workspace or the channel do not let it" },
	no_permission: { kind: "rejected", fix: "the app may not do this: install it again" },
	missing_scope: { kind: "rejected" },
	not_allowed_token_type: { kind: "rejected", fix: "the token has to be a bot's (xoxb-)" },
	messages_tab_disabled: { kind: "rejected", fix: "switch on the messages tab in the settings of the app" },
	team_added_to_org: { kind: "rate-limited", fix: "the workspace is moving into an organisation" },
	org_login_required: { kind: "rate-limited", fix: "the workspace is moving into an organisation" },
	ekm_access_denied: {
		kind: "rate-limited",
		fix: "the organisation has withdrawn the key that messages there are kept with: its administrators give it back",
	},
	team_access_not_granted: {
		kind: "rate-limited",
		fix: "the app is not let into this workspace: an administrator of the organisation adds it there",
	},
	accesslimited: {
		kind: "rate-limited",
		fix: "the organisation lets nobody in from this machine's network: its administrators allow that address",
	},
	rate_limited: { kind: "rate-limited" },
	ratelimited: { kind: "rate-limited" },
	message_limit_exceeded: { kind: "rate-limited", fix: "too many messages are written in the workspace" },
	// "Some aspect of the operation" may have been carried out.
	fatal_error: { kind: "unknown" },
	internal_error: { kind: "unknown" },
	service_unavailable: { kind: "unknown" },
	request_timeout: { kind: "unknown" },
	invalid_cursor: { kind: "unknown" },
	invalid_auth: { kind: "rate-limited", fix: token },
	not_authed: { kind: "rate-limited", fix: token },
	account_inactive: { kind: "rate-limited", fix: `the app was removed from the workspace: ${token}` },
	token_revoked: { kind: "rate-limited", fix: token },
	token_expired: { kind: "rate-limited", fix: token },
};

/** Codes for a refused token, which affect all calls: https://docs.slack.dev/reference/methods/auth.test#errors */
const ofTheToken: ReadonlySet<string> = new Set([
	...["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"],
]);

/** Codes for temporary refusals. */
const ofTheMoment: ReadonlySet<string> = new Set([
	...["org_login_required", "team_added_to_org", "ekm_access_denied", "team_access_not_granted"],
	"accesslimited",
]);

/** Codes for the form of a message. */
const ofTheLook: ReadonlySet<string> = new Set([
	...["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"],
]);

/** Refusal of Slack. */
export class Refused extends DeliveryError {
	/** Slack's own code. */
	readonly slackCode: string;

	constructor(
		message: string,
		options: { readonly kind: DeliveryFailure; readonly slackCode: string; readonly limit?: RateLimit },
	) {
		super(message, options);
		this.slackCode = options.slackCode;
	}

	/** Whether Slack might accept the same content in other blocks. */
	get isOfTheLook(): boolean {
		return ofTheLook.has(this.slackCode);
	}
}

/** Reasons for a refused file, for people: errors of both upload methods. Other codes are shown as they are. */
const noFiles: Readonly<Record<string, string>> = {
	...Object.fromEntries(
		[
			"missing_scope",
			"no_permission",
			"restricted_action",
			"not_in_channel",
			"channel_not_found",
			"access_denied",
		].map((word) => [word, "I may not share files here"]),
	),
	file_type_not_allowed: "files of this kind are not allowed here",
	file_uploads_disabled: "this workspace takes no files",
	file_uploads_except_images_disabled: "this workspace takes no files but pictures",
	storage_limit_reached: "this workspace has no room for more files",
	is_archived: "the channel is archived",
};

/** Codes of both methods, and of the upload between them, for a file that is too large. */
const tooLarge: ReadonlySet<string> = new Set([
	...["file_upload_size_restricted", "snippet_too_large", "status_413"],
]);

/** Whether a file is larger than Slack accepts. */
export function isTooLargeRefusal(refusal: DeliveryError): boolean {
	return refusal instanceof Refused && tooLarge.has(refusal.slackCode);
}

/** Reason for a missing file, as Markdown at the end of a sentence. */
export function fileRefusal(refusal: DeliveryError): string {
	if (!(refusal instanceof Refused)) return "Slack did not take it";
	return noFiles[refusal.slackCode] ?? `Slack did not take it (${refusal.slackCode})`;
}

export function isOfTheToken(word: string): boolean {
	return ofTheToken.has(word);
}

/** Whether the refusal is temporary, so that a later retry may succeed. */
export function isOfTheMoment(word: string): boolean {
	return ofTheMoment.has(word);
}

/** Returns the error for a refusal. `limit`: rate limit of a temporary refusal. */
export function refusalOf(
	method: string,
	{ error, body }: { readonly error: string; readonly body: Readonly<Record<string, unknown>> },
	limit?: RateLimit,
): Refused {
	const { kind, fix } = meanings[error] ?? { kind: "rejected" };
	const needed =
		typeof body["needed"] === "string" ? `give the app the scope "${body["needed"]}"` : undefined;
	const why = error === "missing_scope" ? (needed ?? "give the app the scope that it lacks") : fix;
	const detail = detailOf(body);
	const message = `Slack refuses ${method} (${error})${why === undefined ? "" : `: ${why}`}${detail}`;
	return new Refused(
		message,
		defined({ kind, slackCode: error, limit: kind === "rate-limited" ? limit : undefined }),
	);
}

/** Slack's comments on the arguments: `response_metadata.messages`. */
function detailOf({ response_metadata: metadata }: Readonly<Record<string, unknown>>): string {
	if (typeof metadata !== "object" || metadata === null || !("messages" in metadata)) return "";
	const { messages } = metadata;
	return Array.isArray(messages) && messages.length > 0 ? ` [${messages.join("; ").slice(0, 500)}]` : "";
}
