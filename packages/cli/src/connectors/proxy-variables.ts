/** Environment variables with the proxies of networks without direct access. The addresses may contain passwords. */
export const proxyVariables = [
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"NO_PROXY",
	"no_proxy",
] as const;
