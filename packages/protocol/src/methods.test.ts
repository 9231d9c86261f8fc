import { expect, test } from "vitest";
import { documentedMethods, type MethodName, methods, plannedMethods } from "./methods.ts";

function refusedAt(method: MethodName, params: object): unknown {
	return methods[method].params.safeParse(params).error?.issues[0]?.path.join(".");
}

test("null means absent for every optional parameter, and defaults hold", () => {
	const nulls = { session_id: null, after_seq: null, join: null, title: null, key: null };
	const opened = methods.open_session.params.parse(nulls);
	expect(Object.values(opened).filter((value) => value !== undefined)).toEqual([]);
	expect(methods.load_messages.params.parse({ limit: null })).toEqual({ limit: 10 });
	expect(methods.list_sessions.params.parse({})).toEqual({ limit: 50 });
	expect(methods.prompt_response.params.parse({ token: "t", value: null }).value).toBeUndefined();
});

test("a prompt answer keeps the difference between cancelled false and absent", () => {
	expect(methods.prompt_response.params.parse({ token: "t", cancelled: false }).cancelled).toBe(false);
	expect(methods.prompt_response.params.parse({ token: "t" }).cancelled).toBeUndefined();
});

test.each<[MethodName, object, string]>([
	["send_message", {}, "content"],
	["send_message", { content: null }, "content"],
	["send_message", { content: " \n\t" }, "content"],
	["send_message", { content: "a".repeat(1_048_577) }, "content"],
	["send_message", { content: "hi", key: "k".repeat(129) }, "key"],
	["open_session", { title: "t".repeat(201) }, "title"],
	["open_session", { external_key: "e".repeat(257) }, "external_key"],
	["open_session", { session_id: "s".repeat(129) }, "session_id"],
	["open_session", { after_seq: -1 }, "after_seq"],
	["open_session", { after_seq: 1.5 }, "after_seq"],
	["load_messages", { limit: 51 }, "limit"],
	["load_messages", { limit: 0 }, "limit"],
	["prompt_response", { token: "" }, "token"],
	["prompt_response", { token: "t", values: ["a", 1] }, "values.1"],
	["resume", { sessions: [] }, "sessions"],
	["resume", { sessions: Array.from({ length: 101 }, () => ({ session_id: "s" })) }, "sessions"],
	["resume", { sessions: [{ session_id: "" }] }, "sessions.0.session_id"],
])("%s refuses %j at %s", (method, params, path) => {
	expect(refusedAt(method, params)).toBe(path);
});

test("the longest allowed strings pass", () => {
	const longest = { title: "t".repeat(200), external_key: "e".repeat(256), session_id: "s".repeat(128) };
	expect(methods.open_session.params.safeParse(longest).success).toBe(true);
	expect(methods.send_message.params.safeParse({ content: "a".repeat(1_048_576) }).success).toBe(true);
});

test("no method is there and not there at once", () => {
	const names = [...Object.keys(methods), ...documentedMethods, ...plannedMethods];
	expect(new Set(names).size).toBe(names.length);
});
