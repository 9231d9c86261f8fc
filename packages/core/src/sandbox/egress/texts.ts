/** Refusals and notes of the proxy. Sandboxed commands reach hosts through the proxy. */
export const egressTexts = {
	tooManyAtOnce: (max: number): string =>
		`the command reached the maximum of ${max} open connections, so open fewer connections at the same time`,
	commandEnded: "the command has ended",
	tooMany: (max: number): string =>
		`the command reached the maximum of ${max} connections per hour, so use fewer connections`,
	onlyHttps: "only https is allowed, by CONNECT to port 443, so use a URL that begins with https://",
	invalidRequest: "the request is not valid HTTP, so use a URL that begins with https://",
	largeHead: (bytes: number): string =>
		`the headers of the request are larger than ${bytes} bytes, so send fewer headers`,
	clientDisconnected: "the client has disconnected",
	notPublicName:
		"the name of the host resolves to an address that is not on the public internet: use another host",
	notOpened: "a connection to the host could not be opened: try again later",
	tooLong: (minutes: number): string => `reached the limit of ${minutes} minutes`,
	idle: (minutes: number): string => `was idle for ${minutes} minutes, which is the limit`,
	interrupted: "the connection was interrupted",
	connection: (subject: string): string => `the connection ${subject}`,
	invalidHost: (host: string): string =>
		`invalid host ${JSON.stringify(host)}: use a name such as example.com or *.example.com`,
	notAudited: "an egress decision could not be written to the audit log",
	reachable: (hosts: readonly string[]): string => `commands reach only port 443 of ${hosts.join(", ")}`,
	refused: (refusals: readonly string[], hosts: string): string =>
		`\n[the egress proxy refused ${refusals.join("; ")}. Here ${hosts}]\n`,
	body: (target: string, reason: string): string =>
		target === "" ? `parley: ${reason}\n` : `parley: cannot connect to ${target}: ${reason}\n`,
	noHost: "the request does not name a host and a port: use a name such as example.com:443",
	port: (port: string | number, allowed: number): string =>
		`port ${port} is not allowed: use port ${allowed}`,
	notFullName: "only full host names are allowed, not IP addresses: use a name such as example.com",
	notOnList: "the host is not on the list of hosts that commands may reach: ask the operator to add the host",
} as const;

/** Errors about connections. The gateway, its tools or sandboxed commands open the connections. */
export const fetchTexts = {
	notHttps: (origin: string, permit: string | undefined): string =>
		`${origin} is not an https address, and only https is allowed: use an https address${permit === undefined ? "" : `, or ${permit}`}`,
	notPublic: (host: string, permit: string | undefined): string =>
		`${host} is not on the public internet, so requests to it are refused: use another host${permit === undefined ? "" : `, or, if you trust this host, ${permit}`}`,
	unreachable: (host: string): string =>
		`${host} could not be reached: check the address, or try again later`,
	notReached: (host: string): string =>
		`"${host}" is not on the public internet, and requests to this machine and its networks are refused: use another host`,
	noAddress: (name: string): string =>
		`no address was found for "${name}": check the host name and the network`,
	tooSlow: (subject: string, seconds: number): string =>
		`${subject} took longer than ${seconds} s: try again later`,
} as const;
