/** Texts of a running gateway, for the person or the service manager that has started it. */
export const gatewayRunTexts = {
	listening: ({ url }: { readonly url: string }) => `parley listening on ${url}`,
	insecureLan:
		"other machines can connect without TLS (--insecure-lan): messages and the token are sent unencrypted",
	testHooks: ({ address, port }: { readonly address: string; readonly port: number }) =>
		`--test-hooks cannot be used with --listen ${address}:${port}: use an address of this machine, such as 127.0.0.1:${port}`,
	internalError: ({ reason }: { readonly reason: string }) =>
		`parley: the gateway ended because of an internal error: ${reason}; read its log, and start the gateway again`,
	noPackage: "there is no package.json above the program of Parley: install Parley again",
} as const;
