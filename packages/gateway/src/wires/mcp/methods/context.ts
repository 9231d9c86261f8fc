import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/server";
import type { Clock, Logger } from "@parley/base";
import type { Keyed, Principal, Runtime } from "@parley/core";

/** Services for the tools of one client. */
export interface McpContext {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Logger;
	/** Whether the operator allows forms for approvals. */
	readonly forms: boolean;
	/** Principal of the client, as an agent: see `Principal.through`. */
	readonly principal: Principal;
}

/** One call of a tool by a client. */
export interface ToolCall {
	/** Signal that aborts when the client cancels the call. */
	readonly cancelled: AbortSignal;
	/**
	 * Signal that ends the wait for the result early, because the client has disconnected, the MCP session has ended
	 * or the gateway stops.
	 */
	readonly lost: AbortSignal;
	/** Reports a human-readable description of the current step. Undefined if the client requests no reports. */
	readonly progress?: ((words: string) => void) | undefined;
	/**
	 * Shows a form to the person at the client; undefined for a client without forms. Rejects when the signal aborts, and
	 * if the client returns an error.
	 */
	readonly elicit?:
		| ((form: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>)
		| undefined;
}

/**
 * Builds a request to the runtime. The request has no idempotency key, because a repeated tool call is another
 * request.
 */
export function unkeyedRequest({ principal }: { readonly principal: Principal }, method: string): Keyed {
	return { principal, key: undefined, method, params: undefined };
}
