import { expect, test } from "vitest";
import type { EventFrame } from "../frame.ts";
import { Cursor } from "./session-reader.ts";

function persisted(seq: number, event = "user.message", payload: unknown = {}): EventFrame {
	return { type: "event", event, session_id: "s", payload, seq };
}

function prompt(seq: number, token: string): EventFrame {
	const payload = { type: "confirm", label: "run ls", token, required: true, options: [], default: null };
	return persisted(seq, "prompt.request", { ...payload, placeholder: "", validation: "", context: {} });
}

test("frames in order are new, known ones are repeats, and a jump is a gap that changes nothing", () => {
	const cursor = new Cursor(4);
	expect(cursor.advance(persisted(5))).toBe("new");
	expect(cursor.advance(persisted(5))).toBe("repeat");
	expect(cursor.advance(persisted(3))).toBe("repeat");
	expect(cursor.advance(persisted(7))).toBe("gap");
	expect(cursor.last).toBe(5);
	expect(cursor.advance(persisted(6))).toBe("new");
});

test("transient frames pass and do not change the cursor", () => {
	const cursor = new Cursor(4);
	for (const seq of [4, 4, 3]) expect(cursor.advance({ ...persisted(seq), transient: true })).toBe("new");
	expect(cursor.last).toBe(4);
});

test("an open prompt from before the start is new once", () => {
	const cursor = new Cursor(9);
	expect(cursor.advance(prompt(6, "p1"))).toBe("new");
	expect(cursor.advance(prompt(6, "p1"))).toBe("repeat");
	expect(cursor.last).toBe(9);
});

test("an open prompt that is shown again after it was received is a repeat", () => {
	const cursor = new Cursor(0);
	expect(cursor.advance(prompt(1, "p1"))).toBe("new");
	expect(cursor.advance(prompt(1, "p1"))).toBe("repeat");
	expect(cursor.advance({ ...prompt(1, "p1"), transient: true })).toBe("repeat");
	expect(cursor.advance(persisted(2, "prompt.closed", { token: "p1", reason: "answered" }))).toBe("new");
	expect(cursor.advance(prompt(1, "p1"))).toBe("repeat");
});
