import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { Controls } from "../controls/controls.ts";
import { type ConversationState, emptyConversation, reduceConversation } from "./conversation.ts";
import type { RecordedEvent, Scene } from "./vocabulary/reducer.ts";

const scene: Scene = {
	session: "sess_1",
	controls: new Controls("secret"),
	platform: {
		limits: {
			post: 2000,
			postsPerAnswer: 5,
			buttonLabel: 75,
			controlsPerRow: 5,
			controlRows: 5,
			options: 25,
			optionText: 100,
			threadName: 100,
			form: { fields: 5, name: 98, text: 4000 },
		},
		moment: (at, style) => `${style} ${at}`,
		person: (id) => `person ${id}`,
		command: (name) => `/${name}`,
	},
};

const userMessage: RecordedEvent = {
	seq: 1,
	at: 1000,
	event: {
		type: "event",
		event: "user.message",
		session_id: "sess_1",
		seq: 1,
		payload: { content: "hi", run_id: "r1" },
	},
};

test("each reducer has its own state, and the same event returns the same result twice", () => {
	const step = reduceConversation(emptyConversation, userMessage, scene);
	expect(step.state).toEqual({ ...emptyConversation, answers: step.state.answers });
	expect(step.state.answers.open.map(({ id }) => id)).toEqual(["r1"]);
	expect(step.operations).toEqual([{ type: "show", lane: "milestone", text: "> From the terminal: hi" }]);
	expect(reduceConversation(emptyConversation, userMessage, scene)).toEqual(step);
	expect(parseJson(JSON.stringify(step.state))).toEqual(step.state);
});

function deletedAt(at: number): RecordedEvent {
	const event = {
		type: "event",
		event: "session.deleted",
		session_id: "sess_1",
		seq: 9,
		payload: {},
	} as const;
	return { seq: 9, at, event };
}

test("a deletion is posted after recent activity or with open work", () => {
	const day = 24 * 3_600_000;
	const notice = {
		type: "show",
		lane: "milestone",
		state: "closed",
		text: "This conversation was deleted. Your next message starts a new one.",
	};
	const reduced = (state: ConversationState, event: RecordedEvent) => reduceConversation(state, event, scene);
	const { state: opened } = reduced(emptyConversation, userMessage);
	const { state: answered } = reduced(opened, {
		seq: 2,
		at: 2000,
		event: {
			type: "event",
			event: "assistant.message",
			session_id: "sess_1",
			seq: 2,
			payload: { content: "hello", run_id: "r1", error: "", context: { model: "offline" } },
		},
	});
	expect(reduced(emptyConversation, deletedAt(1000)).operations).toEqual([]);
	expect(reduced(opened, deletedAt(1000 + 9 * day)).operations).toEqual([notice]);
	expect(reduced(answered, deletedAt(1999 + day)).operations).toEqual([notice]);
	expect(reduced(answered, deletedAt(2000 + day)).operations).toEqual([]);
	expect(reduced(opened, deletedAt(1000)).state).toEqual(emptyConversation);
});
