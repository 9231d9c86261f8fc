import { type ErrorCode, ParleyError } from "@parley/base/portable";

interface Refusal {
	readonly code: ErrorCode;
	readonly reason: string;
	readonly advice: string;
}

/** HTTP status codes of permanent refusals. After such a status, a retry would fail in the same way. */
const refusals: Readonly<Record<number, Refusal>> = {
	400: {
		code: "failed_precondition",
		reason: "refuses the request",
		advice: "if it uses TLS, use an address that begins with https",
	},
	401: {
		code: "unauthenticated",
		reason: "requires a valid token",
		advice: "`parley token` prints it where the gateway runs",
	},
	403: {
		code: "permission_denied",
		reason: "refuses this client",
		advice: "if the gateway is behind a proxy, use the address of the proxy",
	},
	421: {
		code: "failed_precondition",
		reason: "does not accept this host name",
		advice: "use another name of the gateway, or add this name to allowedHosts in its configuration",
	},
};

/** Returns the error for a permanent refusal, or undefined if a retry may succeed. */
export function refusalOf(status: number | undefined, url: URL): ParleyError | undefined {
	const refusal = status === undefined ? undefined : refusals[status];
	if (!refusal) return undefined;
	const { code, reason, advice } = refusal;
	return new ParleyError(`the gateway at ${url.href} ${reason} (HTTP ${status}): ${advice}`, { code });
}

/** Returns a human-readable description of a failed connection, with advice for a known cause. */
export function describeFailure(error: NodeJS.ErrnoException, url: URL): string {
	if (error.code === "ECONNREFUSED") {
		return `no gateway listens at ${url.href}: start one with \`parley start\``;
	}
	const advice = tlsAdvice(error.code ?? "", url);
	if (advice !== undefined)
		return `the gateway at ${url.href} cannot be trusted: ${error.message}; ${advice}`;
	return `no gateway can be reached at ${url.href}: ${error.message || error.code}; check the address and the network`;
}

/** Returns advice about a known TLS failure, or undefined for any other failure. */
function tlsAdvice(code: string, { hostname }: URL): string | undefined {
	if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `use a name that its certificate has, not ${hostname}`;
	if (code === "CERT_HAS_EXPIRED") return "its operator must renew the certificate";
	if (code === "EPROTO" || code === "ERR_SSL_WRONG_VERSION_NUMBER")
		return "if it does not use TLS, use an address that begins with http";
	if (!/CERT|ISSUER|LEAF_SIGNATURE/.test(code)) return undefined;
	return "for your own certificate, set NODE_EXTRA_CA_CERTS to its file, or to that of its authority";
}
