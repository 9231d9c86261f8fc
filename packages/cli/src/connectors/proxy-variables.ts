/** Proxies of networks without direct access. Their addresses may have passwords. */
export const proxyVariables = [
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"NO_PROXY",
	"no_proxy",
] as const;
