/** Details of gRPC statuses, for clients. */
export const grpcTexts = {
	stopping: "the gateway is stopping; try again when it has restarted",
	connectionClosed: "the connection is closed",
	internalError: "internal error",
	tokenEnded: "the token was revoked or has expired; ask the operator for a new token",
	longHeaders: ({ bytes, maxBytes }: { readonly bytes: number; readonly maxBytes: number }) =>
		`header list of ${bytes} bytes: send at most ${maxBytes} bytes of metadata`,
	slowReader:
		"the client reads too slowly: the stream ended, and its session continues; open the stream again",
} as const;
