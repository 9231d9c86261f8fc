/** A received call of the Web API, of any front end. */
export interface ApiRequest {
	/** Name, such as `chat.postMessage`. */
	readonly method: string;
	/** Arguments without the token. */
	readonly args: Readonly<Record<string, unknown>>;
	/** Token as sent. */
	readonly token?: string | undefined;
}

export interface ApiResponse {
	readonly status: number;
	/** Headers with names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readonly<Record<string, unknown>>;
}
