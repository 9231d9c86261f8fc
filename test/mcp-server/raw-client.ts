import type { Desk } from "./desk.ts";

const accept = "application/json, text/event-stream";
/** The first message of a client. */
export const initialize = {
	jsonrpc: "2.0",
	id: 1,
	method: "initialize",
	params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** A client that does not use the MCP SDK. */
export class RawClient {
	readonly #url: URL;
	readonly #headers: Record<string, string>;

	constructor(desk: Desk, token: string, headers: Record<string, string> = {}) {
		this.#url = desk.url;
		this.#headers = {
			authorization: `Bearer ${token}`,
			accept,
			"content-type": "application/json",
			...headers,
		};
	}

	send(body: object | string, headers: Record<string, string> = {}, method = "POST"): Promise<Response> {
		const content = typeof body === "string" ? body : JSON.stringify(body);
		const sent = { ...this.#headers, ...headers };
		return fetch(this.#url, { method, headers: sent, ...(method === "POST" && { body: content }) });
	}

	/** Opens a session, and returns its header. */
	async open(): Promise<Record<string, string>> {
		const response = await this.send(initialize);
		await response.text();
		return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
	}
}
