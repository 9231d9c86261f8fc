import { alternatives } from "@parley/base";

/**
 * Errors and hints of HTTP requests. A text that begins with `is`, `has` or `needs` follows the name and the value of
 * a parameter.
 */
export const httpErrorTexts = {
	notFound: ({ path, paths }: { readonly path: string; readonly paths: readonly string[] }) =>
		`not found: ${path}; use ${alternatives(paths)}`,
	needsSession: "needs a session: add session=ID",
	limit: "is not allowed: use a whole number from 1 to 1000",
	position: "is not allowed: use a whole number of at most 15 digits",
	oneOf: ({ names }: { readonly names: string }) => `is not allowed: use one of ${names}`,
	longQuery: ({ max }: { readonly max: number }) => `has more than ${max} characters: shorten it`,
	idPrefix: "is not the beginning of an id: use at most 128 letters, digits, _ and -",
	noProxy: "the gateway is not a proxy: send the request directly, without CONNECT",
	upgradeRequired: "this path is a WebSocket: connect with an upgrade request",
	usePost: "method not allowed: use POST",
	noWebSocket: ({ path }: { readonly path: string }) => `no WebSocket at ${path}`,
	webSocketHint: ({ webSocketPath }: { readonly webSocketPath: string }) => `connect to ${webSocketPath}`,
	useGet: "method not allowed: use GET",
	tooManyStreams: ({ maxStreams }: { readonly maxStreams: number }) =>
		`too many event streams: ${maxStreams} are open`,
	tooManyStreamsHint: "close one of them, or try again later",
	notBoolean: "is not a Boolean: use true or false",
	contentEncoding: ({ encoding }: { readonly encoding: string }) =>
		`the content encoding ${encoding} is not accepted: send the file without an encoding`,
	idempotencyKey: "idempotency-key: use 1 to 128 characters",
	uploadStopped: "the upload timed out: send the file again",
	downloadStopped: "the client has stopped reading",
	fileSize: ({ range, bytes }: { readonly range: string; readonly bytes: number }) =>
		`the range ${range} is not in the file: use a range within its ${bytes} bytes`,
	multipart:
		"multipart bodies are not accepted: send the file itself as the body (curl --data-binary @FILE), its name as ?name=",
	methodNotAllowed: "method not allowed",
} as const;
