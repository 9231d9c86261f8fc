/** Errors of reading an attached file, which the person who attached it sees. */
export const fileTexts = {
	foreign: ({ origin }: { readonly origin: string }) =>
		`the address ${origin} does not belong to Slack: attach the file to a message`,
	/** Stands for the origin in `foreign`. */
	invalidAddress: "(invalid)",
	unavailable: "cannot read the file from Slack: attach it again",
	gone: "the file no longer exists at Slack: attach it again",
	status: ({ status }: { readonly status: number }) =>
		`cannot read the file, Slack answered ${status}: attach it again`,
	tooLarge: ({ most }: { readonly most: number }) =>
		`the file is larger than ${most} bytes: attach a smaller one`,
	noAccess: 'cannot read the file: give the app the scope "files:read"',
	/** Name of the file in the error of `readBounded`. */
	name: "the file",
} as const;
