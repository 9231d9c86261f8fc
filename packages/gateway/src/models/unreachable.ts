import { errno } from "../data-directory/errno.ts";

/** Words for the codes of Node, of undici and of OpenSSL. */
const words: Readonly<Record<string, string>> = {
	ECONNREFUSED: "connection refused",
	ECONNRESET: "the connection was closed",
	UND_ERR_SOCKET: "the connection was closed",
	ENOTFOUND: "the name of the host is unknown",
	EAI_AGAIN: "the name of the host cannot be resolved now",
	ETIMEDOUT: "no answer",
	UND_ERR_CONNECT_TIMEOUT: "no answer",
	EHOSTUNREACH: "no route to the host",
	ENETUNREACH: "no network",
	CERT_HAS_EXPIRED: "its certificate has expired",
	DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not trusted",
	SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not trusted",
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not trusted",
	ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
	ERR_SSL_WRONG_VERSION_NUMBER: "it has no TLS: try http",
};

/** Why a request got no response, in words for an operator. Undefined for an error that is not about the connection. */
export function unreachableReason(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	if (error.name === "TimeoutError") return "no answer in time";
	const { cause } = error;
	const code = errno(cause);
	if (code !== undefined) return words[code] ? `${words[code]} (${code})` : code;
	const detail = cause instanceof Error ? cause.message : "";
	// fetch refuses ports of other protocols: https://fetch.spec.whatwg.org/#port-blocking
	if (detail === "bad port") return "HTTP is not allowed at this port";
	return detail.includes("redirect") ? "it answered with a redirect" : undefined;
}
