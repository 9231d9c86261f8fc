import { once } from "node:events";
import {
	type ClientRequest,
	type IncomingMessage,
	request as plainRequest,
	type RequestOptions,
} from "node:http";
import { request as secureRequest } from "node:https";
import { text } from "node:stream/consumers";
import { defined, type ErrorCode, ParleyError, parseJson } from "@parley/base";
import { describeFailure, pinnedTo, refusalOf } from "@parley/protocol";
import { addressTexts } from "../texts/gateway/address.ts";

export interface HttpAddress {
	readonly url: string;
	readonly token?: string | undefined;
	/** The only accepted certificate for an https address. If undefined, the default rules of Node.js apply. */
	readonly certificate?: string | undefined;
}

export interface HttpRequest {
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
}

/**
 * Starts a request with the token. The caller must end the request. If `certificate` is set, TLS accepts no
 * other certificate.
 */
export function beginRequest(
	{ url, token, certificate }: HttpAddress,
	path: string,
	{ headers, ...more }: Partial<HttpRequest> & { readonly method?: "POST" | "DELETE" },
): ClientRequest {
	const target = new URL(path, url.replace(/^ws/, "http"));
	const options: RequestOptions = {
		...more,
		agent: false,
		headers: {
			...headers,
			...defined({ authorization: token === undefined ? undefined : `Bearer ${token}` }),
		},
	};
	if (target.protocol !== "https:") return plainRequest(target, options);
	if (certificate === undefined) return secureRequest(target, options);
	return secureRequest(target, { ...options, ...pinnedTo(certificate) });
}

/** Sends a GET request, and resolves with the response as soon as it begins. Rejects if no response begins. */
export async function openFromGateway(
	address: HttpAddress,
	path: string,
	options: HttpRequest,
): Promise<IncomingMessage> {
	const request = beginRequest(address, path, options);
	request.end();
	const [response] = await once(request, "response");
	return response;
}

/** Sends a GET request and returns the complete response. */
export async function getFromGateway(
	address: HttpAddress,
	path: string,
	signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
	const response = await openFromGateway(address, path, { signal });
	return { status: response.statusCode ?? 0, text: await text(response) };
}

/** Maximum milliseconds to wait for JSON, because a gateway may have to read its complete history. */
const patienceMs = 60_000;

/**
 * Resolves with the parsed JSON of a response with status 200. Rejects with a `ParleyError` for an error of the
 * gateway or of the connection.
 */
export async function getJson(address: HttpAddress, path: string): Promise<unknown> {
	let answered: Awaited<ReturnType<typeof getFromGateway>>;
	try {
		answered = await getFromGateway(address, path, AbortSignal.timeout(patienceMs));
	} catch (cause) {
		throw unreachable(address, cause);
	}
	if (answered.status === 200) return parseJson(answered.text, responseLimits);
	throw answerError(address, answered);
}

/**
 * Limits of responses. Higher than the defaults, because pages of events can be larger than a client's requests.
 */
const responseLimits = { maxDepth: 256, maxNodes: 5_000_000 };

const codes: Readonly<Record<number, ErrorCode>> = {
	400: "invalid_argument",
	403: "permission_denied",
	404: "not_found",
	503: "unavailable",
};

/** Returns the error for a response with an unexpected status. */
export function answerError(
	{ url }: HttpAddress,
	{ status, text: body }: { readonly status: number; readonly text: string },
): ParleyError {
	const reported = errorIn(body);
	const refusal =
		status === 401 || status === 421 || reported === undefined ? refusalOf(status, new URL(url)) : undefined;
	if (refusal) return refusal;
	const message = reported ?? addressTexts.otherStatus({ url, status });
	return new ParleyError(message, { code: codes[status] ?? "internal" });
}

export function unreachable({ url }: HttpAddress, cause: unknown): ParleyError {
	const error: NodeJS.ErrnoException = cause instanceof Error ? cause : new Error(String(cause));
	return new ParleyError(describeFailure(error, new URL(url)), { code: "unavailable", cause });
}

function errorIn(body: string): string | undefined {
	try {
		const { error }: { error?: unknown } = Object(parseJson(body));
		return typeof error === "string" ? error : undefined;
	} catch {
		// A body that is not JSON, for example of another server, has no error text.
		return undefined;
	}
}
