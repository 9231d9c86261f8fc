import { expect, test } from "vitest";
import type { ModelError } from "../../vocabulary/model-error.ts";
import { connectionError, eventError, statusError } from "./errors.ts";

const facts = { host: "api.example.org", model: "claude-x", now: Date.UTC(2026, 0, 1) };

const errorBody = (message: string) =>
	JSON.stringify({ type: "error", error: { type: "some_error", message } });
const summary = ({ fault, message }: ModelError) => [fault, message];

test.each([
	[
		301,
		"rejected",
		"api.example.org answered with a redirect (301), which is not followed: check the base URL",
	],
	[400, "rejected", "api.example.org refused the request (400); change the request, or choose another model"],
	[401, "unauthenticated", "api.example.org does not accept the API key: check ANTHROPIC_API_KEY"],
	[402, "rejected", "api.example.org requires payment: check the account's billing"],
	[
		403,
		"rejected",
		'api.example.org refuses access to "claude-x": check the key and its permissions, or choose another model',
	],
	[
		404,
		"rejected",
		'api.example.org has no model "claude-x", or no Messages API: check the model and the base URL',
	],
	[407, "rejected", "the proxy for api.example.org requires credentials: add them to the URL of the proxy"],
	[408, "overloaded", "api.example.org cannot answer now (408)"],
	[
		413,
		"rejected",
		"the request is too large for api.example.org: shorten the conversation or send smaller images",
	],
	[422, "rejected", "api.example.org refused the request (422); change the request, or choose another model"],
	[429, "rate-limited", "api.example.org rejects more requests for now (rate limit)"],
	[500, "overloaded", "api.example.org cannot answer now (500)"],
	[501, "rejected", "api.example.org refused the request (501); change the request, or choose another model"],
	[502, "overloaded", "api.example.org cannot answer now (502)"],
	[503, "overloaded", "api.example.org cannot answer now (503)"],
	[504, "overloaded", "api.example.org cannot answer now (504)"],
	[529, "overloaded", "api.example.org cannot answer now (529)"],
])("status %i becomes the fault %s", (status, fault, message) => {
	expect(summary(statusError(status, new Headers(), "", facts))).toEqual([fault, message]);
});

test.each([
	[400, "invalid_request_error", true],
	[413, "request_too_large", true],
	[400, "billing_error", false],
	[402, "billing_error", false],
	[403, "permission_error", false],
	[404, "not_found_error", false],
	[401, "authentication_error", false],
	[429, "rate_limit_error", false],
	[529, "overloaded_error", false],
])("the status decides whether the content of the request is refused: %i, %s", (status, type, refused) => {
	const error = { type, message: "so it is" };
	const body = { type: "error", error };
	expect(statusError(status, new Headers(), JSON.stringify(body), facts).refusesContent).toBe(refused);
	expect(eventError(body, undefined, facts).refusesContent).toBe(refused);
});

test("without a known error type, the status decides whether the content of the request is refused", () => {
	const body = JSON.stringify({ error: { type: "BadRequest", message: "no" } });
	expect(statusError(400, new Headers(), body, facts).refusesContent).toBe(true);
	const refusing = [301, 400, 401, 402, 403, 404, 407, 413, 422, 429, 500, 501].filter(
		(status) => statusError(status, new Headers(), "<html>", facts).refusesContent,
	);
	expect(refusing).toEqual([400, 413]);
	expect(connectionError(new Error("Proxy response (407)"), facts).refusesContent).toBe(false);
});

test("the error contains the time to wait", () => {
	const headers = new Headers({ "retry-after": "7" });
	expect(statusError(429, headers, "", facts)).toMatchObject({
		retryAfterMs: 7000,
		code: "resource_exhausted",
	});
	expect(statusError(529, headers, "", facts)).toMatchObject({ retryAfterMs: 7000, code: "unavailable" });
});

test.each([
	["a message", errorBody("max_tokens: must be positive"), ": max_tokens: must be positive"],
	["a message of a server of another kind", '{"error":"model not loaded"}', ": model not loaded"],
	["lines and controls", errorBody("one\n\n two\u001b[31m\u202e"), ": one two\\u{1b}[31m\\u{202e}"],
	["a sentence", errorBody("The model is not loaded."), ": The model is not loaded"],
	["a text with an ellipsis", errorBody("loading..."), ": loading..."],
	["a page", "<html><body>Bad <b>gateway</b></body></html>", ""],
	["JSON that is no object", '"oops"', ""],
	["a message that is not a text", '{"error":{"message":{"a":1}}}', ""],
	["nothing", "", ""],
])("the explanation of a provider is reported on one line, and never a body: %s", (_name, body, expected) => {
	expect(statusError(400, new Headers(), body, facts).message).toBe(
		`api.example.org refused the request (400)${expected}; change the request, or choose another model`,
	);
});

