/** Texts of a running connector, and its errors. */
export const connectorRunTexts = {
	alreadyRunning: ({
		platform,
		data,
		owner,
	}: {
		readonly platform: string;
		readonly data: string;
		readonly owner: string;
	}) =>
		`the ${platform} connector of ${data} is already running${owner}: stop that connector first; \`parley start\` also runs a connector if its token is set`,
	stopping: ({ url }: { readonly url: string }) => `the gateway at ${url} is stopping`,
	answeredByProxy: ({ url, status }: { readonly url: string; readonly status: number }) =>
		`${url} answers with HTTP ${status}: check that a gateway is running at this address`,
	noGateway: ({ url }: { readonly url: string }) =>
		`no gateway answers at ${url}; check the address, or start a gateway with \`parley start\``,
	otherProgram: ({ url, answer }: { readonly url: string; readonly answer: string }) =>
		`another program answers at ${url}, not a gateway (${answer}): check the address, or stop that program`,
	tokenEnded: ({
		token,
		platform,
		state,
		file,
	}: {
		readonly token: string;
		readonly platform: string;
		readonly state: string;
		readonly file: string;
	}) =>
		`the token ${token} of the ${platform} connector is ${state}; delete the token file, and the next start creates another token: rm '${file}'`,
	tokenRevoked: ({ platform, fix }: { readonly platform: string; readonly fix: string }) =>
		`the gateway no longer accepts the token of the ${platform} connector, because it was revoked; ${fix}`,
	// Fix of `tokenRevoked` for a token that the operator has set. `removeTokenFix` is for a token that Parley stored.
	createTokenFix: ({ platform }: { readonly platform: string }) =>
		`create another token with \`parley token create connector NAME --platform ${platform}\`, and store it in PARLEY_TOKEN`,
	removeTokenFix: ({ file }: { readonly file: string }) =>
		`delete the token file, and the next start creates another token: rm '${file}'`,
	failed: ({ platform, reason }: { readonly platform: string; readonly reason: string }) =>
		`parley ${platform}: ${reason}`,
	waiting: ({ reason = "no answer" }: { readonly reason: string | undefined }) => `waiting: ${reason}`,
	hasEnded: "the connector has ended",
	connecting: ({ platform }: { readonly platform: string }) => `connecting to ${platform} …`,
	connected: "connected; press Ctrl-C to stop (no messages are lost)",
	parentEnded: "the parent process ended",
	noAnswer: "the gateway does not answer",
	missedMessages: ({ channels }: { readonly channels: number }) =>
		`missed messages of ${channels === 1 ? "a channel" : `${channels} channels`} cannot be read yet`,
} as const;
