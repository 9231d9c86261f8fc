import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ParleyError } from "@parley/base";
import { mcpLoginTexts } from "../texts/gateway/mcp.ts";

/** Path of the redirect address. */
const path = "/callback";
const maxConnections = 16;

/** A local server that waits for the browser at the end of a login. */
export interface LoginListener {
	/** Redirect address: https://www.rfc-editor.org/rfc/rfc8252#section-7.3 */
	readonly url: string;
	/**
	 * Resolves with the first answer that `isExpected` accepts. Refuses all other answers, because any page can send a
	 * browser to this address.
	 */
	answer(isExpected: (answer: URLSearchParams) => boolean): Promise<URLSearchParams>;
	close(): void;
}

/**
 * Listens on a port of 127.0.0.1. Port 0 selects a free port. Rejects with `unavailable` if the port cannot be used.
 */
export async function listenForLogin(port: number): Promise<LoginListener> {
	const first = Promise.withResolvers<URLSearchParams>();
	let accepts: (answer: URLSearchParams) => boolean = () => false;
	let url = "";
	const server = createServer((request, response) => {
		const answer = readAnswer(request, url);
		const isAccepted = answer !== undefined && accepts(answer);
		reply(response, isAccepted);
		if (isAccepted) first.resolve(answer);
	});
	server.maxConnections = maxConnections;
	server.listen(port, "127.0.0.1");
	await once(server, "listening").catch((cause: unknown) => {
		throw new ParleyError(mcpLoginTexts.portInUse({ port }), {
			code: "unavailable",
			cause,
		});
	});
	// The cast is safe because the server listens on a port.
	const place = server.address() as AddressInfo;
	url = `http://127.0.0.1:${place.port}${path}`;
	return {
		url,
		answer(isExpected) {
			accepts = isExpected;
			return first.promise;
		},
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** Returns the parameters of a browser's redirect, or undefined if the request cannot be one. */
function readAnswer(
	{ method, headers, url = "" }: IncomingMessage,
	own: string,
): URLSearchParams | undefined {
	const place = new URL(own);
	if (method !== "GET" || headers.host !== place.host || !url.startsWith("/")) return undefined;
	const given = URL.parse(url, place.origin);
	return given?.pathname === path ? given.searchParams : undefined;
}

function reply(response: ServerResponse, isAccepted: boolean): void {
	response.writeHead(isAccepted ? 200 : 400, {
		"content-type": "text/plain; charset=utf-8",
		"cache-control": "no-store",
		"referrer-policy": "no-referrer",
		connection: "close",
	});
	response.end(isAccepted ? `${mcpLoginTexts.loginReceived}\n` : `${mcpLoginTexts.otherLogin}\n`);
}
