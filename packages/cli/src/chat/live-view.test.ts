import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { emptyEditor } from "../terminal/editor.ts";
import { event, listed } from "../testing/events.ts";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { Conversation } from "./conversation.ts";
import { type LiveState, liveView } from "./talk-at-terminal.ts";

const look = { columns: 40, styles: createStyles(false) };

function view(changes: Partial<LiveState>, terminalRows = 24) {
	const message = { ...emptyEditor(), text: "hi", cursor: 2 };
	const state = { conversation: new Conversation(), message, answer: undefined, notice: "", ...changes };
	return liveView(state, look, terminalRows);
}

function talking(...events: readonly Pick<OzzieEvent, "event" | "payload">[]): Conversation {
	const conversation = new Conversation();
	for (const one of events) {
		// True because the tests give names and payloads that belong together.
		conversation.apply({ type: "event", seq: 1, ...one } as OzzieEvent, look);
	}
	return conversation;
}

const said = (content: string) => ({ event: "user.message", payload: { content, run_id: "run" } }) as const;

test("at rest there is the line that is typed", () => {
	expect(view({})).toEqual({ rows: ["", "› hi"], cursor: { row: 1, column: 4 } });
});

test("a running turn shows the growing row, what waits, and how to stop it", () => {
	const delta = {
		event: "assistant.stream",
		payload: { phase: "delta", content: "some te", index: 0 },
	} as const;
	const conversation = talking(said("first"), said("second"), delta);
	conversation.send("third");
	expect(view({ conversation }).rows).toEqual([
		"some te",
		"",
		"  queued (1): second",
		"  sending: third",
		"working · Ctrl-C cancels",
		"› hi",
	]);
});

test("the progress of the list of steps is shown until the run ends", () => {
	const conversation = talking(said("first"));
	conversation.apply(listed("completed", "in_progress"), look);
	expect(view({ conversation }).rows.join("\n")).toMatch(/1\/2.*Change/);
	conversation.apply(event("assistant.message", { content: "done", error: "", context: {} }), look);
	expect(view({ conversation }).rows.join("\n")).not.toContain("Change");
});

test("what joins the running turn and why a model is asked again are shown", () => {
	const delta = {
		event: "assistant.stream",
		payload: { phase: "delta", content: "some te", index: 0 },
	} as const;
	const steered = { event: "user.message", payload: { content: "x", run_id: "run", steered: true } } as const;
	const retry = {
		event: "run.retrying",
		payload: { run_id: "run", reason: "busy", in_ms: 0, attempt: 1, model: "m" },
	} as const;
	expect(view({ conversation: talking(said("first"), delta, steered) }).rows).toContain(
		"  to the running turn: x",
	);
	expect(view({ conversation: talking(said("first"), retry) }).rows).toEqual([
		"",
		"busy · Ctrl-C cancels",
		"› hi",
	]);
});

test("of many waiting messages the first are shown", () => {
	const conversation = talking(...["a", "b", "c", "d", "e", "f"].map(said));
	expect(view({ conversation }).rows).toContain("  and 2 more");
});

test("an answer is typed under its question, a password unseen", () => {
	const conversation = talking({ event: "prompt.request", payload: askQuestion({ type: "password" }) });
	const answer = { ...emptyEditor(), text: "secret", cursor: 6 };
	expect(view({ conversation, answer }).rows).toEqual(["password (hidden) › ******"]);
});

test("a question waits for the message that is being typed", () => {
	const conversation = talking({ event: "prompt.request", payload: askQuestion({}) });
	expect(view({ conversation }).rows).toEqual(["", "a question is open: send your line or c…", "› hi"]);
});

test("a notice stands before what is going on", () => {
	expect(view({ conversation: talking(said("x")), notice: "lost" }).rows).toEqual(["", "lost", "› hi"]);
});

test("the view fits a low terminal", () => {
	const conversation = talking(...["a", "b", "c", "d"].map(said));
	const { rows, cursor } = view({ conversation }, 4);
	expect(rows).toEqual(["working · Ctrl-C cancels", "› hi"]);
	expect(cursor).toEqual({ row: 1, column: 4 });
});
