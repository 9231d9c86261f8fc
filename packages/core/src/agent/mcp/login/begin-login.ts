import { randomBytes, timingSafeEqual } from "node:crypto";
import type {
	AuthorizationServerMetadata,
	OAuthClientInformationMixed,
	OAuthProtectedResourceMetadata,
} from "@modelcontextprotocol/client";
import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import type { McpAuthorizationServer, McpLogin, McpOAuthClient } from "../../../vocabulary/mcp/login.ts";
import type { McpRemoteSettings } from "../../../vocabulary/mcp/server.ts";
import { type AuthorizationFetch, authorizationFetch } from "./authorization-fetch.ts";
import {
	checkClientSecret,
	checkTokens,
	isErrorCode,
	isSafeEndpoint,
	loginProblem,
} from "./oauth-answers.ts";
import { mcpLoginTexts } from "./texts.ts";

type Library = typeof import("@modelcontextprotocol/client");

export interface LoginOptions {
	/** Address of this machine to which the authorization server redirects the browser. */
	readonly redirectUrl: string;
	readonly privateHosts: readonly string[];
	/** Client that the operator registered. Default: Parley registers a client. */
	readonly client?: McpOAuthClient;
	/** Scope of the login. Default: the scopes that the server names. */
	readonly scope?: string;
	readonly clock: Clock;
	readonly ids: Ids;
}

/** A login that is waiting for the person's answer at the authorization server. */
export interface PendingLogin {
	/** Address that the person opens in a browser. */
	readonly url: URL;
	/** Resource for which the person logs in. */
	readonly resource: string;
	/** Whether the `state` value of an answer is the state of this login. */
	matchesState(answer: URLSearchParams): boolean;
	/**
	 * Exchanges the code of the answer for tokens. Accepts only the first answer with the expected state. Rejects with
	 * an error for the operator if the answer is refused or the exchange fails.
	 */
	finish(answer: URLSearchParams): Promise<McpLogin>;
	close(): Promise<void>;
}

/**
 * Finds the authorization server of a remote server, registers Parley there unless the options contain a client, and
 * creates the address for the login. If a step fails, rejects with an error for the operator.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
export async function beginLogin(settings: McpRemoteSettings, options: LoginOptions): Promise<PendingLogin> {
	const { url, allowPrivate } = settings;
	const { redirectUrl, privateHosts, clock, ids } = options;
	const permit = mcpLoginTexts.allowPrivate(settings);
	const library = await import("@modelcontextprotocol/client");
	const guarded = await authorizationFetch({ url, allowPrivate, privateHosts, permit }, clock);
	try {
		const challenge = library.extractWWWAuthenticateParams(await askForChallenge(url, guarded));
		const { resource, metadata } = await discover(library, url, guarded, challenge.resourceMetadataUrl);
		const scope = options.scope ?? challenge.scope ?? metadata.scope;
		const server = readServer(metadata.server, allowPrivate);
		const client = options.client ?? (await register(library, metadata.server, { guarded, redirectUrl }));
		const state = randomBytes(32).toString("base64url");
		const start = {
			metadata: metadata.server,
			clientInformation: clientOf(client),
			redirectUrl,
			state,
			resource,
		};
		const { authorizationUrl, codeVerifier } = await library.startAuthorization(server.issuer, {
			...start,
			...defined({ scope: withOfflineAccess(scope, metadata.server) }),
		});
		let isUsed = false;
		const matchesState = (answer: URLSearchParams): boolean => isSame(answer.get("state") ?? "", state);
		return {
			url: authorizationUrl,
			resource,
			matchesState,
			async finish(answer) {
				if (!matchesState(answer)) throw refusal(mcpLoginTexts.otherLogin);
				if (isUsed) throw refusal(mcpLoginTexts.usedAnswer);
				isUsed = true;
				const code = readCode(library, answer, metadata.server);
				const tokens = await reported(guarded, () =>
					library.exchangeAuthorization(server.issuer, {
						metadata: metadata.server,
						clientInformation: clientOf(client),
						authorizationCode: code,
						...defined({ iss: answer.get("iss") ?? undefined }),
						codeVerifier,
						redirectUri: redirectUrl,
						resource,
						fetchFn: guarded.fetch,
					}),
				);
				const id = ids.create("login");
				return { id, url, resource, server, client, privateHosts, ...checkTokens(tokens) };
			},
			close: guarded.close,
		};
	} catch (reason) {
		await guarded.close();
		throw loginProblem(reason, guarded.problem);
	}
}

/** Sends a request without a token. The answer may contain the address of the resource metadata. */
async function askForChallenge(url: string, { fetch: send }: AuthorizationFetch): Promise<Response> {
	const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
	const params = {
		protocolVersion: "2025-11-25",
		capabilities: {},
		clientInfo: { name: "parley", version: "1" },
	};
	const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
	return await send(url, { method: "POST", headers, body });
}

interface Discovered {
	readonly resource: string;
	readonly metadata: { readonly server: AuthorizationServerMetadata; readonly scope: string | undefined };
}

