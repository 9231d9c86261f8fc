import { type Clock, ParleyError, parseJson } from "@parley/base";
import { guardedFetch, serverRefusal } from "../../sandbox/egress/guarded-fetch.ts";
import type { McpLogins } from "../../vocabulary/mcp/login.ts";
import type { McpRemoteSettings } from "../../vocabulary/mcp/server.ts";
import { Allowance, serverLimits } from "./allowance.ts";
import { EventStreamCheck } from "./event-stream-check.ts";
import { loginAccess } from "./login/login-access.ts";
import { mcpLoginTexts } from "./login/texts.ts";
import type { ServerTransport } from "./server-connection.ts";
import { mcpConnectionTexts } from "./texts.ts";

/**
 * Opens a streamable HTTP connection to a server:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export async function openRemote(
	settings: McpRemoteSettings,
	{ clock, logins }: { readonly clock: Clock; readonly logins: McpLogins },
): Promise<ServerTransport> {
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
	const { url, headers, allowPrivate } = settings;
	const limits = new AnswerLimits(clock, (problem) => {
		closing.problem ??= problem;
		// A failure to close is ignored, because the problem is recorded and the connection is no longer used.
		closing.close().catch(() => undefined);
	});
	const permit = mcpLoginTexts.allowPrivate(settings);
	const guarded = await guardedFetch({
		isPrivateAllowed: () => allowPrivate,
		permit: { address: () => permit, http: () => permit },
	});
	const { origin } = new URL(url);
	const transport = new StreamableHTTPClientTransport(new URL(url), {
		fetch: async (address, init) => {
			// The library follows no redirect to another origin. This check also protects against a later library version
			// that follows such redirects.
			if (new URL(address).origin !== origin) throw serverRefusal(mcpConnectionTexts.otherOrigin(origin));
			return limits.bounded(await guarded.fetch(address, init));
		},
		requestInit: { headers },
		authProvider: loginAccess(settings, logins, clock),
		onInsufficientScope: "throw",
	});
	const close = transport.close.bind(transport);
	const closing = Object.assign(transport, {
		problem: undefined as string | undefined,
		log: [],
		close: async () => {
			await close();
			await guarded.close();
		},
	});
	return closing;
}

/** Limits for the answers of a server. Calls `exceeded` with the problem if the server exceeds a limit. */
class AnswerLimits {
	readonly #bytes: Allowance;
	readonly #messages: Allowance;
	readonly #exceeded: (problem: string) => void;

	constructor(clock: Clock, exceeded: (problem: string) => void) {
		this.#bytes = new Allowance(serverLimits.bytes, clock);
		this.#messages = new Allowance(serverLimits.messages, clock);
		this.#exceeded = exceeded;
	}

	/**
	 * Returns the response with a body stream that fails when the server sends too much. The library never receives the
	 * end of a refused message.
	 */
	bounded(response: Response): Response {
		const { status, statusText, headers, body, ok } = response;
		if (body === null) return response;
		const type = headers.get("content-type") ?? "";
		const isStream = /^text\/event-stream\b/i.test(type);
		const events = new EventStreamCheck(serverLimits.maxMessageBytes, (text) => this.#check(text));
		const chunks: Uint8Array[] = [];
		let length = 0;
		const counted = body.pipeThrough(
			new TransformStream<Uint8Array, Uint8Array>({
				transform: (chunk, controller) =>
					this.#guard(() => {
						if (!this.#bytes.spend(chunk.length)) throw serverRefusal(mcpConnectionTexts.manyBytes);
						length += chunk.length;
						if (isStream) events.receive(chunk);
						else if (length > serverLimits.maxMessageBytes)
							throw serverRefusal(mcpConnectionTexts.largeMessage(serverLimits.maxMessageBytes));
						else chunks.push(chunk);
						controller.enqueue(chunk);
					}),
				flush: () =>
					this.#guard(() => {
						const text = Buffer.concat(chunks).toString("utf8");
						if (ok && /^application\/json\b/i.test(type) && text.trim() !== "") this.#check(text);
					}),
			}),
		);
		return new Response(counted, { status, statusText, headers });
	}

	#check(text: string): void {
		const value = parseJson(text, { maxNodes: serverLimits.maxNodes });
		if (!this.#messages.spend(Array.isArray(value) ? value.length : 1))
			throw serverRefusal(mcpConnectionTexts.manyMessages);
	}

	#guard(work: () => void): void {
		try {
			work();
		} catch (reason) {
			this.#exceeded(ParleyError.from(reason).message);
			throw reason;
		}
	}
}
