/** Findings of `parley doctor` about the gateway, its addresses and its certificate. */
export const gatewayCheckTexts = {
	stopped: ({ data }: { readonly data: string }) => `no gateway is running on the data directory ${data}`,
	stopping: "the gateway is stopping",
	stoppingFix: "wait, then run `parley start`",
	running: ({ pid, urls }: { readonly pid: number; readonly urls: string }) =>
		`running as process ${pid}: ${urls}`,
	policyInvalid: ({ runs }: { readonly runs: string }) => `${runs}; its policy is invalid`,
	degraded: ({ storage }: { readonly storage: string }) =>
		storage === "ok" ? "running, but degraded" : `running, but degraded: the storage is ${storage}`,
	degradedFix: "`parley status` shows the problem",
	unencryptedFix:
		"use a certificate (--tls-cert, --tls-key), or a proxy with one (--trusted-proxy, --public-url)",
	withoutToken: ({ urls }: { readonly urls: string }) =>
		`${urls}: all users of this machine have access without a token`,
	withoutTokenFix: "remove --auth none, or set auth to local",
	unencrypted: ({ urls }: { readonly urls: string }) =>
		`${urls}: messages and the token are sent unencrypted`,
	onlyThisMachine: ({ urls }: { readonly urls: string }) => `${urls}: reachable only from this machine`,
	withToken: ({ urls }: { readonly urls: string }) => `${urls}: with a token`,
	portInUse: ({ address }: { readonly address: string }) => `another program is listening at ${address}`,
	portInUseFix: ({ command }: { readonly command: string }) =>
		`${command} shows the program; --listen sets another port`,
	certificateFix: "replace the file: a gateway reads it at SIGHUP and at its next start",
	noCertificate: "no certificate is configured",
	certificateExpired: ({ until }: { readonly until: string }) => `the certificate expired on ${until}`,
	certificateExpires: ({ until, days }: { readonly until: string; readonly days: number }) =>
		`the certificate expires on ${until}, in ${days} ${days === 1 ? "day" : "days"}`,
	certificateValid: ({ until }: { readonly until: string }) => `the certificate is valid until ${until}`,
} as const;

/** Findings of `parley doctor` about passwords and tokens. */
export const secretCheckTexts = {
	keyFix: "restore the key from a backup, or enter the passwords again when a tool asks for them",
	noPasswords: "no stored passwords",
	keyMissing: ({ file, passwords }: { readonly file: string; readonly passwords: number }) =>
		`the key ${file}, which decrypts the stored passwords (${passwords}), is missing`,
	keyValid: ({ passwords }: { readonly passwords: number }) =>
		`the key decrypts all stored passwords (${passwords})`,
	keyInvalid: ({
		file,
		lost,
		passwords,
	}: {
		readonly file: string;
		readonly lost: number;
		readonly passwords: number;
	}) => `the key ${file} does not decrypt ${lost} of ${passwords} stored passwords`,
	noToken: "no operator token yet: the first start creates it",
	tokenFix: "delete the file: the next start creates another token",
	tokenPrivate: "only this user can read the operator token",
	tokenUntil: ({ name, day }: { readonly name: string; readonly day: string }) => `${name} (${day})`,
	tokensExpire: ({ names }: { readonly names: string }) => `these tokens expire within a week: ${names}`,
	tokensExpireFix: "replace them with `parley token rotate ID`",
	tokens: ({ others }: { readonly others: number }) =>
		`the operator token is private; other active tokens: ${others}`,
} as const;

/** Findings of `parley doctor` about versions and the configuration. */
export const versionCheckTexts = {
	oldNode: ({ node, least }: { readonly node: string; readonly least: string }) =>
		`Node ${node} is too old: Node ${least} or later is required`,
	otherVersion: ({ gateway, command }: { readonly gateway: string; readonly command: string }) =>
		`the gateway runs version ${gateway}, this command is ${command}`,
	otherVersionFix: "parley stop && parley start",
	versions: ({
		parley,
		node,
		sqlite,
	}: {
		readonly parley: string;
		readonly node: string;
		readonly sqlite: string;
	}) => `Parley ${parley}, Node ${node}, SQLite ${sqlite}`,
	configFix: "change this setting; flags and variables override the file",
	configValid: "the configuration is valid",
} as const;
