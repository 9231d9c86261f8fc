import type { EventFrame } from "@parley/protocol";
import { expect, test } from "vitest";
import { check } from "./checker.ts";
import type { Outcome } from "./outcome.ts";

const session = "sess_1";

/** Frames of a run whose only call is approved and completed. */
const frameFixtures: readonly Pick<EventFrame, "event" | "payload">[] = [
	{ event: "session.created", payload: {} },
	{ event: "user.message", payload: { content: "run: echo m1 >> log\nsay: m1 done", run_id: "run_1" } },
	{
		event: "tool.call",
		payload: { status: "started", name: "run", arguments: { cmd: "echo m1 >> log" }, call_id: "c1" },
	},
	{ event: "prompt.request", payload: question("p1") },
	{ event: "prompt.response", payload: { token: "p1", value: true, cancelled: false, by: "operator" } },
	{ event: "tool.call", payload: { status: "completed", name: "run", result: "", call_id: "c1" } },
	{ event: "assistant.message", payload: { content: "m1 done", error: "", context: {} } },
];

function question(token: string): object {
	const context = { arguments: { cmd: "echo m1 >> log" } };
	return {
		type: "confirm",
		label: "?",
		token,
		required: true,
		options: [],
		default: null,
		placeholder: "",
		validation: "",
		context,
	};
}

/** Returns the fixtures as frames. `changes` overrides fields by sequence number, and `null` removes a frame. */
function frames(changes: Readonly<Record<number, object | null>> = {}): EventFrame[] {
	return frameFixtures.flatMap((part, index): EventFrame[] => {
		const change = changes[index + 1];
		if (change === null) return [];
		return [{ type: "event", session_id: session, seq: index + 1, ...part, ...change }];
	});
}

/** Returns a correct outcome, except for `changes`. */
function outcome(changes: Partial<Outcome> = {}, replayed: EventFrame[] = frames()): Outcome {
	return {
		messages: [
			{ id: "m1", session, content: "run: echo m1 >> log\nsay: m1 done", effects: ["m1"], acked: ["run_1"] },
		],
		views: [
			{ client: "ann", session, frames: replayed },
			{ client: "ben", session, frames: replayed },
		],
		replay: [{ client: "newcomer", session, frames: replayed }],
		pages: new Map([
			[
				session,
				replayed.flatMap(({ event, seq, payload }) => {
					const { content } = payload as { readonly content: string };
					if (event === "user.message") return [{ role: "user", content, seq }];
					return event === "assistant.message" ? [{ role: "assistant", content, seq }] : [];
				}),
			],
		]),
		effects: new Map([["m1", 1]]),
		kills: [],
		...changes,
	};
}

const interrupted = {
	status: "failed",
	name: "run",
	error: "interrupted, outcome unknown: …",
	call_id: "c1",
};

test("the checker reports no error if every promise is kept", () => {
	expect(check(outcome())).toEqual([]);
});

test("an interrupted call may have happened or not", () => {
	const shown = frames({ 6: { payload: interrupted } });
	const kills = [{ state: "tool running", by: "outside", interrupts: "m1" }] as const;
	expect(check(outcome({ kills }, shown))).toEqual([]);
	expect(check(outcome({ kills, effects: new Map() }, shown))).toEqual([]);
});

test("a message that was never acknowledged may be lost", () => {
	const unsure = { id: "m2", session, content: "say: m2 done", effects: [], acked: [] };
	expect(check(outcome({ messages: [...outcome().messages, unsure] }))).toEqual([]);
});

const validView = { client: "ann", session, frames: frames() };
const answerTwice = [
	...frames(),
	{ ...frameFixtures[6], type: "event", session_id: session, seq: 8 } as EventFrame,
];

