import { cutText } from "@parley/connector";

/**
 * Limits of Discord. Lengths of texts are in code points (discord/discord-api-docs #1315). For each limit, a
 * comment names the page of https://docs.discord.com/developers that states it.
 */
export const limits = {
	/** resources/message#create-message */
	content: 2000,
	nonce: 25,
	/** resources/message#create-message: an enforced nonce is unique "in the past few minutes", which is more than one minute. */
	nonceMs: 60_000,
	attachments: 10,
	/** Alternative text: resources/message#attachment-object */
	attachmentDescription: 1024,
	attachmentName: 1024,
	/** Maximum bytes of a file on a server without boosts: reference#uploading-files */
	fileBytes: 10 * 1024 * 1024,
	/** Maximum bytes of a complete request: reference#uploading-files */
	requestBytes: 25 * 1024 * 1024,
	/**
	 * Maximum components of a message with the `componentsV2` flag, and characters of its texts:
	 * components/reference#component-reference
	 */
	componentsInAll: 40,
	componentText: 4000,
	/** components/reference#action-row */
	rows: 5,
	buttonsPerRow: 5,
	/** components/reference#anatomy-of-a-component */
	customId: 100,
	/** components/reference#button */
	buttonLabel: 80,
	buttonUrl: 512,
	/** components/reference#string-select */
	options: 25,
	optionText: 100,
	placeholder: 150,
	/** components/reference#label, components/reference#text-input */
	fieldLabel: 45,
	fieldText: 4000,
	/** interactions/receiving-and-responding#interaction-response-object-modal */
	modalTitle: 45,
	modalFields: 5,
	/** interactions/application-commands#autocomplete */
	suggestions: 25,
	suggestionText: 100,
	/** interactions/receiving-and-responding#followup-messages */
	ticketMs: 15 * 60_000,
	/** topics/threads, resources/channel#start-thread-from-message */
	threadName: 100,
	/** Minutes: resources/channel#thread-metadata-object */
	threadArchives: [60, 1440, 4320, 10_080],
	/** resources/message#get-channel-messages */
	messagesPerPage: 100,
} as const;

/** Error codes of the API: topics/opcodes-and-status-codes#json-json-error-codes */
export const errorCodes = {
	unknownChannel: 10_003,
	unknownInteraction: 10_062,
	explicitContent: 20_009,
	tooManyOldEdits: 30_046,
	requestTooLarge: 40_005,
	alreadyAnswered: 40_060,
	missingAccess: 50_001,
	emptyMessage: 50_006,
	missingPermissions: 50_013,
	wrongChannelType: 50_024,
	invalidForm: 50_035,
	archivedThread: 50_083,
	replyWithoutHistory: 160_002,
	threadExists: 160_004,
	lockedThread: 160_005,
	tooManyThreads: 160_006,
	blockedByAutoMod: 200_000,
	titleBlockedByAutoMod: 200_001,
	harmfulLinks: 240_000,
} as const;

/** Flags of a message: resources/message#message-object-message-flags */
export const messageFlags = {
	suppressEmbeds: 1 << 2,
	ephemeral: 1 << 6,
	/** Flag of a message with components and without content or embeds. The flag cannot be removed. */
	componentsV2: 1 << 15,
} as const;

/** Returns the length of a text in code points, the unit of Discord's limits. */
export function lengthOf(text: string): number {
	let length = text.length;
	for (let at = 0; at < text.length - 1; at++) {
		const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
		if (isPair) length--;
	}
	return length;
}

/** Returns a text of at most `maximum` code points; see `cutText`. */
export function cutTo(text: string, maximum: number): string {
	return cutText(text, maximum, lengthOf);
}
