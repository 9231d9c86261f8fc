import { expect, test } from "vitest";
import { decodeRequest, encodeFailure } from "./codec.ts";

function refusalOf(text: string): { id: string | undefined; error: string } {
	const decoded = decodeRequest(text);
	if (decoded.kind === "request") throw new Error(`taken for a request: ${text}`);
	const frame = encodeFailure(decoded.id, decoded.reason);
	return { id: frame.id, error: frame.ok ? "" : frame.error };
}

const request = (fields: object): string =>
	JSON.stringify({ type: "req", id: "r1", method: "send_message", params: { content: "hi" }, ...fields });

test("a request becomes its method with checked parameters", () => {
	expect(decodeRequest(request({}))).toEqual({
		kind: "request",
		request: {
			id: "r1",
			method: "send_message",
			sessionId: undefined,
			params: { content: "hi", key: undefined },
			onBehalf: {},
		},
	});
});

test.each([
	["params absent", '{"type":"req","id":"r1","method":"accept_all_tools"}'],
	["params null", '{"type":"req","id":"r1","method":"accept_all_tools","params":null,"session_id":null}'],
	["params empty", '{"type":"req","id":"r1","method":"accept_all_tools","params":{}}'],
	["unknown keys", '{"type":"req","id":"r1","method":"accept_all_tools","params":{"x":1},"y":[2]}'],
])("a request may have its %s", (_, text) => {
	expect(decodeRequest(text)).toMatchObject({
		kind: "request",
		request: { id: "r1", method: "accept_all_tools", params: {}, sessionId: undefined },
	});
});

test("the session can be named next to the parameters or in them, and is never dropped", () => {
	const named = (fields: object): string | undefined => {
		const decoded = decodeRequest(request(fields));
		if (decoded.kind === "refused") throw decoded.reason;
		return decoded.request.sessionId;
	};
	const params = { content: "hi", session_id: "sess_a" };
	expect(named({ params })).toBe("sess_a");
	expect(named({ params, session_id: "sess_a" })).toBe("sess_a");
	expect(named({ params: { content: "hi", session_id: null }, session_id: "sess_b" })).toBe("sess_b");
	expect(named({ method: "load_messages", params: { session_id: "sess_a" }, session_id: "sess_b" })).toBe(
		"sess_b",
	);
	expect(refusalOf(request({ params, session_id: "sess_b" })).error).toBe(
		"invalid params: session_id: the request has two different ids, one in params and one outside; give only one of them",
	);
	expect(refusalOf(request({ params: { ...params, session_id: 7 } })).error).toMatch(
		/^invalid params: session_id: /,
	);
});

test("null means absent in every parameter, and unknown keys are dropped", () => {
	const params = { session_id: null, root_dir: null, after_seq: null, join: null, external_key: null, x: 1 };
	const decoded = decodeRequest(request({ method: "open_session", params }));
	if (decoded.kind === "refused") throw decoded.reason;
	expect(Object.values(decoded.request.params).filter((value) => value !== undefined)).toEqual([]);
	expect(decoded.request.params).not.toHaveProperty("x");
});

test.each([
	["", "invalid request: text is not JSON"],
	["hello", "invalid request: text is not JSON"],
	["{", "invalid request: text is not JSON"],
	["null", "invalid request: "],
	["[]", "invalid request: "],
	['"req"', "invalid request: "],
	["7", "invalid request: "],
	["{}", "invalid request: "],
	['{"type":"req","method":"list_sessions"}', "invalid request: id"],
	['{"type":"req","id":"","method":"list_sessions"}', "invalid request: id"],
	['{"type":"req","id":null,"method":"list_sessions"}', "invalid request: id"],
	[`{"type":"req","id":"${"i".repeat(129)}","method":"list_sessions"}`, "invalid request: id"],
	['{"type":"req","id":"r1","id":["r2"],"method":"list_sessions"}', "invalid request: id"],
	[
		`{"a":${"[".repeat(65)}${"]".repeat(65)}}`,
		"invalid request: JSON text contains more than 64 levels of lists and objects",
	],
	['{"__proto__":{"id":"r1"},"type":"req"}', 'invalid request: JSON text contains the key "__proto__"'],
	['{"type":"req","id":"\\ud800","method":"x"}', "invalid request: JSON text contains a string with a lone"],
	[
		'{"type":"req","id":"r1","method":"list_sessions","params":{"limit":1e999}}',
		"invalid request: JSON text",
	],
])("a frame without a valid id is refused without an id: %s", (text, error) => {
	const refusal = refusalOf(text);
	expect(refusal.id).toBeUndefined();
	expect(refusal.error).toContain(error);
	expect(refusal.error).not.toContain("undefined:");
});

