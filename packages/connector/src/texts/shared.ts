interface OnPlatform {
	/** Display name, for example `Slack`. */
	readonly platform: string;
}

/**
 * Private answers to commands and presses that a connector cannot handle. The texts are valid in the markup of every
 * platform.
 */
export const interactionTexts = {
	busy: "I am busy. Please try again in a minute.",
	failed: "I could not do that. Please try again in a moment.",
	unreadable: "I could not read your request. Please try again.",
} as const;

const mebibyte = 1024 * 1024;

/** Errors for the person who attached a file that cannot be read. */
export const downloadTexts = {
	foreign: ({ origin, platform }: OnPlatform & { readonly origin: string }): string =>
		`the address ${origin} does not belong to ${platform}: attach the file to a message`,
	/** Text in place of an invalid origin in `foreign`. */
	invalidAddress: "(invalid)",
	unavailable: ({ platform }: OnPlatform): string => `cannot read the file from ${platform}: attach it again`,
	gone: ({ platform }: OnPlatform): string => `the file no longer exists on ${platform}: attach it again`,
	status: ({ status, platform }: OnPlatform & { readonly status: number }): string =>
		`cannot read the file, because ${platform} answered ${status}: attach it again`,
	tooLarge: ({ maximum }: { readonly maximum: number }): string =>
		`${downloadTexts.larger({ name: downloadTexts.name, maximum })}: ${downloadTexts.smaller}`,
	smaller: "attach a smaller file",
	larger: ({ name, maximum }: { readonly name: string; readonly maximum: number }): string =>
		`${name} is larger than ${maximum % mebibyte === 0 ? `${maximum / mebibyte} MiB` : `${maximum} bytes`}`,
	/** Name of the file in the error of `readBounded`. */
	name: "the file",
} as const;

/**
 * Returns a note about a file that the gateway did not deliver. The note is plain text, and is shown below the
 * post.
 */
export const fileUnread = ({ name }: { readonly name: string }): string =>
	`File not attached: ${name} could not be read from the gateway. The operator can find the reason in the log.`;

/** Findings about the clock of this machine, and the advice if a platform cannot be reached. */
export const checkTexts = {
	clock: ({ platform }: OnPlatform): string => `the clock of this machine agrees with ${platform}`,
	clockUnknown: ({ platform }: OnPlatform): string =>
		`the clock was not checked: ${platform} did not send its time`,
	clockOff: ({ platform, seconds }: OnPlatform & { readonly seconds: number }): string =>
		`the clock of this machine differs from ${platform}'s by ${seconds} seconds`,
	clockOffFix: "turn on network time in the system settings",
	unavailableFix: ({ host, statusPage }: { readonly host: string; readonly statusPage: string }): string =>
		`check that this machine can reach ${host}, see ${statusPage}, and try again`,
} as const;
