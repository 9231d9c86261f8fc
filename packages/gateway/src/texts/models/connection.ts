/** Reasons why a server cannot be reached, in plain words. */
export const connectionTexts = {
	refused: "connection refused",
	closed: "the connection was closed",
	unknownHost: "the host name is unknown",
	unresolvedHost: "the host name cannot be resolved at the moment",
	noAnswer: "no answer",
	noRoute: "no route to the host",
	noNetwork: "no network",
	certificateExpired: "its certificate has expired",
	certificateNotTrusted: "its certificate is not trusted",
	certificateOfOtherHost: "its certificate is for another host",
	noTls: "the server uses http, not https",
	timeout: "no answer in time",
	portNotAllowed: "the HTTP client does not allow this port",
	redirect: "it answered with a redirect",
} as const;
