import { errno } from "../data-directory/errno.ts";
import { connectionTexts } from "../texts/models/connection.ts";

/** Texts for the error codes of Node, undici and OpenSSL. */
const words: Readonly<Record<string, string>> = {
	ECONNREFUSED: connectionTexts.refused,
	ECONNRESET: connectionTexts.closed,
	UND_ERR_SOCKET: connectionTexts.closed,
	ENOTFOUND: connectionTexts.unknownHost,
	EAI_AGAIN: connectionTexts.unresolvedHost,
	ETIMEDOUT: connectionTexts.noAnswer,
	UND_ERR_CONNECT_TIMEOUT: connectionTexts.noAnswer,
	EHOSTUNREACH: connectionTexts.noRoute,
	ENETUNREACH: connectionTexts.noNetwork,
	CERT_HAS_EXPIRED: connectionTexts.certificateExpired,
	DEPTH_ZERO_SELF_SIGNED_CERT: connectionTexts.certificateNotTrusted,
	SELF_SIGNED_CERT_IN_CHAIN: connectionTexts.certificateNotTrusted,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: connectionTexts.certificateNotTrusted,
	ERR_TLS_CERT_ALTNAME_INVALID: connectionTexts.certificateOfOtherHost,
	ERR_SSL_WRONG_VERSION_NUMBER: connectionTexts.noTls,
};

/**
 * Returns a human-readable reason why a request got no response. Returns undefined for unknown errors without a code.
 */
export function unreachableReason(error: unknown): string | undefined {
	if (!(error instanceof Error)) return undefined;
	if (error.name === "TimeoutError") return connectionTexts.timeout;
	const { cause } = error;
	const code = errno(cause);
	if (code !== undefined) return words[code] ? `${words[code]} (${code})` : code;
	const detail = cause instanceof Error ? cause.message : "";
	// fetch refuses ports of other protocols: https://fetch.spec.whatwg.org/#port-blocking
	if (detail === "bad port") return connectionTexts.portNotAllowed;
	return detail.includes("redirect") ? connectionTexts.redirect : undefined;
}
