/** Texts about the log. */
export const logTexts = {
	none: ({ data }: { readonly data: string }) =>
		`there is no log in ${data}: start a gateway there with \`parley start --data ${data}\`, or correct --data`,
	journalFailed: ({ name, reason }: { readonly name: string; readonly reason: string }) =>
		`journalctl cannot read the log of ${name}: ${reason}`,
	useSudo: "; run the command with `sudo`",
	tryAgain: "; correct this problem, and run the command again",
} as const;
