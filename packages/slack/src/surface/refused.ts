import { defined } from "@parley/base";
import { DeliveryError, type DeliveryFailure, type RateLimit } from "@parley/connector";
import { deliveryTexts } from "../texts/delivery.ts";
import { postTexts } from "../texts/post.ts";

interface Meaning {
	readonly kind: DeliveryFailure;
	/** Advice for the operator. */
	readonly fix?: string;
}

const { fixes } = deliveryTexts;

/**
 * Meanings from the errors of each method below https://docs.slack.dev/reference/methods. All other codes are
 * permanent refusals.
 */
const meanings: Readonly<Record<string, Meaning>> = {
	channel_not_found: { kind: "gone", fix: fixes.channel_not_found },
	message_not_found: { kind: "gone", fix: fixes.message_not_found },
	thread_not_found: { kind: "gone", fix: fixes.thread_not_found },
	is_archived: { kind: "closed", fix: fixes.is_archived },
	is_inactive: { kind: "closed", fix: fixes.is_inactive },
	user_not_found: { kind: "gone" },
	not_in_channel: { kind: "rejected", fix: fixes.not_in_channel },
	user_not_in_channel: { kind: "gone", fix: fixes.user_not_in_channel },
	cannot_reply_to_message: { kind: "rejected" },
	cant_update_message: { kind: "rejected", fix: fixes.cant_update_message },
	edit_window_closed: { kind: "rejected", fix: fixes.edit_window_closed },
	// Slack ends a stream after some time. The message can then be changed.
	streaming_state_conflict: { kind: "rate-limited" },
	msg_too_long: { kind: "rejected", fix: fixes.msg_too_long },
	msg_blocks_too_long: { kind: "rejected", fix: fixes.msg_blocks_too_long },
	invalid_blocks: { kind: "rejected", fix: fixes.invalid_blocks },
	invalid_blocks_format: { kind: "rejected", fix: fixes.invalid_blocks },
	no_text: { kind: "rejected", fix: fixes.no_text },
	restricted_action: { kind: "rejected", fix: fixes.restricted_action },
	no_permission: { kind: "rejected", fix: fixes.no_permission },
	missing_scope: { kind: "rejected" },
	not_allowed_token_type: { kind: "rejected", fix: fixes.not_allowed_token_type },
	not_enabled: { kind: "rejected", fix: fixes.not_enabled },
	messages_tab_disabled: { kind: "rejected", fix: fixes.messages_tab_disabled },
	team_added_to_org: { kind: "rate-limited", fix: fixes.team_added_to_org },
	org_login_required: { kind: "rate-limited", fix: fixes.team_added_to_org },
	ekm_access_denied: { kind: "rate-limited", fix: fixes.ekm_access_denied },
	team_access_not_granted: { kind: "rate-limited", fix: fixes.team_access_not_granted },
	accesslimited: { kind: "rate-limited", fix: fixes.accesslimited },
	rate_limited: { kind: "rate-limited" },
	ratelimited: { kind: "rate-limited" },
	message_limit_exceeded: { kind: "rate-limited", fix: fixes.message_limit_exceeded },
	// With these errors, Slack may have executed part of the call.
	fatal_error: { kind: "unknown" },
	internal_error: { kind: "unknown" },
	service_unavailable: { kind: "unknown" },
	request_timeout: { kind: "unknown" },
	invalid_cursor: { kind: "unknown" },
	invalid_auth: { kind: "rate-limited", fix: fixes.token },
	not_authed: { kind: "rate-limited", fix: fixes.token },
	account_inactive: { kind: "rate-limited", fix: fixes.account_inactive },
	token_revoked: { kind: "rate-limited", fix: fixes.token },
	token_expired: { kind: "rate-limited", fix: fixes.token },
};

/** Codes for a refused token. They affect all calls: https://docs.slack.dev/reference/methods/auth.test#errors */
const tokenCodes: ReadonlySet<string> = new Set([
	"invalid_auth",
	"not_authed",
	"account_inactive",
	"token_revoked",
	"token_expired",
]);

/** Codes for temporary refusals by the workspace or its organisation. */
const temporaryCodes: ReadonlySet<string> = new Set([
	"org_login_required",
	"team_added_to_org",
	"ekm_access_denied",
	"team_access_not_granted",
	"accesslimited",
]);

/** Codes for a message whose blocks or text Slack does not accept. */
const blockCodes: ReadonlySet<string> = new Set([
	"invalid_blocks",
	"invalid_blocks_format",
	"msg_blocks_too_long",
	"msg_too_long",
]);

export class Refused extends DeliveryError {
	readonly slackCode: string;

	constructor(
		message: string,
		options: { readonly kind: DeliveryFailure; readonly slackCode: string; readonly limit?: RateLimit },
	) {
		super(message, options);
		this.slackCode = options.slackCode;
	}

	/** Whether Slack might accept the same content in other blocks. */
	get isAboutBlocks(): boolean {
		return blockCodes.has(this.slackCode);
	}
}

/** Texts for people by error code. Any other code is shown unchanged. */
const noFiles: Readonly<Record<string, string>> = {
	...Object.fromEntries(
		[
			"missing_scope",
			"no_permission",
			"restricted_action",
			"not_in_channel",
			"channel_not_found",
			"access_denied",
		].map((word) => [word, postTexts.mayNotShare]),
	),
	file_type_not_allowed: postTexts.typeNotAllowed,
	file_uploads_disabled: postTexts.filesDisabled,
	file_uploads_except_images_disabled: postTexts.onlyImages,
	storage_limit_reached: postTexts.storageFull,
	is_archived: postTexts.channelArchived,
};

const tooLarge: ReadonlySet<string> = new Set([
	"file_upload_size_restricted",
	"snippet_too_large",
	"status_413",
]);

export function isTooLargeRefusal(refusal: DeliveryError): boolean {
	return refusal instanceof Refused && tooLarge.has(refusal.slackCode);
}

/** Returns the reason for a missing file, as plain text at the end of a sentence. */
export function fileRefusal(refusal: DeliveryError): string {
	const code = refusal instanceof Refused ? refusal.slackCode : undefined;
	return noFiles[code ?? ""] ?? postTexts.refused({ code });
}

export function isAboutToken(word: string): boolean {
	return tokenCodes.has(word);
}

/** Whether an error code means a temporary refusal by the workspace or its organisation. */
export function isTemporary(word: string): boolean {
	return temporaryCodes.has(word);
}

/** Returns the error for a refusal. `limit` is the rate limit of a temporary refusal. */
export function refusalError(
	method: string,
	{ error, body }: { readonly error: string; readonly body: Readonly<Record<string, unknown>> },
	limit?: RateLimit,
): Refused {
	const { kind, fix } = meanings[error] ?? { kind: "rejected" };
	const scope = typeof body["needed"] === "string" ? body["needed"] : undefined;
	const advice = error === "missing_scope" ? deliveryTexts.missingScope({ scope }) : fix;
	return new Refused(
		deliveryTexts.refused({ method, error, fix: advice, details: detailsOf(body) }),
		defined({ kind, slackCode: error, limit: kind === "rate-limited" ? limit : undefined }),
	);
}

/** Returns Slack's messages about the arguments, or undefined. */
function detailsOf({ response_metadata: metadata }: Readonly<Record<string, unknown>>): string | undefined {
	if (typeof metadata !== "object" || metadata === null || !("messages" in metadata)) return undefined;
	const { messages } = metadata;
	return Array.isArray(messages) && messages.length > 0 ? messages.join("; ").slice(0, 500) : undefined;
}
