import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { startEverything } from "../everything-server.ts";
import { type AuthorizationServer, addressOf, close, listen } from "./authorization-server.ts";

/** A server whose MCP endpoint accepts only requests with a token for this server. */
export interface ProtectedServer extends AsyncDisposable {
	readonly url: string;
	/** Authorization headers of the MCP requests, in order. "" for a request without this header. */
	readonly seen: string[];
}

/** Starts the npm server "everything" behind a check for tokens of the authorization server. */
export async function openProtectedServer(
	authorization: AuthorizationServer,
	scope: string,
): Promise<ProtectedServer> {
	const everything = await startEverything();
	const seen: string[] = [];
	const server = await listen((incoming, response) => void answer(incoming, response));
	const url = `${addressOf(server)}/mcp`;
	const metadata = `${addressOf(server)}/.well-known/oauth-protected-resource/mcp`;
	async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		if (incoming.url === new URL(metadata).pathname) {
			const facts = {
				resource: url,
				authorization_servers: [authorization.issuer],
				scopes_supported: [scope],
			};
			response.setHeader("content-type", "application/json").end(JSON.stringify(facts));
			return;
		}
		const received = incoming.headers.authorization ?? "";
		seen.push(received);
		if (await authorization.accepts(received.replace(/^Bearer /, ""), url))
			return forward(incoming, response);
		incoming.resume();
		response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
	}
	function forward(incoming: IncomingMessage, response: ServerResponse): void {
		const { method, headers } = incoming;
		const { host: _, authorization: __, ...others } = headers;
		const out = request(everything.url, { method, headers: others }, (received) => {
			response.writeHead(received.statusCode ?? 500, received.headers);
			received.pipe(response);
		});
		out.on("error", () => response.destroy());
		response.on("close", () => out.destroy());
		incoming.pipe(out);
	}
	return {
		url,
		seen,
		async [Symbol.asyncDispose]() {
			everything.stop();
			await close(server);
		},
	};
}