test("the message of a provider has no full stop before an addition of the caller", () => {
	const body = errorBody("The server is overloaded. Wait.");
	expect(statusError(529, new Headers(), body, facts).message).toBe(
		"api.example.org cannot answer now (529): The server is overloaded. Wait",
	);
});

test("a long message of a provider is cut", () => {
	const { message } = statusError(400, new Headers(), errorBody("x".repeat(10_000)), facts);
	expect(message).toHaveLength(
		"api.example.org refused the request (400): ; change the request, or choose another model".length + 300,
	);
	expect(message).toContain("x…;");
});

test.each([
	["overloaded_error", "overloaded"],
	["api_error", "overloaded"],
	["timeout_error", "overloaded"],
	["rate_limit_error", "rate-limited"],
	["authentication_error", "unauthenticated"],
	["permission_error", "rejected"],
	["invalid_request_error", "rejected"],
	["not_found_error", "rejected"],
	["request_too_large", "rejected"],
	["something_new", "overloaded"],
	["constructor", "overloaded"],
])("an error event of type %s is %s", (type, fault) => {
	const error = eventError({ type: "error", error: { type, message: "so it is" } }, undefined, facts);
	expect(error.fault).toBe(fault);
	expect(error.message).toMatch(/: so it is(?:$|; change the request)/);
});

test("an error event without a message is a failure, too", () => {
	for (const body of [undefined, null, "oops", {}, { error: "oops" }]) {
		expect(summary(eventError(body, undefined, facts))).toEqual([
			"overloaded",
			"api.example.org cannot answer now",
		]);
	}
});

const failed = (cause: object) => new TypeError("fetch failed", { cause });
const errno = (code: string, message = "") => Object.assign(new Error(message), { code });

test.each([
	[
		"a name that is unknown",
		errno("ENOTFOUND"),
		"unreachable",
		"cannot reach api.example.org (ENOTFOUND): check the network and the base URL",
	],
	[
		"a closed port",
		errno("ECONNREFUSED"),
		"unreachable",
		"cannot reach api.example.org (ECONNREFUSED): check the network and the base URL",
	],
	[
		"a closed port at each address",
		new AggregateError([errno("ECONNREFUSED")], "all of them failed"),
		"unreachable",
		"cannot reach api.example.org (ECONNREFUSED): check the network and the base URL",
	],
	[
		"a certificate",
		errno("DEPTH_ZERO_SELF_SIGNED_CERT"),
		"unreachable",
		"cannot reach api.example.org (DEPTH_ZERO_SELF_SIGNED_CERT): check the network and the base URL",
	],
	[
		"a connection that is not made in time",
		errno("UND_ERR_CONNECT_TIMEOUT"),
		"unreachable",
		"cannot reach api.example.org (UND_ERR_CONNECT_TIMEOUT): check the network and the base URL",
	],
	[
		"TLS that is interrupted",
		errno("ECONNRESET", "socket disconnected before secure TLS connection was established"),
		"unreachable",
		"cannot reach api.example.org (ECONNRESET): check the network and the base URL",
	],
	[
		"something else",
		new Error("bad port"),
		"unreachable",
		"cannot reach api.example.org: check the network and the base URL",
	],
	["a reset", errno("ECONNRESET"), "interrupted", "the connection to api.example.org was interrupted"],
	[
		"a closed socket",
		errno("UND_ERR_SOCKET"),
		"interrupted",
		"the connection to api.example.org was interrupted",
	],
	[
		"a response that is not HTTP",
		Object.assign(new Error("expected HTTP/"), { name: "HTTPParserError" }),
		"interrupted",
		"the connection to api.example.org was interrupted",
	],
	[
		"no HTTP",
		errno("HPE_INVALID_CONSTANT"),
		"interrupted",
		"the connection to api.example.org was interrupted",
	],
	[
		"headers that do not arrive",
		errno("UND_ERR_HEADERS_TIMEOUT"),
		"timeout",
		"api.example.org took too long to answer",
	],
	[
		"a proxy",
		errno("UND_ERR_ABORTED", "Proxy response (407) !== 200 when HTTP Tunneling"),
		"rejected",
		"the proxy for api.example.org requires credentials: add them to the URL of the proxy",
	],
	[
		"a proxy that refuses the request",
		errno("UND_ERR_ABORTED", "Proxy response (403) !== 200 when HTTP Tunneling"),
		"rejected",
		"the proxy blocks requests to api.example.org (403): check the rules of the proxy, or NO_PROXY",
	],
	[
		"a proxy that cannot reach the server",
		errno("UND_ERR_ABORTED", "Proxy response (502) !== 200 when HTTP Tunneling"),
		"unreachable",
		"the proxy cannot reach api.example.org (502): check the network of the proxy and the base URL",
	],
	[
		"a proxy that closes the connection",
		errno("UND_ERR_SOCKET", "other side closed before secure TLS connection"),
		"unreachable",
		"cannot reach api.example.org (UND_ERR_SOCKET): check the network and the base URL",
	],
])("a request without a response has an error with the cause: %s", (_name, cause, fault, message) => {
	expect(summary(connectionError(failed(cause), facts))).toEqual([fault, message]);
});

