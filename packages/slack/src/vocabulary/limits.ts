/**
 * Limits of Slack: UTF-16 code units of sent texts, and bytes of files. Comments name pages of https://docs.slack.dev, or the
 * documentation of `@slack/types`.
 */
export const limits = {
	/** reference/methods/chat.postMessage: Slack discourages longer texts, and some methods refuse them. */
	text: 4000,
	/** reference/block-kit/blocks/markdown-block: total of all Markdown blocks in a message. */
	markdown: 12_000,
	/** Not documented: `msg_blocks_too_long` occurs slightly above 13,100 characters (slackapi/bolt-js #2509). */
	blocksTotal: 13_000,
	/** reference/block-kit */
	blocks: 50,
	/** reference/surfaces/app-home */
	blocksOfView: 100,
	/** reference/block-kit/composition-objects/text-object */
	textObject: 3000,
	/** reference/block-kit/blocks/context-block */
	contextElements: 10,
	/** reference/block-kit/blocks/actions-block */
	actionsElements: 25,
	/** reference/block-kit/block-elements/button-element */
	buttonText: 75,
	buttonUrl: 3000,
	buttonValue: 2000,
	/** reference/block-kit/block-elements */
	actionId: 255,
	/** reference/block-kit/block-elements/plain-text-input-element */
	fieldText: 3000,
	/** reference/block-kit/block-elements/select-menu-element */
	options: 100,
	placeholder: 150,
	/** reference/block-kit/composition-objects/option-object */
	optionText: 75,
	optionValue: 150,
	/** reference/block-kit/blocks/table-block */
	tableRows: 100,
	tableColumns: 20,
	tableCharacters: 10_000,
	tables: 1,
	/**
	 * reference/methods/files.getUploadURLExternal allows 1 GB; this limit is lower, because files are in memory during the
	 * transfer.
	 */
	fileBytes: 50 * 1024 * 1024,
	/** https://slack.com/help/articles/204145658 */
	snippetBytes: 1024 * 1024,
	/** Not documented: many file systems do not allow longer names. */
	fileName: 255,
	/** `suggested_prompts` of the manifest in `@slack/web-api`. */
	suggestions: 4,
	/** Not documented: longer titles do not fit a button. */
	suggestionTitle: 75,
	/** reference/methods/files.getUploadURLExternal: `alt_txt_too_large`. */
	altText: 1000,
	/** reference/methods/conversations.history: the limit is 15 for apps that are neither internal nor listed. */
	messagesPerPage: 200,
} as const;

/** Calls per minute of an app in one workspace: apis/web-api/rate-limits */
const tiers = { 1: 1, 2: 20, 3: 50, 4: 100 } as const;

/**
 * Calls per minute of each method that the surface uses, from the method's page below reference/methods.
 * `chat.postMessage` has a special limit: one per second in a channel, with short bursts above this rate, and several
 * hundred per minute in a workspace.
 */
export const perMinute = {
	"chat.postMessage": 240,
	"chat.appendStream": tiers[4],
	"chat.delete": tiers[3],
	"chat.startStream": tiers[2],
	"chat.stopStream": tiers[2],
	"chat.update": tiers[3],
	"chat.postEphemeral": tiers[4],
	"conversations.history": tiers[3],
	"conversations.replies": tiers[3],
	"conversations.open": tiers[3],
	"files.getUploadURLExternal": tiers[4],
	"files.completeUploadExternal": tiers[4],
	"agents.sessions.setStatus": tiers[3],
	"agents.sessions.rename": tiers[3],
	"assistant.threads.setStatus": tiers[4],
	"assistant.threads.setSuggestedPrompts": tiers[2],
	"views.publish": tiers[4],
} as const;

/** A method in `perMinute`. */
export type Method = keyof typeof perMinute;

/** Limit of posts in one channel: one per second, with short bursts. */
export const channelPosts = { maximum: 3, perMs: 3000 } as const;
