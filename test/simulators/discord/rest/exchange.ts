import type { Upload } from "../platform/attachments.ts";

export interface RestRequest {
	readonly method: string;
	/** Path relative to `/api/v10`. */
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	/** Parsed JSON body. Undefined if the request has no body. */
	readonly body: unknown;
	readonly files: readonly Upload[];
	readonly authorization?: string | undefined;
}

export interface RestResponse {
	readonly status: number;
	/** Headers with names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed body. Null if the response has no body. */
	readonly body: unknown;
}
