/** Texts about gateway addresses, and errors of a connection. */
export const addressTexts = {
	noGateway: ({ data }: { readonly data: string }) =>
		`no gateway is running on the data directory ${data}; start a gateway with \`parley start --data ${data}\``,
	noDataDirectory: ({ data, source }: { readonly data: string; readonly source: string }) =>
		`the data directory ${data} does not exist, or you may not access it; correct ${source}`,
	urlOption: "address of the gateway, such as http://127.0.0.1:7777 (PARLEY_URL)",
	dataOption: "the data directory of the gateway on this machine (PARLEY_DATA)",
	otherStatus: ({ url, status }: { readonly url: string; readonly status: number }) =>
		`the server at ${url} answers with HTTP ${status}: check that a gateway is running at this address`,
} as const;
