import type { AuthorizationServerMetadata, AuthProvider } from "@modelcontextprotocol/client";
import { type Clock, defined, ParleyError } from "@parley/base";
import {
	loginKey,
	type McpAuthorizationServer,
	type McpLogin,
	type McpLogins,
} from "../../../vocabulary/mcp/login.ts";
import type { McpRemoteSettings } from "../../../vocabulary/mcp/server.ts";
import { authorizationFetch } from "./authorization-fetch.ts";
import { clientOf } from "./begin-login.ts";
import { checkTokens, loginProblem, refusalCode } from "./oauth-answers.ts";
import { mcpLoginTexts } from "./texts.ts";

/**
 * Provides the token of a login for requests to the server of the settings. After a refused request, refreshes the
 * token once, and the library repeats the request. If there is no usable login, a refused request fails, and the error
 * contains the command for the operator. Settings with an `authorization` header use no login.
 */
export function loginAccess(settings: McpRemoteSettings, logins: McpLogins, clock: Clock): AuthProvider {
	const { url, headers } = settings;
	const key = loginKey(settings);
	let last: string | undefined;
	let refreshing: Promise<void> | undefined;
	const refresh = async (): Promise<void> => {
		const refused = last;
		const login = await logins.change(key, async (before) => {
			// Another process may have refreshed the token in the meantime.
			if (before?.url !== url || before.accessToken !== refused) return before;
			return refreshed(settings, before, clock);
		});
		if (login?.url !== url || login.accessToken === "") throw loginRequired(settings);
	};
	return {
		async token() {
			if (headers["authorization"] !== undefined) return undefined;
			const login = await logins.find(key, url);
			last = login?.accessToken;
			// The library would send a header without a value for an empty token.
			return last === "" ? undefined : last;
		},
		async onUnauthorized() {
			if (headers["authorization"] !== undefined) {
				const { refusedHeader, refusedVariable } = mcpLoginTexts;
				const message = settings.directory === undefined ? refusedVariable : refusedHeader;
				throw new ParleyError(message, { code: "unavailable" });
			}
			refreshing ??= refresh().finally(() => {
				refreshing = undefined;
			});
			await refreshing;
		},
	};
}

function loginRequired(settings: McpRemoteSettings): ParleyError {
	return new ParleyError(mcpLoginTexts.required(settings), { code: "unavailable" });
}

/**
 * Returns the login with new tokens, or without tokens if no later refresh can succeed. Throws for other
 * failures.
 */
async function refreshed(settings: McpRemoteSettings, login: McpLogin, clock: Clock): Promise<McpLogin> {
	const { url, allowPrivate } = settings;
	const { server, client, resource, refreshToken, privateHosts } = login;
	if (refreshToken === undefined) return withoutTokens(login);
	const { refreshAuthorization } = await import("@modelcontextprotocol/client");
	const permit = mcpLoginTexts.allowPrivate(settings);
	const guarded = await authorizationFetch({ url, allowPrivate, privateHosts, permit }, clock);
	try {
		const tokens = await refreshAuthorization(server.issuer, {
			metadata: metadataOf(server),
			clientInformation: clientOf(client),
			refreshToken,
			resource,
			fetchFn: guarded.fetch,
		});
		return { ...login, ...checkTokens(tokens) };
	} catch (reason) {
		if (endings.has(refusalCode(reason) ?? "")) return withoutTokens(login);
		const { message } = loginProblem(reason, guarded.problem);
		throw new ParleyError(mcpLoginTexts.notRefreshed(message), {
			code: "unavailable",
			cause: reason,
		});
	} finally {
		await guarded.close();
	}
}

function metadataOf({
	response_types_supported: types,
	token_endpoint_auth_methods_supported: methods,
	...server
}: McpAuthorizationServer): AuthorizationServerMetadata {
	const token_endpoint_auth_methods_supported = methods && [...methods];
	return {
		...server,
		response_types_supported: [...types],
		...defined({ token_endpoint_auth_methods_supported }),
	};
}

/** Refusals after which no later refresh succeeds. */
const endings = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

function withoutTokens({ refreshToken: _, ...login }: McpLogin): McpLogin {
	return { ...login, accessToken: "" };
}
