/** Errors of reading an attachment, which the person who attached it sees. */
export const fileTexts = {
	foreign: ({ origin }: { readonly origin: string }) =>
		`cannot read a file at ${origin}: attach it to a message in Discord`,
	/** Stands for the origin in `foreign`. */
	invalidAddress: "an invalid address",
	unavailable: "cannot read the file from Discord: attach it again",
	gone: "the file no longer exists at Discord: attach it again",
	status: ({ status }: { readonly status: number }) =>
		`cannot read the file, Discord answered ${status}: attach it again`,
	tooLarge: ({ most }: { readonly most: number }) =>
		`the file is larger than ${most} bytes: attach a smaller one`,
	/** Name of the file in the error of `readBounded`. */
	name: "the file",
} as const;