test.each([
	[{ type: "res" }, "invalid request: type"],
	[{ type: "event" }, "invalid request: type"],
	[{ type: "REQ" }, "invalid request: type"],
	[{ type: undefined }, "invalid request: type"],
	[{ method: undefined }, "invalid request: method"],
	[{ method: "" }, "invalid request: method"],
	[{ method: 5 }, "invalid request: method"],
	[{ method: null }, "invalid request: method"],
	[{ params: [] }, "invalid params"],
	[{ params: "content" }, "invalid params"],
	[{ params: 5 }, "invalid params"],
	[{ session_id: 5 }, "invalid params: session_id"],
	[{ method: "nope" }, "unknown method: nope"],
	[{ method: "toString" }, "unknown method: toString"],
	[{ method: "constructor" }, "unknown method: constructor"],
])("%j is refused under its id", (fields, error) => {
	const refusal = refusalOf(request(fields));
	expect(refusal.id).toBe("r1");
	expect(refusal.error.startsWith(error)).toBe(true);
});

test.each([1, 0, -1.5, 1e300])("the numeric id %d is an invalid id", (id) => {
	expect(refusalOf(request({ id }))).toEqual({ id: undefined, error: "invalid id" });
});

test.each<[string, object, string]>([
	["send_message", {}, "content"],
	["send_message", { content: "" }, "content"],
	["send_message", { content: " \t\n\u00a0" }, "content"],
	["send_message", { content: 5 }, "content"],
	["send_message", { content: null }, "content"],
	["send_message", { content: "x", key: "" }, "key"],
	["send_message", { content: "x", key: "k".repeat(129) }, "key"],
	["open_session", { session_id: 5 }, "session_id"],
	["open_session", { after_seq: -1 }, "after_seq"],
	["open_session", { after_seq: 1.5 }, "after_seq"],
	["open_session", { after_seq: "1" }, "after_seq"],
	["open_session", { after_seq: 2 ** 60 }, "after_seq"],
	["open_session", { join: "yes" }, "join"],
	["open_session", { external_key: "" }, "external_key"],
	["open_session", { root_dir: ["/"] }, "root_dir"],
	["prompt_response", {}, "token"],
	["prompt_response", { token: "" }, "token"],
	["prompt_response", { token: "t", cancelled: "yes" }, "cancelled"],
	["prompt_response", { token: "t", values: "a" }, "values"],
	["prompt_response", { token: "t", values: [1] }, "values.0"],
	["cancel_turn", { queued: 1 }, "queued"],
	["steer", { content: "\n" }, "content"],
	["set_model", { model: 5 }, "model"],
	["set_model", {}, "model"],
	["usage", { since: "yesterday" }, "since"],
	["usage", { by: "hour" }, "by"],
	["set_budget", { scope: "user", period: "day", limit_usd: 1 }, "scope"],
	["set_budget", { scope: "gateway", period: "day", limit_usd: -1 }, "limit_usd"],
	["set_budget", { scope: "gateway", period: "day", limit_usd: "5" }, "limit_usd"],
	["set_budget", { scope: "gateway", period: "day" }, "limit_usd"],
	["list_sessions", { limit: 0 }, "limit"],
	["list_sessions", { limit: 1001 }, "limit"],
	["load_messages", { limit: 51 }, "limit"],
	["load_messages", { before: 0 }, "before"],
	["resume", {}, "sessions"],
	["resume", { sessions: [] }, "sessions"],
	["resume", { sessions: [{}] }, "sessions.0.session_id"],
])("%s with %j names the invalid field", (method, params, path) => {
	const { id, error } = refusalOf(request({ method, params }));
	expect(id).toBe("r1");
	expect(error.startsWith(`invalid params: ${path}: `)).toBe(true);
});

test("an id has the limits of the schema, so that each refusal has its id", () => {
	const id = "𝕴𝖉".repeat(33);
	expect(refusalOf(request({ id, method: "nope" }))).toEqual({ id, error: "unknown method: nope" });
});
