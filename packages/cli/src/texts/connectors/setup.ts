/** Texts of `parley discord setup` and `parley slack setup`. */
export const connectorSetupTexts = {
	becomeOwner: ({ request }: { readonly request: string }) =>
		`${request} to become the owner. The code works once.`,
	again: "Press Enter to check again, or Ctrl-C to stop.",
	retryWithToken:
		"Press Enter to check again, or Ctrl-C to stop. To use another token, start the setup again.",
	complete: ({ variables, platform }: { readonly variables: string; readonly platform: string }) =>
		`Setup complete. If ${variables} are set, \`parley start\` also runs the ${platform} connector.`,
	completeAndStopped: ({ variables, platform }: { readonly variables: string; readonly platform: string }) =>
		`Setup complete. The connector of this setup has stopped. Restart the gateway with the token set.\nIf ${variables} are set, \`parley start\` also runs the ${platform} connector.`,
	runAgain: ({ variable, platform }: { readonly variable: string; readonly platform: string }) =>
		`Then run: export ${variable}=…; parley ${platform} setup`,
	startGatewayFix: ({ variables }: { readonly variables: string }) =>
		`run \`parley start\` in another terminal, with ${variables} set there as well`,
	doesNotStart: "the connector did not start",
	doesNotStartFix: ({ platform }: { readonly platform: string }) =>
		`run \`parley ${platform}\` to see the reason`,
	detailsFix: ({ platform }: { readonly platform: string }) => `\`parley ${platform} doctor\` shows details`,
} as const;
