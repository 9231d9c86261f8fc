import { ParleyError } from "@parley/base";
import type { Recorded, RecordedEvent } from "@parley/core";
import { expect, test } from "vitest";
import { encodeFailure, encodeOzzieMessage, encodeOzzieSession, encodeSuccess } from "./codec.ts";

const usage = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 2, cacheWriteTokens: 1 };
const place = { sessionId: "sess_1", seq: 7 };
const recordedEvent = (event: RecordedEvent): Recorded => ({
	transient: false,
	id: "evt_1",
	at: 0,
	...place,
	event,
});

test("a success has a payload and no error, and a failure has an error and no payload", () => {
	expect(encodeSuccess("r1", [])).toEqual({ type: "res", id: "r1", ok: true, payload: [] });
	const reason = new ParleyError("session not found: x", { code: "not_found" });
	expect(encodeFailure("r1", reason)).toEqual({
		type: "res",
		id: "r1",
		ok: false,
		error: "session not found: x",
	});
	expect(Object.keys(encodeFailure(undefined, reason))).toEqual(["type", "ok", "error"]);
});

test.each<[ParleyError["code"], string, string]>([
	["invalid_argument", "content: must not be blank", "invalid params: content: must not be blank"],
	["invalid_argument", "invalid params", "invalid params"],
	[
		"permission_denied",
		"the observer does not have the permission session.write",
		"forbidden: the observer does not have the permission session.write",
	],
	["unauthenticated", "the provider refused the key", "forbidden: the provider refused the key"],
	["not_found", "prompt not found", "prompt not found"],
	[
		"resource_exhausted",
		"session busy: the message was not queued, because 32 messages are already waiting; try again later",
		"session busy: the message was not queued, because 32 messages are already waiting; try again later",
	],
	["resource_exhausted", "rate limited", "rate limited"],
	["resource_exhausted", "the disk is full", "session busy: the disk is full"],
	["deadline_exceeded", "no reply in 60 s", "session busy: no reply in 60 s"],
	["not_found", "no such file", "not available: no such file"],
	["failed_precondition", "nothing was said yet", "not available: nothing was said yet"],
	["failed_precondition", "seq not available: 9", "seq not available: 9"],
	["unavailable", "draining", "draining"],
	["unavailable", "the store could not commit", "the store could not commit"],
	["unavailable", "the device could not read", "session busy: the device could not read"],
	["unimplemented", "unknown method: x", "unknown method: x"],
	["internal", "the key is 7", "internal error"],
	["data_loss", "row 7 is torn", "internal error"],
])("%s, %j is sent as %j", (code, message, error) => {
	expect(encodeFailure("r1", new ParleyError(message, { code }))).toMatchObject({ error });
});

test("an unexpected error shows no details to the client", () => {
	expect(encodeFailure("r1", new TypeError("x is not a function"))).toMatchObject({
		error: "internal error",
	});
});

test("a listed session has its times as text, and its external key and model if it has them", () => {
	const session = {
		id: "sess_1",
		externalKey: undefined,
		title: "t",
		rootDir: "/srv",
		status: "active" as const,
		lastSeq: 9,
		messageCount: 4,
		usage,
		model: undefined,
		profile: "default",
		createdAt: 0,
		updatedAt: 1000,
		cost: 0,
		state: "idle" as const,
	};
	const listed = {
		session_id: "sess_1",
		title: "t",
		status: "active",
		root_dir: "/srv",
		message_count: 4,
		created_at: "1970-01-01T00:00:00.000Z",
		updated_at: "1970-01-01T00:00:01.000Z",
		last_seq: 9,
		profile: "default",
		state: "idle",
	};
	expect(encodeOzzieSession(session)).toEqual(listed);
	expect(encodeOzzieSession({ ...session, externalKey: "k" })).toEqual({ ...listed, external_key: "k" });
	expect(encodeOzzieSession({ ...session, model: "m" })).toEqual({ ...listed, model: "m" });
});

test("messages have a role, a text, a time and a number; other events are not messages", () => {
	const ended = {
		type: "assistant.message",
		runId: "run_1",
		content: "",
		error: "",
		model: "",
		usage,
	} as const;
	const at = { ts: "1970-01-01T00:00:00.000Z", seq: 7 };
	expect(encodeOzzieMessage(recordedEvent({ type: "user.message", runId: "run_1", content: "hi" }))).toEqual([
		{ role: "user", content: "hi", ...at },
	]);
	expect(
		encodeOzzieMessage(recordedEvent({ type: "user.message", runId: "r2", content: "hi", retryOf: "r1" })),
	).toEqual([]);
	expect(encodeOzzieMessage(recordedEvent({ ...ended, content: "ho", error: "cancelled" }))).toEqual([
		{ role: "assistant", content: "ho", ...at },
	]);
	expect(encodeOzzieMessage(recordedEvent({ ...ended, error: "cancelled" }))).toEqual([
		{ role: "assistant", content: "[cancelled]", ...at },
	]);
	expect(encodeOzzieMessage(recordedEvent({ type: "session.closed" }))).toEqual([]);
	const importedRun = { type: "user.message", runId: "run_1", imported: true } as const;
	expect(encodeOzzieMessage(recordedEvent({ ...importedRun, content: "hi" }))).toEqual([
		{ role: "user", content: "hi", ...at, imported: true },
	]);
	expect(encodeOzzieMessage(recordedEvent({ ...importedRun, content: "" }))).toEqual([]);
});
