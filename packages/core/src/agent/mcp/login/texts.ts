import { visible } from "../../../text/visible.ts";

interface Place {
	readonly name: string;
	/** Working directory with the `.mcp.json` that names the server. */
	readonly directory?: string | undefined;
}

/** Texts about logins at MCP servers. The name of the server precedes a problem that begins with "it". */
export const mcpLoginTexts = {
	tooManyRequests: (max: number): string =>
		`the login was stopped, because it needs more than ${max} requests: ask the operator of the server`,
	answerOf: (host: string): string => `the answer of ${host}`,
	largeAnswer: (host: string, bytes: number): string =>
		`${host} sent more than ${bytes} bytes: ask the operator of that server`,
	allowPrivate: ({ name, directory }: Place): string =>
		directory === undefined
			? "set allowPrivate of the server"
			: `trust the server again with \`parley mcp trust ${visible(directory)} --server ${name} --allow-private\` and its other flags`,
	privateHost: (host: string): string => `log in again with --private-host ${host}`,
	otherLogin: "the answer belongs to another login: start the login again",
	usedAnswer: "the answer was used before: start the login again",
	noLogin:
		"it offers no login: set `tokenFrom` to the environment variable with the token, or add a header to its entry in .mcp.json",
	otherResource: "it requests a login for another resource: check its address",
	noPkce:
		"the authorization server does not support PKCE with S256, which Parley requires: ask the operator of that server",
	notHttps:
		"an address of the authorization server does not begin with https://, or contains a password: ask the operator of that server",
	noRegistration:
		"clients cannot register themselves at the authorization server: register Parley there, and repeat the login with --client-id",
	otherServer: "the answer comes from another authorization server: start the login again",
	denied: "the login was denied: repeat the login, and allow the access",
	refused: (error: string): string =>
		`the authorization server refused the login${error === "" ? "" : ` (${error})`}: repeat the login, or ask the operator of that server`,
	refusedVariable:
		"it refused the token in the environment variable that `tokenFrom` names: set a valid token and restart the gateway",
	refusedHeader: "it refused the header `authorization` of its entry in .mcp.json: correct the value",
	required: ({ name, directory }: Place): string =>
		`it requires a login: run \`parley mcp login ${name}${directory === undefined ? "" : ` --dir ${visible(directory)}`}\``,
	notRefreshed: (reason: string): string => `its login could not be refreshed: ${reason}`,
} as const;

/** Errors about unusable answers of authorization servers. */
export const oauthAnswerTexts = {
	notBearer:
		"the authorization server sent a token that is not a bearer token: ask the operator of that server",
	tokenLength: (min: number, max: number): string =>
		`the authorization server sent a token that does not have ${min} to ${max} visible characters: ask the operator of that server`,
	secretLength: (min: number, max: number): string =>
		`the authorization server sent a client secret that does not have ${min} to ${max} visible characters: ask the operator of that server`,
	refused: (error: string): string =>
		`the authorization server refused the request (${error}): repeat the login, or ask the operator of that server`,
	unusable:
		"the authorization server sent an invalid response: repeat the login, or ask the operator of that server",
	otherIssuer: "the metadata belongs to another authorization server: ask the operator of the MCP server",
	notRegistered:
		"the authorization server refused to register Parley: register it there, and repeat the login with --client-id",
} as const;
