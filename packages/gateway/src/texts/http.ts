/** Errors and hints in the responses to refused requests. */
export const refusalTexts = {
	sendToken: "send the header Authorization: Bearer TOKEN; the command `parley token` prints the token",
	tooManyFailures: "too many failed attempts to authenticate",
	waitSeconds: ({ seconds }: { readonly seconds: number }) =>
		`wait ${seconds} s, or send a valid token, which is never delayed`,
	forwardingHeaders: "contradictory forwarding headers",
	forwardingHeadersHint:
		"Forwarded and X-Forwarded-For name different clients; configure the proxy to remove the header that it does not set",
	misdirected: "misdirected request",
	misdirectedHint: ({ hosts }: { readonly hosts: string }) =>
		`this gateway answers to ${hosts}; add other names to allowedHosts in its configuration`,
	forbiddenOrigin: "forbidden origin",
	forbiddenOriginHint:
		"in a browser, only the gateway's own pages may send requests; " +
		"use another client, or set publicUrl to the address of your proxy",
	tokenInAddress: "token in the address",
	tokenInAddressHint:
		"addresses are stored in logs and histories; send the header Authorization: Bearer TOKEN",
	httpsRequired: "this port requires https",
	httpsRequiredHint: "write https:// and wss:// instead of http:// and ws://",
	onlyProxies: "this port accepts requests only from trusted proxies",
	onlyProxiesHint: "use the address of the proxy; the proxies are in trustedProxies of the configuration",
} as const;