test("a cycle of error causes ends", () => {
	const one = new Error("one");
	one.cause = new Error("two", { cause: one });
	expect(connectionError(one, facts).fault).toBe("unreachable");
});

test.each([
	[
		400,
		{ code: 400, status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] },
		"unauthenticated",
		/API key/,
	],
	[429, { code: "insufficient_quota" }, "rejected", /billing/],
	[400, { code: "context_length_exceeded", type: "invalid_request_error" }, "rejected", /too large/],
	[500, { code: "insufficient_quota" }, "overloaded", /500/],
])(
	"status %i with the error %j of another provider becomes the fault %s",
	(status, error, fault, message) => {
		const found = statusError(status, new Headers(), JSON.stringify({ error }), facts);
		expect(found).toMatchObject({ fault, message: expect.stringMatching(message) });
		// Gemini returns errors as a list if the request asked for a stream.
		const listed = statusError(status, new Headers(), JSON.stringify([{ error }]), facts);
		expect(listed).toMatchObject({ fault, message: found.message });
	},
);

test.each([
	["7s", 7_000],
	["1.5s", 1_500],
	["0s", undefined],
	["soon", undefined],
	[7, undefined],
])("the wait %j in the details of an error becomes %j ms", (retryDelay, retryAfterMs) => {
	const error = { code: 429, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] };
	expect(statusError(429, new Headers(), JSON.stringify({ error }), facts).retryAfterMs).toBe(retryAfterMs);
});

test.each([
	[{ code: 429, status: "RESOURCE_EXHAUSTED" }, "rate-limited"],
	[{ code: "server_error" }, "overloaded"],
	[{ status: "UNAUTHENTICATED" }, "unauthenticated"],
	[{ type: "sparkle" }, "overloaded"],
	[{ code: "400", type: "sparkle" }, "rejected"],
	[{ code: 400, type: "BadRequestError" }, "rejected"],
	[{ code: "sparkle", status: 503 }, "overloaded"],
	[{ code: "toString", status: "constructor" }, "overloaded"],
	[{ code: "vector_store_timeout" }, "overloaded"],
	[{ type: "invalid_request_error", code: "rate_limit_exceeded" }, "rate-limited"],
	[{ code: 400, status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }, "unauthenticated"],
	[{ code: "model_not_found" }, "rejected"],
])("an error %j within a stream becomes the fault %s", (error, fault) => {
	expect(eventError({ error }, undefined, facts).fault).toBe(fault);
});

test.each([
	...[
		"context_length_exceeded",
		"invalid_prompt",
		"invalid_image",
		"invalid_image_format",
		"invalid_base64_image",
	],
	...["invalid_image_url", "image_too_large", "image_too_small", "image_parse_error", "invalid_image_mode"],
	...[
		"image_content_policy_violation",
		"image_file_too_large",
		"unsupported_image_media_type",
		"empty_image_file",
	],
	...["failed_to_download_image", "image_file_not_found"],
])("a refusal with the code %s is the same within a stream and as status 400", (code) => {
	const error = { type: "error", code, message: "so it is" };
	const within = eventError({ error }, undefined, facts);
	const status = statusError(400, new Headers(), JSON.stringify({ error }), facts);
	const refused = { fault: "rejected", refusesContent: true };
	expect(within).toMatchObject(refused);
	expect(status).toMatchObject(refused);
	expect(within.message).toBe(status.message.replace(" (400)", ""));
});

test("a message names the API of the server", () => {
	const { message } = statusError(404, new Headers(), "", { ...facts, api: "Gemini API" });
	expect(message).toMatch(/or no Gemini API: check the model/);
});