async function discover(
	library: Library,
	url: string,
	guarded: AuthorizationFetch,
	resourceMetadataUrl: URL | undefined,
): Promise<Discovered> {
	const found = await library.discoverOAuthServerInfo(url, {
		fetchFn: guarded.fetch,
		...defined({ resourceMetadataUrl }),
	});
	// After a refused address, the library tries other addresses, so the refusal must be thrown here.
	if (guarded.problem) throw guarded.problem;
	const { authorizationServerMetadata: server, resourceMetadata } = found;
	if (!server) throw refusal(mcpLoginTexts.noLogin);
	const resource = resourceOf(library, url, resourceMetadata);
	return { resource, metadata: { server, scope: resourceMetadata?.scopes_supported?.join(" ") } };
}

/**
 * Returns the resource for which the person logs in. Throws if the resource does not include the server's
 * address, so that an MCP server cannot get tokens for a different server.
 */
function resourceOf(
	{ checkResourceAllowed, resourceUrlFromServerUrl }: Library,
	url: string,
	metadata: OAuthProtectedResourceMetadata | undefined,
): string {
	const requestedResource = resourceUrlFromServerUrl(url);
	if (metadata === undefined) return requestedResource.href;
	const { resource } = metadata;
	if (checkResourceAllowed({ requestedResource, configuredResource: resource })) return resource;
	throw refusal(mcpLoginTexts.otherResource);
}

/**
 * Returns the data to store about the authorization server. The stored addresses are used for refreshes, so the server
 * cannot redirect the refresh token later. Throws if the server lacks PKCE or has an unsafe address.
 */
function readServer(metadata: AuthorizationServerMetadata, allowPrivate: boolean): McpAuthorizationServer {
	const { issuer, authorization_endpoint, token_endpoint, response_types_supported } = metadata;
	if (!metadata.code_challenge_methods_supported?.includes("S256")) throw refusal(mcpLoginTexts.noPkce);
	const { token_endpoint_auth_methods_supported } = metadata;
	const revocation_endpoint = "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
	for (const endpoint of [authorization_endpoint, token_endpoint]) {
		if (!isSafeEndpoint(endpoint, allowPrivate)) throw refusal(mcpLoginTexts.notHttps);
	}
	return {
		issuer,
		authorization_endpoint,
		token_endpoint,
		response_types_supported,
		...defined({
			token_endpoint_auth_methods_supported,
			revocation_endpoint: typeof revocation_endpoint === "string" ? revocation_endpoint : undefined,
		}),
	};
}

interface Registration {
	readonly guarded: AuthorizationFetch;
	readonly redirectUrl: string;
}

/**
 * Registers Parley as a client: https://www.rfc-editor.org/rfc/rfc7591. The port of the redirect address differs in
 * each login. The registration names no scopes, because some servers refuse the scopes of a resource in a registration.
 */
async function register(
	library: Library,
	metadata: AuthorizationServerMetadata,
	{ guarded, redirectUrl }: Registration,
): Promise<McpOAuthClient> {
	if (metadata.registration_endpoint === undefined) throw refusal(mcpLoginTexts.noRegistration);
	const { client_id, client_secret, token_endpoint_auth_method } = await library.registerClient(
		metadata.issuer,
		{
			metadata,
			clientMetadata: {
				client_name: "Parley",
				redirect_uris: [redirectUrl],
				grant_types: ["authorization_code", "refresh_token"],
				response_types: ["code"],
				token_endpoint_auth_method: "none",
				application_type: "native",
			},
			fetchFn: guarded.fetch,
		},
	);
	return {
		client_id,
		...defined({ client_secret: checkClientSecret(client_secret), token_endpoint_auth_method }),
	};
}

/**
 * Adds `offline_access` to a given scope if the server offers `offline_access`. Without this scope, some servers return
 * no refresh token.
 */
function withOfflineAccess(
	scope: string | undefined,
	{ scopes_supported: supported }: AuthorizationServerMetadata,
): string | undefined {
	const offline = "offline_access";
	const isOffered =
		supported?.includes(offline) && scope !== undefined && !scope.split(" ").includes(offline);
	return isOffered ? `${scope} ${offline}` : scope;
}

function readCode(library: Library, answer: URLSearchParams, metadata: AuthorizationServerMetadata): string {
	// The issuer is checked before the code is read, because an answer from another server must not be used:
	// https://www.rfc-editor.org/rfc/rfc9207
	try {
		library.validateAuthorizationResponseIssuer({
			iss: answer.get("iss") ?? undefined,
			expectedIssuer: metadata.issuer,
			issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
		});
	} catch (cause) {
		throw refusal(mcpLoginTexts.otherServer, cause);
	}
	const code = answer.get("code");
	if (code) return code;
	const error = answer.get("error") ?? "";
	throw refusal(
		error === "access_denied" ? mcpLoginTexts.denied : mcpLoginTexts.refused(isErrorCode(error) ? error : ""),
	);
}

export function clientOf(client: McpOAuthClient): OAuthClientInformationMixed {
	return { ...client };
}

async function reported<T>(guarded: AuthorizationFetch, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (reason) {
		throw loginProblem(reason, guarded.problem);
	}
}

function isSame(actual: string, expected: string): boolean {
	const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
	return a.length === b.length && timingSafeEqual(a, b);
}

function refusal(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "permission_denied", cause });
}
