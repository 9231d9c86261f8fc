/**
 * Authorization server of a login, as the server's metadata described it during the login:
 * https://www.rfc-editor.org/rfc/rfc8414
 */
export interface McpAuthorizationServer {
	readonly issuer: string;
	readonly authorization_endpoint: string;
	readonly token_endpoint: string;
	readonly response_types_supported: readonly string[];
	readonly token_endpoint_auth_methods_supported?: readonly string[];
	readonly revocation_endpoint?: string;
}

/** Parley's registration as a client of the authorization server. */
export interface McpOAuthClient {
	readonly client_id: string;
	readonly client_secret?: string;
	readonly token_endpoint_auth_method?: string;
}

/** Login of the operator at the authorization server of a remote MCP server. Stored in encrypted form. */
export interface McpLogin {
	/** Id of the login. A refresh does not change the id. */
	readonly id: string;
	/** URL of the MCP server. No other MCP server receives the tokens. */
	readonly url: string;
	/** Resource of the tokens: https://www.rfc-editor.org/rfc/rfc8707 */
	readonly resource: string;
	readonly server: McpAuthorizationServer;
	readonly client: McpOAuthClient;
	/** Hosts that may have a private address, in addition to the host of a server with `allowPrivate`. */
	readonly privateHosts: readonly string[];
	/** Access token. Empty if the server refused the token and no later refresh can succeed. */
	readonly accessToken: string;
	readonly refreshToken?: string;
}

/** State of a login, without secrets. */
export interface McpLoginState {
	readonly id: string;
	/** Whether the server refused the access token and no later refresh can succeed. The operator must then log in again. */
	readonly hasEnded: boolean;
}

/**
 * Returns the key of a server's login. For an entry of a `.mcp.json`, the key includes the directory, so that servers with equal
 * names in two directories never share a login. The key is unambiguous, because the name of a server has no space.
 */
export function loginKey({
	name,
	directory,
}: {
	readonly name: string;
	readonly directory?: string | undefined;
}): string {
	return directory === undefined ? name : `${name} ${directory}`;
}

/** Store of logins by `loginKey`. Several processes may use the store concurrently. */
export interface McpLogins {
	/**
	 * Returns the login of a server. Returns undefined if there is no login for this URL, or if the login cannot be
	 * decrypted.
	 */
	find(key: string, url: string): Promise<McpLogin | undefined>;
	/**
	 * Replaces a login with the result of `work`, or removes the login if the result is undefined. Changes of one login
	 * never overlap, even in different processes.
	 */
	change(
		key: string,
		work: (before: McpLogin | undefined) => Promise<McpLogin | undefined>,
	): Promise<McpLogin | undefined>;
}
