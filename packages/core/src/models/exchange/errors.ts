import { defined, ParleyError, parseJson } from "@parley/base";
import { visible } from "../../text/visible.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { providerTexts } from "./texts.ts";

/** Facts about a request for its error messages. */
export interface RequestFacts {
	readonly host: string;
	readonly model: string;
	/** Current time in milliseconds since the epoch. */
	readonly now: number;
	/**
	 * Name of the option or environment variable for the key, even if the option or variable is not set. Absent if the
	 * server needs no key.
	 */
	readonly keyName?: string | undefined;
	readonly keyed?: boolean;
	/** Name of the API in error messages. Default: Messages API. */
	readonly api?: string | undefined;
}

/** Maximum characters of a provider's explanation in an error. */
const MAX_DETAIL = 300;

/** Faults by `error.type`: https://platform.claude.com/docs/en/api/errors */
const faultsOfTypes: Readonly<Record<string, ModelFault>> = {
	invalid_request_error: "rejected",
	authentication_error: "unauthenticated",
	billing_error: "rejected",
	permission_error: "rejected",
	not_found_error: "rejected",
	request_too_large: "rejected",
	conflict_error: "overloaded",
	rate_limit_error: "rate-limited",
	timeout_error: "overloaded",
	api_error: "overloaded",
	overloaded_error: "overloaded",
};

/** Values of `error.type` for refused request content. Numbers are statuses of errors without a known type. */
const refusesContent = new Set<unknown>(["invalid_request_error", "request_too_large", 400, 413]);

function isKnown(type: unknown): type is string {
	return typeof type === "string" && Object.hasOwn(faultsOfTypes, type);
}

/**
 * Returns the error for a response with a status other than 2xx. The error quotes only the provider's message from the
 * body.
 */
export function statusError(status: number, headers: Headers, body: string, facts: RequestFacts): ModelError {
	const error = errorIn(body);
	const effective = statusOf(status, error);
	const fault = faultOfStatus(effective);
	const message = `${explained(effective, fault, facts)}${quoted(error.message)}`;
	const isExplained = fault !== "rejected" || hasAdvice(effective);
	return new ModelError(isExplained ? message : providerTexts.changeRequest(message), {
		fault,
		retryAfterMs: retryAfterMs(headers, facts.now) ?? retryDelayMs(error.details),
		refusesContent: fault === "rejected" && refusesContent.has(isKnown(error.type) ? error.type : effective),
	});
}

function refusals(...codes: readonly string[]): Readonly<Record<string, number>> {
	return Object.fromEntries(codes.map((code) => [code, 400]));
}

/** HTTP statuses by error code. The code in the body is more exact than the status of the response. */
const statusesOfCodes: Readonly<Record<string, number>> = {
	// Waiting does not help: https://platform.openai.com/docs/guides/error-codes
	insufficient_quota: 402,
	invalid_api_key: 401,
	rate_limit_exceeded: 429,
	context_length_exceeded: 413,
	model_not_found: 404,
	server_error: 500,
	// Error codes of a response object: https://platform.openai.com/docs/api-reference/responses/object
	...refusals("invalid_prompt", "invalid_image", "invalid_image_format", "invalid_base64_image"),
	...refusals(
		"invalid_image_url",
		"invalid_image_mode",
		"image_parse_error",
		"image_content_policy_violation",
	),
	...refusals("image_too_small", "unsupported_image_media_type", "empty_image_file"),
	...refusals("failed_to_download_image", "image_file_not_found"),
	image_too_large: 413,
	image_file_too_large: 413,
	// The response for a wrong key has status 400: https://ai.google.dev/gemini-api/docs/troubleshooting
	API_KEY_INVALID: 401,
	RESOURCE_EXHAUSTED: 429,
	UNAVAILABLE: 503,
	INTERNAL: 500,
	DEADLINE_EXCEEDED: 504,
	INVALID_ARGUMENT: 400,
	FAILED_PRECONDITION: 400,
	NOT_FOUND: 404,
	UNAUTHENTICATED: 401,
	PERMISSION_DENIED: 403,
};

function statusOf(status: number, error: ErrorFields): number {
	// A status other than 4xx may come from a proxy, so it has priority over the error in the body.
	if (status < 400 || status >= 500) return status;
	// For some errors, providers return a less exact status: for example, 400 if a request is too large.
	return namedStatus([...reasonsIn(error.details), error.code, error.type]) ?? status;
}

