import type { Upload } from "../platform/attachments.ts";

/** A received request of any front end. */
export interface RestRequest {
	readonly method: string;
	/** Path below `/api/v10`. */
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	/** JSON body, or undefined without one. */
	readonly body: unknown;
	readonly files: readonly Upload[];
	/** The header as sent. */
	readonly authorization?: string | undefined;
}

export interface RestResponse {
	readonly status: number;
	/** Headers with names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Null without a body. */
	readonly body: unknown;
}
