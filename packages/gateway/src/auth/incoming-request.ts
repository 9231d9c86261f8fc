/** The part of Node's `IncomingMessage` with content and sender. HTTP/2 requests can be adapted to it. */
export interface IncomingRequest {
	readonly url?: string | undefined;
	/** Alternating names and values, as received. The parsed `headers` hide duplicates. */
	readonly rawHeaders: readonly string[];
	readonly socket: Connection;
}

/** Both ends of a connection; undefined when it has been closed. */
export interface Connection {
	readonly localAddress?: string | undefined;
	readonly localPort?: number | undefined;
	readonly remoteAddress?: string | undefined;
	readonly remotePort?: number | undefined;
	/** True over TLS. */
	readonly encrypted?: boolean;
}

/** All values of a header, whose name is given in lower case. */
export function headerValues(request: IncomingRequest, name: string): string[] {
	return request.rawHeaders.filter(
		(_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name,
	);
}

/** All names of headers, in lower case. */
export function headerNames(request: IncomingRequest): string[] {
	return request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
}
