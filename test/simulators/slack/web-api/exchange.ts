export interface ApiRequest {
	/** Name of the method, for example `chat.postMessage`. */
	readonly method: string;
	/** Arguments without the token. */
	readonly args: Readonly<Record<string, unknown>>;
	readonly token?: string | undefined;
}

export interface ApiResponse {
	readonly status: number;
	/** Headers with names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readonly<Record<string, unknown>>;
}
