import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { Controls } from "../controls/controls.ts";
import { emptyConversation, tellConversation } from "./conversation.ts";
import type { Scene, Told } from "./part.ts";

const scene: Scene = {
	...{ session: "sess_1", controls: new Controls("secret") },
	platform: {
		limits: {
			...{ post: 2000, postsPerAnswer: 5, buttonLabel: 75, controlsPerRow: 5 },
			...{ options: 25, optionText: 100, threadName: 100 },
		},
		moment: (at, style) => `${style} ${at}`,
		person: (id) => `person ${id}`,
		command: (name) => `/${name}`,
	},
};

const said: Told = {
	...{ seq: 1, at: 1000 },
	event: {
		...{ type: "event", event: "user.message", session_id: "sess_1", seq: 1 },
		payload: { content: "hi", run_id: "r1" },
	},
};

test("each part remembers its own of an event, and the same event gives the same twice", () => {
	const step = tellConversation(emptyConversation, said, scene);
	expect(step.state).toEqual({ ...emptyConversation, answers: step.state.answers });
	expect(step.state.answers.open.map(({ id }) => id)).toEqual(["r1"]);
	expect(step.intentions).toEqual([{ type: "show", lane: "milestone", text: "> From the terminal: hi" }]);
	expect(tellConversation(emptyConversation, said, scene)).toEqual(step);
	expect(parseJson(JSON.stringify(step.state))).toEqual(step.state);
});
