/** A call of the Web API as it comes, whichever front end it comes through. */
export interface ApiRequest {
	/** `chat.postMessage`. */
	readonly method: string;
	/** Without the token. */
	readonly args: Readonly<Record<string, unknown>>;
	/** As it was sent. */
	readonly token?: string | undefined;
}

export interface ApiResponse {
	readonly status: number;
	/** With names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readonly<Record<string, unknown>>;
}
