import { expect, test } from "vitest";
import { RequestFrame, ServerFrame } from "./frame.ts";

test("a request may lack params or have null, and unknown keys are dropped", () => {
	const bare = { type: "req", id: "req-1", method: "accept_all_tools" };
	expect(RequestFrame.parse(bare)).toEqual({ ...bare, params: {} });
	expect(RequestFrame.parse({ ...bare, params: null, session_id: null, later: 1 })).toEqual({
		...bare,
		params: {},
	});
	expect(RequestFrame.parse({ ...bare, session_id: "sess_1" }).session_id).toBe("sess_1");
});

test.each([
	["a numeric id", { type: "req", id: 1, method: "m" }, "id"],
	["an empty id", { type: "req", id: "", method: "m" }, "id"],
	["an id of 129 characters", { type: "req", id: "i".repeat(129), method: "m" }, "id"],
	["no method", { type: "req", id: "1" }, "method"],
	["a method of 65 characters", { type: "req", id: "1", method: "m".repeat(65) }, "method"],
	["params that are an array", { type: "req", id: "1", method: "m", params: [] }, "params"],
	["another type", { type: "res", id: "1", method: "m" }, "type"],
])("a request with %s is refused", (_name, frame, key) => {
	expect(RequestFrame.safeParse(frame).error?.issues[0]?.path[0]).toBe(key);
});

test("a server frame is a success with an id, a failure with an error, or an event with a seq", () => {
	const frames = [
		{ type: "res", id: "1", ok: true, payload: [] },
		{ type: "res", ok: false, error: "invalid frame" },
		{ type: "event", event: "later.event", session_id: "s", payload: { any: 1 }, seq: 3, transient: true },
	];
	for (const frame of frames) expect(ServerFrame.parse(frame)).toEqual(frame);
	expect(ServerFrame.safeParse({ type: "res", ok: true, payload: 1 }).success).toBe(false);
	expect(ServerFrame.safeParse({ type: "event", event: "a", payload: 1 }).success).toBe(false);
});

test("an event is written with the keys of the document first", () => {
	const frame = ServerFrame.parse({
		seq: 1,
		payload: {},
		session_id: "s",
		event: "session.created",
		type: "event",
	});
	expect(Object.keys(frame)).toEqual(["type", "event", "session_id", "payload", "seq"]);
});