function namedStatus(codes: readonly unknown[]): number | undefined {
	const named = codes.find((code) => typeof code === "string" && Object.hasOwn(statusesOfCodes, code));
	return typeof named === "string" ? statusesOfCodes[named] : undefined;
}

/**
 * Returns the HTTP status of an error in a stream, or undefined if the error contains neither a status nor a known
 * code.
 */
function streamStatus(error: Fields): number | undefined {
	const codes = [error["code"], error["status"], error["type"]];
	const isStatus = (code: unknown) => /^[45]\d\d$/.test(String(code));
	const number = codes.find(
		(code) => (typeof code === "number" || typeof code === "string") && isStatus(code),
	);
	return (
		namedStatus([...reasonsIn(error["details"]), ...codes]) ??
		(number === undefined ? undefined : Number(number))
	);
}

function detailsIn(details: unknown): Fields[] {
	return Array.isArray(details) ? details.filter(isFields) : [];
}

/** Returns the reasons in the details of an error. Format: https://google.aip.dev/193 */
function reasonsIn(details: unknown): unknown[] {
	return detailsIn(details).map(({ reason }) => reason);
}

/**
 * Returns Gemini's `retryDelay` from `google.rpc.RetryInfo`, such as "7s", in milliseconds. Returns undefined if the
 * `retryDelay` is absent, invalid or 0.
 */
function retryDelayMs(details: unknown): number | undefined {
	const [delay] = detailsIn(details).flatMap(({ retryDelay }) =>
		typeof retryDelay === "string" ? [retryDelay] : [],
	);
	const text = /^(\d{1,7}(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
	return text === undefined ? undefined : positive(Number(text) * 1000);
}

/** Returns the error for an `error` event in a response that began successfully. */
export function eventError(body: unknown, headers: Headers | undefined, facts: RequestFacts): ModelError {
	const error = isFields(body) && isFields(body["error"]) ? body["error"] : {};
	const { type } = error;
	const status = streamStatus(error);
	const known = isKnown(type) ? faultsOfTypes[type] : undefined;
	const fault = status === undefined ? known : faultOfStatus(status);
	const knownAdvice = status !== undefined && advice[status] !== undefined;
	const explanation = knownAdvice ? explained(status, fault, facts) : reported(fault, facts);
	const message = `${explanation}${quoted(error["message"])}`;
	const isExplained = fault !== "rejected" || knownAdvice;
	return new ModelError(isExplained ? message : providerTexts.changeRequest(message), {
		fault: fault ?? "overloaded",
		refusesContent: fault === "rejected" && refusesContent.has(isKnown(type) ? type : status),
		...defined({ retryAfterMs: headers && retryAfterMs(headers, facts.now) }),
	});
}

/** Returns the error for a request if the server sent no answer, or if the answer was interrupted. */
export function connectionError(reason: unknown, facts: RequestFacts): ModelError {
	// Only some errors of undici's parser have a code, but all errors of the parser have a name.
	const codes = [...causes(reason)].map(({ code, name }) => String(code ?? name));
	const detail = [...causes(reason)].map(({ message }) => String(message)).join(": ");
	const fail = (fault: ModelFault, message: string) => new ModelError(message, { fault, cause: reason });
	if (/\b407\b/.test(detail)) return fail("rejected", explained(407, "rejected", facts));
	// undici reports the status of a proxy only in its message (7.29, lib/core/connect and dispatcher/proxy-agent).
	const [, refusal] = /Proxy response \((\d{3})\)/.exec(detail) ?? [];
	if (refusal !== undefined) return fail(...proxyRefusal(Number(refusal), facts));
	if (codes.some((code) => /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code))) {
		return fail("timeout", providerTexts.tooSlow(facts.host));
	}
	const lost = codes.some((code) => /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_.*|HTTPParserError)$/.test(code));
	if (lost && !detail.includes("before secure TLS connection")) {
		return fail("interrupted", providerTexts.interrupted(facts.host));
	}
	const code = codes.find((candidate) => /^[A-Z][A-Z0-9_]+$/.test(candidate));
	return fail("unreachable", providerTexts.unreachable(facts.host, code));
}

/** Returns the fault and the message for a refused CONNECT: https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6 */
function proxyRefusal(status: number, { host }: RequestFacts): [ModelFault, string] {
	return status >= 500
		? ["unreachable", providerTexts.proxyUnreachable(host, status)]
		: ["rejected", providerTexts.proxyBlocks(host, status)];
}

