import type { ConnectionOptions, SecureContextOptions } from "node:tls";

/** Options of TLS with which a server is trusted by this certificate alone, and by it whatever its name is. */
export function pinnedTo(
	certificate: string,
): Pick<SecureContextOptions & ConnectionOptions, "ca" | "allowPartialTrustChain" | "checkServerIdentity"> {
	return {
		ca: certificate,
		// It need not be its own authority: https://nodejs.org/api/tls.html#tlscreatesecurecontextoptions
		allowPartialTrustChain: true,
		checkServerIdentity: () => undefined,
	};
}
