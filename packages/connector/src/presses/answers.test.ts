import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import type { AnswersSlice } from "../conversation/answers/runs.ts";
import { emptyConversation } from "../conversation/conversation.ts";
import type { HandledEvent, HandlerContext } from "../rooms/handler-context.ts";
import { pressesOfAnswers } from "./answers.ts";

type Kind = keyof typeof pressesOfAnswers;

const room = { tenant: "111", channel: "5", shared: false, kind: "channel" } as const;
const person = { id: "42", name: "Ada", roles: [], guest: false, bot: false };
const behalf = { actor: { id: "42" }, place: { tenant: "111" } };

function press(fields: Record<string, string> = {}): HandledEvent<"press"> {
	const event = { type: "press", room, person, at: 0, control: "c", values: [], fields } as const;
	return { event: { ...event, values: [] }, key: "press-1" };
}

interface Situation {
	readonly answers?: AnswersSlice;
	readonly edited?: string;
	readonly fields?: Record<string, string>;
	/** Responses of the gateway, in order. */
	readonly results?: readonly unknown[];
}

async function pressed(
	kind: Kind,
	situation: Situation,
): Promise<{ text: string | undefined; sent: unknown[] }> {
	const { answers, edited, fields, results = [] } = situation;
	const sent: unknown[] = [];
	const rest = [...results];
	const parts: Partial<HandlerContext> = {
		onBehalf: (who, where) => {
			expect([who, where]).toEqual([person, room]);
			return behalf as unknown as ReturnType<HandlerContext["onBehalf"]>;
		},
		session: (session) => answers && { session, room, state: { ...emptyConversation, answers } },
		editedText: async () => edited,
		gateway: {
			request: async (method, params, options) => {
				sent.push([method, params, options]);
				const result = rest.shift();
				if (result instanceof Error) throw result;
				return result as never;
			},
		},
	};
	const context = parts as HandlerContext;
	const target = { kind, session: "sess_1", subject: kind === "rerun" ? "m1" : "r1" };
	const reply = await pressesOfAnswers[kind](context, press(fields), target);
	return { text: reply?.text, sent };
}

const sent = { status: "sent", run_id: "r9" };
const target = { sessionId: "sess_1" };
const firstRun = { id: "r1", message: "m1", author: { id: "discord:111:42", name: "Ada" } };
const answered: AnswersSlice = { open: [], ended: [firstRun], newest: "r1" };
const atWork: AnswersSlice = { open: [{ ...firstRun, about: "" }], ended: [], newest: "r1" };
const ofBob: AnswersSlice = {
	open: [],
	ended: [{ ...firstRun, author: { id: "discord:111:142", name: "Bob" } }],
};

test.each<[Kind, Situation, string, readonly [method: string, params: object][]]>([
	[
		"stop" as const,
		{ results: [{ status: "cancelled" }] },
		"Stopped." as const,
		[["cancel_turn", { run_id: "r1", key: "press-1" }]],
	],
	[
		"stop" as const,
		{ results: [{ status: "idle" }] },
		"This request had already ended." as const,
		[["cancel_turn", { run_id: "r1", key: "press-1" }]],
	],
	[
		"join" as const,
		{ results: [{ status: "joined", run_id: "r0" }] },
		"Added to the running request." as const,
		[["join_turn", { run_id: "r1", key: "press-1" }]],
	],
	[
		"join" as const,
		{ results: [{ status: "queued", run_id: "r1" }] },
		"The running request cannot accept this message. The message stays in the queue." as const,
		[["join_turn", { run_id: "r1", key: "press-1" }]],
	],
	[
		"join" as const,
		{ results: [{ status: "begun", run_id: "r1" }] },
		"This message is no longer in the queue." as const,
		[["join_turn", { run_id: "r1", key: "press-1" }]],
	],
	[
		"again" as const,
		{ answers: answered, results: [sent] },
		"The new answer follows below." as const,
		[["retry", { key: "press-1" }]],
	],
	["again", { results: [sent] }, "The new answer follows below.", [["retry", { key: "press-1" }]]],
	[
		"again",
		{ answers: { ...answered, newest: "r2" } },
		"Only the latest answer can be repeated. Please send your message again instead.",
		[],
	],
	[
		"good" as const,
		{ results: [{}] },
		"Thank you for your feedback." as const,
		[["feedback", { run_id: "r1", rating: "good", key: "press-1" }]],
	],
	[
		"bad" as const,
		{ fields: { text: " " }, results: [{}] },
		"Thank you. The operator can read your feedback." as const,
		[["feedback", { run_id: "r1", rating: "bad", key: "press-1" }]],
	],
	[
		"bad" as const,
		{ fields: { text: " wrong\n" }, results: [{}] },
		"Thank you. The operator can read your feedback." as const,
		[["feedback", { run_id: "r1", rating: "bad", comment: "wrong", key: "press-1" }]],
	],
	[
		"rerun",
		{ answers: answered, edited: "changed", results: [sent] },
		"I am working on the edited message.",
		[["send_message", { content: "changed", correlation_id: "m1", key: "press-1" }]],
	],
	[
		"rerun",
		{
			answers: atWork,
			edited: "changed",
			results: [{ ...sent, queued_position: 1 }, { status: "cancelled" }],
		},
		"The edited message is in the queue.",
		[
			["send_message", { content: "changed", correlation_id: "m1", key: "press-1" }],
			["cancel_turn", { run_id: "r1", key: "press-1/r1" }],
		],
	],
	[
		"rerun",
		{
			answers: { ...atWork, open: [{ ...firstRun, id: "r9", about: "" }] },
			edited: "changed",
			results: [sent],
		},
		"I am working on the edited message.",
		[["send_message", { content: "changed", correlation_id: "m1", key: "press-1" }]],
	],
	["rerun", { answers: answered }, "I no longer have the text of that message. Please send it again.", []],
	["rerun", { answers: ofBob, edited: "changed" }, "Only the author of that message can send it again.", []],
])("%s with %j gets the response %j", async (kind, situation, text, requests) => {
	expect(await pressed(kind, situation)).toEqual({
		text,
		sent: requests.map(([method, params]) => [method, { ...params, ...behalf }, target]),
	});
});

test("a request for another answer during a run is refused, so that it blocks nothing", async () => {
	const busy = new ParleyError("session busy: a run is at work", { code: "resource_exhausted" });
	const { text } = await pressed("again", { answers: answered, results: [busy] });
	expect(text).toBe("I am still busy here. Please try again in a moment.");
});

test.each(["stop", "again", "good", "bad", "rerun"] as const)(
	"%s passes on a refusal of the gateway",
	async (kind) => {
		const refused = new ParleyError("forbidden: only members can start tasks: ask the operator", {
			code: "permission_denied",
		});
		await expect(pressed(kind, { edited: "changed", results: [refused] })).rejects.toBe(refused);
	},
);