function faultOfStatus(status: number): ModelFault {
	if (status === 401) return "unauthenticated";
	if (status === 429) return "rate-limited";
	if (status === 408 || status === 409) return "overloaded";
	// Statuses 501 and 505 are permanent.
	return status >= 500 && status !== 501 && status !== 505 ? "overloaded" : "rejected";
}

const advice: Readonly<Record<number, (facts: RequestFacts) => string>> = {
	401: ({ host, keyName, keyed = true }) => {
		if (keyed) return providerTexts.badKey(host, keyName ?? "ANTHROPIC_API_KEY");
		return providerTexts.needsKey(host, keyName);
	},
	402: ({ host }) => providerTexts.payment(host),
	403: ({ host, model }) => providerTexts.modelNotAllowed(host, model),
	404: ({ host, model, api = "Messages API" }) => providerTexts.noModel(host, model, api),
	407: ({ host }) => providerTexts.proxyCredentials(host),
	413: ({ host }) => providerTexts.tooLarge(host),
	429: ({ host }) => providerTexts.rateLimit(host),
};

function isRedirect(status: number): boolean {
	return status >= 300 && status < 400;
}

/** Whether the text of `explained` for this status ends with an action for the reader. */
function hasAdvice(status: number): boolean {
	return advice[status] !== undefined || isRedirect(status);
}

function explained(status: number, fault: ModelFault | undefined, facts: RequestFacts): string {
	const known = advice[status];
	if (known) return known(facts);
	if (isRedirect(status)) return providerTexts.redirect(facts.host, status);
	if (fault === "overloaded") return providerTexts.cannotAnswer(facts.host, status);
	return providerTexts.refusedStatus(facts.host, status);
}

function reported(fault: ModelFault | undefined, facts: RequestFacts): string {
	switch (fault) {
		case "unauthenticated":
			return explained(401, fault, facts);
		case "rate-limited":
			return explained(429, fault, facts);
		case "rejected":
			return providerTexts.refused(facts.host);
		default:
			return providerTexts.cannotAnswerNow(facts.host);
	}
}

interface ErrorFields {
	readonly type?: unknown;
	readonly message?: unknown;
	readonly code?: unknown;
	readonly details?: unknown;
}

/**
 * Returns the error object in the body. Returns an empty object if the body is not JSON, for example if a proxy sent a
 * page.
 */
function errorIn(body: string): ErrorFields {
	try {
		const parsed = parseJson(body);
		// Gemini returns a list with one error if the request asked for a stream.
		const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
		const error = isFields(first) ? first["error"] : undefined;
		return isFields(error) ? error : { message: error };
	} catch (reason) {
		if (reason instanceof ParleyError) return {};
		throw reason;
	}
}

/** Returns the message of the provider after a colon, without its full stop, because callers can add advice. */
function quoted(message: unknown): string {
	if (typeof message !== "string" || message.trim() === "") return "";
	const line = visible(
		message
			.slice(0, 2 * MAX_DETAIL)
			.replace(/\s+/g, " ")
			.trim()
			.replace(/(?<!\.)\.$/, ""),
	);
	return `: ${line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL - 1)}…` : line}`;
}

/** Yields the error and its causes, innermost last, at most eight in total. */
function* causes(reason: unknown): Generator<Fields> {
	let error = reason;
	for (let depth = 0; depth < 8 && isFields(error); depth++) {
		yield error;
		// Node tries all addresses of a host and reports each error.
		error = error["cause"] ?? (Array.isArray(error["errors"]) ? error["errors"][0] : undefined);
	}
}

/** Pattern of a number in the `retry-after` headers of providers. `Number` would also accept other forms. */
const SECONDS = /^\d+(\.\d+)?(e\d{1,2})?$/i;

/** Pattern of the HTTP date format that servers must use: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7 */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the requested wait in milliseconds: `retry-after-ms`, otherwise `retry-after` in seconds or as a date.
 * Returns undefined if neither header contains a wait longer than 0.
 */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
	return (
		positive(numberOf(headers.get("retry-after-ms"))) ?? positive(waitOf(headers.get("retry-after"), now))
	);
}

function waitOf(value: string | null, now: number): number {
	const text = value?.trim() ?? "";
	return HTTP_DATE.test(text) ? Date.parse(text) - now : numberOf(text) * 1000;
}

function numberOf(value: string | null): number {
	const text = value?.trim() ?? "";
	return SECONDS.test(text) ? Number(text) : Number.NaN;
}

function positive(ms: number): number | undefined {
	return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}

/** Object of unknown origin. Its properties may have any type. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null;
}