const broken: Readonly<Record<string, readonly [Outcome, string]>> = {
	"a client that missed a frame": [
		outcome({ views: [{ client: "ann", session, frames: frames({ 4: null }) }] }),
		"ann got seq 5 of sess_1 at place 4",
	],
	"a client that got a frame twice": [
		outcome({ views: [{ ...validView, frames: [...frames(), ...frames().slice(-1)] }] }),
		"ann got seq 7 of sess_1 at place 8",
	],
	"one number with two contents": [
		outcome({
			views: [validView, { client: "ben", session, frames: frames({ 1: { event: "session.closed" } }) }],
		}),
		"seq 1 of sess_1 is session.created {} for ann, but session.closed {} for ben",
	],
	"a client that ends too early": [
		outcome({ views: [{ ...validView, frames: frames({ 7: null }) }] }),
		"ann ends with seq 6 of sess_1, which ends with 7",
	],
	"pages with other messages": [
		outcome({ pages: new Map([[session, [{ role: "user", content: "other", seq: 2 }]]]) }),
		"load_messages of sess_1 returns 1, shown are 2",
	],
	"an acknowledged message that is lost": [
		outcome({
			messages: [
				...outcome().messages,
				{
					...outcome().messages[0],
					id: "m2",
					content: "say: m2 done",
					acked: ["run_2"],
					effects: [],
					session,
				},
			],
		}),
		"m2 was acknowledged and is lost",
	],
	"an acknowledgement that names another run": [
		outcome({ messages: outcome().messages.map((message) => ({ ...message, acked: ["run_1", "run_9"] })) }),
		"m1 was acknowledged as another run",
	],
	"a message that was answered twice": [outcome({}, answerTwice), "m1 was answered 2 times"],
	"a message that was never answered": [outcome({}, frames({ 7: null })), "m1 was answered 0 times"],
	"a run that ended with an error": [
		outcome({}, frames({ 7: { payload: { content: "m1 done", error: "parked", context: {} } } })),
		"m1 ended with parked",
	],
	"a question that was settled twice": [
		outcome({}, [
			...frames(),
			{ ...frameFixtures[4], type: "event", session_id: session, seq: 8 } as EventFrame,
		]),
		"p1 of sess_1 was settled 2 times",
	],
	"a question that was never settled": [
		outcome({}, frames({ 5: { event: "session.closed", payload: {} } })),
		"p1 of sess_1 was settled 0 times",
	],
	"a call without an end": [
		outcome({}, frames({ 6: { event: "session.closed", payload: {} } })),
		"c1 of sess_1 went started",
	],
	"a call with two ends": [
		outcome({}, [
			...frames(),
			{ ...frameFixtures[5], type: "event", session_id: session, seq: 8 } as EventFrame,
		]),
		"c1 of sess_1 went started, completed, completed",
	],
	"an effect that happened twice": [outcome({ effects: new Map([["m1", 2]]) }), "m1 happened 2 times"],
	"a completed call without its effect": [
		outcome({ effects: new Map() }),
		"m1 is completed and happened 0 times",
	],
	"an effect without a call": [
		outcome({
			effects: new Map([
				["m1", 1],
				["m3", 1],
			]),
		}),
		"m3 happened without a report",
	],
	"a call that was left out": [
		outcome({ messages: outcome().messages.map((message) => ({ ...message, effects: ["m1", "m1-b"] })) }),
		"m1-b was never tried",
	],
	"a call that failed for another reason": [
		outcome({}, frames({ 6: { payload: { ...interrupted, error: "cancelled" } } })),
		"c1 of sess_1 failed: cancelled",
	],
	"an interrupted call that is reported as completed": [
		outcome({ kills: [{ state: "tool running", by: "outside", interrupts: "m1" }] }),
		"m1 was interrupted without a report",
	],
	"a kill of a call that is not reported": [
		outcome({ kills: [{ state: "tool done, not recorded", by: "failpoint" }] }),
		"1 kills hit a call, 0 calls are reported as interrupted",
	],
};

test.each(Object.entries(broken))("%s is found", (_, [title, problem]) => {
	expect(check(title)).toContain(problem);
});

test("a message that was accepted twice is reported", () => {
	const repeated = { type: "event", session_id: session, seq: 8, event: "user.message" } as const;
	const payload = { content: "run: echo m1 >> log\nsay: m1 done", run_id: "run_2" };
	expect(check(outcome({}, [...frames(), { ...repeated, payload }]))).toContain("m1 was accepted 2 times");
});
