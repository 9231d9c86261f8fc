/**
 * Fields of Node's `IncomingMessage` that the request checks read. HTTP/2 requests can be adapted to this interface.
 */
export interface IncomingRequest {
	readonly url?: string | undefined;
	/** Alternating names and values, as received. The parsed `headers` hide duplicates. */
	readonly rawHeaders: readonly string[];
	readonly socket: ConnectionAddresses;
}

/** Both ends of a connection. The addresses and ports may be undefined after the connection has been closed. */
export interface ConnectionAddresses {
	readonly localAddress?: string | undefined;
	readonly localPort?: number | undefined;
	readonly remoteAddress?: string | undefined;
	readonly remotePort?: number | undefined;
	/** Whether the connection uses TLS. */
	readonly encrypted?: boolean;
}

/** Returns all values of a header. `name` is in lower case. */
export function headerValues(request: IncomingRequest, name: string): string[] {
	return request.rawHeaders.filter(
		(_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name,
	);
}

/** Returns the names of all headers, in lower case. */
export function headerNames(request: IncomingRequest): string[] {
	return request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
}
