import type { Upload } from "../world/attachments.ts";

/** A request as it comes, whichever front end it comes through. */
export interface RestRequest {
	readonly method: string;
	/** Below `/api/v10`. */
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	/** JSON body, or undefined without one. */
	readonly body: unknown;
	readonly files: readonly Upload[];
	/** The header as it was sent. */
	readonly authorization?: string | undefined;
}

export interface RestResponse {
	readonly status: number;
	/** With names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Null without a body. */
	readonly body: unknown;
}
