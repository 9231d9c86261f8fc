/** Authorization server of a login, as its metadata described it at the login: https://www.rfc-editor.org/rfc/rfc8414 */
export interface McpAuthorizationServer {
	readonly issuer: string;
	readonly authorization_endpoint: string;
	readonly token_endpoint: string;
	readonly response_types_supported: readonly string[];
	readonly token_endpoint_auth_methods_supported?: readonly string[];
	readonly revocation_endpoint?: string;
}

/** Parley as the authorization server knows it. */
export interface McpOAuthClient {
	readonly client_id: string;
	readonly client_secret?: string;
	readonly token_endpoint_auth_method?: string;
}

/** Login of the operator at the authorization server of a remote MCP server. Stored encrypted. */
export interface McpLogin {
	/** Changes with each login, and not with a refresh. */
	readonly id: string;
	/** Address of the MCP server. No other address gets the tokens. */
	readonly url: string;
	/** Resource that the tokens are for: https://www.rfc-editor.org/rfc/rfc8707 */
	readonly resource: string;
	readonly server: McpAuthorizationServer;
	readonly client: McpOAuthClient;
	/** Hosts that may have a private address, in addition to that of a server with `allowPrivate`. */
	readonly privateHosts: readonly string[];
	/** Empty after the authorization server has refused to refresh it. */
	readonly accessToken: string;
	readonly refreshToken?: string;
}

/** State of a login, without its secrets. */
export interface McpLoginState {
	readonly id: string;
	/** The authorization server has refused to refresh it. */
	readonly hasEnded: boolean;
}

/** Stored logins by the name of their server. Several processes use them at once. */
export interface McpLogins {
	/** The login of a server; undefined without one, or if it was for another address. */
	find(name: string, url: string): Promise<McpLogin | undefined>;
	/** Replaces or removes a login. No other change of it runs in the meantime, also not in another process. */
	change(
		name: string,
		work: (before: McpLogin | undefined) => Promise<McpLogin | undefined>,
	): Promise<McpLogin | undefined>;
}
