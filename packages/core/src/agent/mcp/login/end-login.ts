import type { Clock } from "@parley/base";
import type { McpLogin, McpOAuthClient } from "../../../vocabulary/mcp/login.ts";
import { authorizationFetch } from "./authorization-fetch.ts";

/**
 * Revokes the refresh token of a login at the authorization server, or the access token if there is no refresh token:
 * https://www.rfc-editor.org/rfc/rfc7009. Returns whether the server confirmed the revocation. If the server has no
 * revocation endpoint, or the request fails, the tokens stay valid until they expire.
 */
export async function revokeLogin(login: McpLogin, allowPrivate: boolean, clock: Clock): Promise<boolean> {
	const { url, privateHosts, client, accessToken, refreshToken } = login;
	const endpoint = login.server.revocation_endpoint;
	const token = refreshToken ?? accessToken;
	if (endpoint === undefined || token === "") return false;
	const guarded = await authorizationFetch({ url, allowPrivate, privateHosts }, clock);
	try {
		const token_type_hint = refreshToken === undefined ? "access_token" : "refresh_token";
		const body = new URLSearchParams({ token, token_type_hint, client_id: client.client_id });
		const headers = authenticate(client, body);
		const { ok } = await guarded.fetch(endpoint, { method: "POST", headers, body });
		return ok;
	} catch {
		return false;
	} finally {
		await guarded.close();
	}
}

/**
 * Returns the headers that authenticate the client. With `client_secret_post`, adds the secret to `body`
 * instead: https://www.rfc-editor.org/rfc/rfc6749#section-2.3
 */
function authenticate(client: McpOAuthClient, body: URLSearchParams): Record<string, string> {
	const { client_id, client_secret, token_endpoint_auth_method: method } = client;
	if (client_secret === undefined || method === "none") return {};
	if (method === "client_secret_post") {
		body.set("client_secret", client_secret);
		return {};
	}
	const credentials = `${formEncoded(client_id)}:${formEncoded(client_secret)}`;
	return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** Encodes a part of the credentials: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function formEncoded(text: string): string {
	return new URLSearchParams({ "": text }).toString().slice(1);
}
