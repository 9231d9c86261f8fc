import { type ErrorCode, ParleyError } from "@parley/base";
import { mcpErrorTexts } from "../../texts/wires/mcp.ts";

/**
 * Error texts of tools and resources, by error code. The text is the message of the error, or a general text for an
 * internal error. The message of an internal error is only logged.
 */
export const mcpErrorMessages = {
	cancelled: (message) => message,
	invalid_argument: (message) => message,
	deadline_exceeded: (message) => message,
	not_found: (message) => message,
	already_exists: (message) => message,
	permission_denied: (message) => message,
	unauthenticated: (message) => message,
	resource_exhausted: (message) => message,
	failed_precondition: (message) => message,
	aborted: (message) => message,
	unimplemented: (message) => message,
	internal: () => mcpErrorTexts.internalError,
	unavailable: (message) => message,
	data_loss: () => mcpErrorTexts.internalError,
} as const satisfies Record<ErrorCode, (message: string) => string>;

/** JSON-RPC and MCP error codes for HTTP requests that are refused before a session handles them. */
export const rpcCodes = {
	parse: -32_700,
	invalidRequest: -32_600,
	refused: -32_000,
	sessionNotFound: -32_001,
} as const;

/** Refusal of an HTTP request before a session handles it, with the HTTP status and the JSON-RPC error code. */
export class Refused extends Error {
	readonly status: number;
	readonly code: number;
	readonly id: string | number | undefined;

	constructor(
		status: number,
		code: number,
		message: string,
		{ id, cause }: { readonly id?: string | number | undefined; readonly cause?: unknown } = {},
	) {
		super(message, { cause });
		this.status = status;
		this.code = code;
		this.id = id;
	}

	/** Creates the refusal of a request. The client receives the message of `cause`. */
	static because(cause: unknown, status: number, code: number, id?: string | number): Refused {
		return new Refused(status, code, ParleyError.from(cause).message, { id, cause });
	}
}
