/** Help of `parley discord` and `parley slack`. */
export const connectorHelp = {
	run: ({ platform }: { readonly platform: string }) => `run the ${platform} connector of a running gateway`,
	notes: ({ tokens, platform }: { readonly tokens: string; readonly platform: string }) => `
${tokens}

If ${platform} or the gateway is not available, the connector waits and retries.

Exit codes:
  0   after a stop request
  2   for an invalid command line or configuration
  78  for an error that a restart cannot correct, such as a rejected token
  1   for any other error
`,
	setupNotes: `
You can start without a token: the first step explains how to get a token. The
gateway must be running: start it, for example with \`parley start\`. Completed
steps are skipped. At a terminal, Enter checks a step again; without a
terminal, a failed step ends the setup with exit code 1.
`,
	setup: ({ account }: { readonly account: string }) => `set up the ${account} step by step`,
	doctorNotes: ({ platform, fix }: { readonly platform: string; readonly fix: string | undefined }) => `
Queries ${platform} and needs no gateway. Changes nothing${fix === undefined ? "" : " without --fix"}. The id of a
finding never changes. Exit code: 1 if a check fails; 0 otherwise, also with
warnings.
`,
	doctor: ({ account, parts }: { readonly account: string; readonly parts: string }) =>
		`check the ${account}, ${parts}, and explain how to fix problems`,
	posts: "list posts that need a decision, and failed posts",
	sendPost: "send a held post or a failed answer",
	dropPost: "discard a held post",
	postId: ({ platform }: { readonly platform: string }) => `id from \`parley ${platform} posts\``,
} as const;
