/** Environment variables that configure HTTP proxies. Their values may contain passwords. */
export const proxyVariables = [
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"NO_PROXY",
	"no_proxy",
] as const;
