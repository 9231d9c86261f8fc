/** Options of `tls.connect` that trust one certificate: https://nodejs.org/api/tls.html#tlsconnectoptions-callback */
interface PinnedTls {
	readonly ca: string;
	readonly allowPartialTrustChain: true;
	readonly checkServerIdentity: () => undefined;
}

/** Options of TLS with which a server is trusted by this certificate alone, and by it whatever its name is. */
export function pinnedTo(certificate: string): PinnedTls {
	return {
		ca: certificate,
		// It need not be its own authority: https://nodejs.org/api/tls.html#tlscreatesecurecontextoptions
		allowPartialTrustChain: true,
		checkServerIdentity: () => undefined,
	};
}
