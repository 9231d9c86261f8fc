import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

const tokenLife = 3_600;

function configurationOf(scope: string): Configuration {
	return {
		claims: { openid: ["sub"] },
		clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
		cookies: { keys: ["a key of the tests"] },
		features: {
			devInteractions: { enabled: false },
			registration: { enabled: true },
			revocation: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: () => [],
				useGrantedResource: () => false,
				getResourceServerInfo: (_context, audience) => ({
					scope,
					audience,
					accessTokenFormat: "opaque",
					accessTokenTTL: tokenLife,
				}),
			},
		},
		findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
		interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
		pkce: { required: () => true },
		rotateRefreshToken: true,
		scopes: ["openid", "offline_access"],
		ttl: {
			AccessToken: tokenLife,
			Grant: tokenLife,
			Interaction: tokenLife,
			Session: tokenLife,
			RefreshToken: tokenLife,
		},
	};
}

/** An authorization server from npm. Every user is Ada, who agrees to every request. */
export interface AuthorizationServer extends AsyncDisposable {
	readonly issuer: string;
	readonly provider: Provider;
	accepts(token: string, resource: string): Promise<boolean>;
}

export async function openAuthorizationServer(scope: string): Promise<AuthorizationServer> {
	let listener: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
	const server = await listen((request, response) => void listener(request, response));
	const issuer = addressOf(server);
	const provider = new Provider(issuer, configurationOf(scope));
	const callback = provider.callback();
	listener = async (request, response) => {
		if (!request.url?.startsWith("/interaction/")) return await callback(request, response);
		const { prompt, params, session } = await provider.interactionDetails(request, response);
		const agree = async () => {
			const grant = new provider.Grant({
				clientId: String(params["client_id"]),
				accountId: session?.accountId ?? "",
			});
			grant.addOIDCScope("openid offline_access");
			grant.addResourceScope(String(params["resource"]), scope);
			return { consent: { grantId: await grant.save() } };
		};
		const result = prompt.name === "login" ? { login: { accountId: "ada" } } : await agree();
		return await provider.interactionFinished(request, response, result);
	};
	return {
		issuer,
		provider,
		async accepts(token, resource) {
			const accessToken = await provider.AccessToken.find(token);
			return accessToken?.isExpired === false && [accessToken.aud].flat().includes(resource);
		},
		[Symbol.asyncDispose]: () => close(server),
	};
}

/** Follows redirects with cookies, like a browser, up to the first URL with another origin. */
export async function browse(start: URL): Promise<URL> {
	const cookies = new Map<string, string>();
	let place = start;
	for (let pages = 0; place.origin === start.origin; pages += 1) {
		if (pages > 20) throw new Error(`the login does not end at ${place.href}`);
		const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const response = await fetch(place, { redirect: "manual", headers: { cookie } });
		for (const one of response.headers.getSetCookie()) {
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
			if (value === "") cookies.delete(name);
			else cookies.set(name, value);
		}
		const next = response.headers.get("location");
		if (next === null) throw new Error(`the login stopped: ${response.status} ${await response.text()}`);
		place = new URL(next, place);
	}
	return place;
}

export async function listen(
	listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
	const server = createServer(listener).listen(0, "127.0.0.1");
	await once(server, "listening");
	return server;
}

export function addressOf(server: Server): string {
	// The cast is safe because the server listens on a TCP port.
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function close(server: Server): Promise<void> {
	server.closeAllConnections();
	server.close();
	if (server.listening) await once(server, "close");
}
