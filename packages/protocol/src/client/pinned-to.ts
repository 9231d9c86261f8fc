/** Options of `tls.connect` that trust one certificate: https://nodejs.org/api/tls.html#tlsconnectoptions-callback */
interface PinnedTls {
	readonly ca: string;
	readonly allowPartialTrustChain: true;
	readonly checkServerIdentity: () => undefined;
}

/** Returns TLS options with which a connection trusts only the certificate `certificate` (PEM), for any host name. */
export function pinnedTo(certificate: string): PinnedTls {
	return {
		ca: certificate,
		// The certificate need not be self-signed: https://nodejs.org/api/tls.html#tlscreatesecurecontextoptions
		allowPartialTrustChain: true,
		checkServerIdentity: () => undefined,
	};
}
