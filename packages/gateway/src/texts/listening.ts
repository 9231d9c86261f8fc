/** Errors of listeners, with advice. */
export const listenTexts = {
	noAddress: "the listener has no address",
	portInUse: ({ address, fix }: { readonly address: string; readonly fix: string }) =>
		`cannot listen on ${address}: ${fix}`,
	portNotAllowed: ({ address, free }: { readonly address: string; readonly free: string }) =>
		`cannot listen on ${address}: this user may not use this port; ` +
		`choose a port above 1023, or use --listen ${free} to get a free port`,
	hostNotOnMachine: ({
		address,
		host,
		port,
	}: {
		readonly address: string;
		readonly host: string;
		readonly port: number;
	}) => `cannot listen on ${address}: this machine has no address ${host}; use --listen 127.0.0.1:${port}`,
	failed: ({ address, reason }: { readonly address: string; readonly reason: string }) =>
		`cannot listen on ${address} (${reason}); use --listen with another address`,
	portInUseFix: ({ free }: { readonly free: string }) =>
		"another program, perhaps another Parley, already uses this port; " +
		`stop that program, or use --listen ${free} to get a free port`,
	ozziePortInUseFix: `another program, perhaps an Ozzie gateway, already uses this port; stop that program, or start without --ozzie and give your client another address of Parley: ozzie ask --gateway ws://127.0.0.1:7777/api/ws`,
} as const;

/** Errors of the certificate and its key. */
export const certificateTexts = {
	unreadable: ({
		path,
		reason = "unknown reason",
	}: {
		readonly path: string;
		readonly reason: string | undefined;
	}) => `cannot read ${path} (${reason}), which TLS requires; correct the path or the permissions`,
	invalidCertificate: ({ file }: { readonly file: string }) =>
		`${file} contains a certificate that cannot be read; create or renew it`,
	noCertificate: ({ file }: { readonly file: string }) =>
		`${file} contains no certificate in PEM form (-----BEGIN CERTIFICATE-----); convert another format with: openssl x509 -in FILE -inform DER -out cert.pem`,
	passphrase: ({ file }: { readonly file: string }) =>
		`the private key in ${file} has a passphrase, which the gateway cannot ask for; remove the passphrase with: openssl pkey -in FILE -out key.pem`,
	noKey: ({ file }: { readonly file: string }) =>
		`${file} contains no readable private key in PEM form (-----BEGIN PRIVATE KEY-----); name the file with the key in PEM form`,
	orderFix: ({ cert }: { readonly cert: string }) =>
		`the certificate of the key is not the first one in ${cert}: move it to the beginning of the file`,
	pairFix: "name a key and a certificate that belong together",
	otherKey: ({
		key,
		certificate,
		fix,
	}: {
		readonly key: string;
		readonly certificate: string;
		readonly fix: string;
	}) => `the key in ${key} does not belong to the certificate in ${certificate}; ${fix}`,
} as const;
