export interface RefusalDetails {
	/** Seconds until a retry, for a rate limit. */
	readonly retryAfter?: number;
	readonly scope?: "user" | "global" | "shared";
	readonly faults?: readonly string[];
}

/** An error response of Discord: HTTP status, code and text. */
export class Refusal extends Error {
	override readonly name = "Refusal";
	readonly status: number;
	readonly code: number;
	readonly details: RefusalDetails;

	constructor(status: number, code: number, message: string, details: RefusalDetails = {}) {
		super(message);
		this.status = status;
		this.code = code;
		this.details = details;
	}
}

/**
 * Errors that the simulator returns. Codes and texts:
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes (JSON error codes).
 */
export const refusals = {
	unauthorized: () => new Refusal(401, 0, "401: Unauthorized"),
	notFound: () => new Refusal(404, 0, "404: Not Found"),
	badMethod: () => new Refusal(405, 0, "405: Method Not Allowed"),
	unknownChannel: () => new Refusal(404, 10_003, "Unknown Channel"),
	unknownGuild: () => new Refusal(404, 10_004, "Unknown Guild"),
	unknownMember: () => new Refusal(404, 10_007, "Unknown Member"),
	unknownMessage: () => new Refusal(404, 10_008, "Unknown Message"),
	unknownUser: () => new Refusal(404, 10_013, "Unknown User"),
	unknownEmoji: () => new Refusal(400, 10_014, "Unknown Emoji"),
	unknownWebhook: () => new Refusal(404, 10_015, "Unknown Webhook"),
	unknownInteraction: () => new Refusal(404, 10_062, "Unknown interaction"),
	unknownCommand: () => new Refusal(404, 10_063, "Unknown application command"),
	channelWrites: (retryAfter: number) =>
		new Refusal(
			429,
			20_028,
			"The write action you are performing on the channel has hit the write rate limit.",
			{
				retryAfter,
				scope: "shared",
			},
		),
	commandsCreated: () =>
		new Refusal(400, 30_034, "Max number of daily application command creates has been reached (200)"),
	tooManyCommands: () => new Refusal(400, 30_032, "Maximum number of application commands reached (100)."),
	// The status comes from https://github.com/aikaterna/aikaterna-cogs/issues/302. Discord documents no status.
	oldEdits: (retryAfter: number) =>
		new Refusal(
			429,
			30_046,
			"Maximum number of edits to messages older than 1 hour reached. Try again later.",
			{ retryAfter, scope: "user" },
		),
	// No response header names this limit: https://github.com/discord/discord-api-docs/issues/1900
	threadRenamed: (retryAfter: number) =>
		new Refusal(429, 0, "You are being rate limited.", { retryAfter, scope: "user" }),
	requestTooLarge: () => new Refusal(413, 40_005, "Request entity too large"),
	acknowledged: () => new Refusal(400, 40_060, "Interaction has already been acknowledged."),
	missingAccess: () => new Refusal(403, 50_001, "Missing Access"),
	othersMessage: () => new Refusal(403, 50_005, "Cannot edit a message authored by another user"),
	emptyMessage: () => new Refusal(400, 50_006, "Cannot send an empty message"),
	directRefused: () => new Refusal(403, 50_007, "Cannot send messages to this user"),
	missingPermissions: () => new Refusal(403, 50_013, "Missing Permissions"),
	invalidToken: () => new Refusal(401, 50_027, "Invalid Webhook Token"),
	invalidForm: (faults: readonly string[]) => new Refusal(400, 50_035, "Invalid Form Body", { faults }),
	// The status comes from https://github.com/victornpb/undiscord/issues/399.
	archived: () => new Refusal(400, 50_083, "Thread is archived"),
	// The status comes from https://github.com/Voxel-Fox-Ltd/Flower/issues/63.
	replyWithoutHistory: () =>
		new Refusal(403, 160_002, "Cannot reply without permission to read message history"),
	threadExists: () => new Refusal(400, 160_004, "A thread has already been created for this message"),
	locked: () => new Refusal(403, 160_005, "Thread is locked"),
} as const;
