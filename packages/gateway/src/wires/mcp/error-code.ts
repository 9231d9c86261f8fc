import { type ErrorCode, ParleyError } from "@parley/base";
import { mcpErrorTexts } from "../../texts/wires/mcp.ts";

/**
 * Error texts of tools and resources by error code: the message, or a general text for internal errors, whose message
 * is only logged.
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

/** Codes of JSON-RPC and of MCP for HTTP requests that no session answers. */
export const rpcCodes = {
	parse: -32_700,
	invalidRequest: -32_600,
	refused: -32_000,
	sessionNotFound: -32_001,
} as const;

/** A request that no session answers, with its HTTP status and its code of JSON-RPC. */
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
