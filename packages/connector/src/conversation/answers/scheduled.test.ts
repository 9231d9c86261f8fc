import type { OriginPayload } from "@parley/protocol";
import { expect, test } from "vitest";
import {
	type AnswerEvent,
	fires,
	lists,
	reduceAnswers,
	retries,
	says,
	under,
} from "../../testing/render-answers.ts";

const due = "1970-01-01T00:10:00.000Z";
const origin = (show: OriginPayload["show"], late = false): OriginPayload => ({
	entry_id: "sched_1",
	title: "Stand*up*",
	show,
	due_at: due,
	late,
});

function answers(show: OriginPayload["show"], content: string, error = "", late = false): AnswerEvent {
	return ["assistant.message", { content, run_id: "r1", error, context: {}, origin: origin(show, late) }];
}

const foot = "⏰ Stand\\*up\\*";
const entry = { entry_id: "sched_1", title: "Stand*up*" };

test.each<{ what: string; events: readonly AnswerEvent[]; shown: readonly string[] }>([
	{
		what: "the answer of a schedule is a post that names it",
		events: [...fires("r1", origin("post")), answers("post", "All is well")],
		shown: [`final: All is well ~ ${foot} ${under("r1")}`],
	},
	{
		what: "a late answer says when it was due",
		events: [...fires("r1", origin("post", true)), answers("post", "All is well", "", true)],
		shown: [`final: All is well ~ ${foot} · late, was due ago 600000 ${under("r1")}`],
	},
	{
		what: "a thread of its own holds the answer",
		events: [...fires("r1", origin("thread")), answers("thread", "All is well")],
		shown: [
			"milestone schedule:r1: ⏰ **Stand\\*up\\***",
			"thread of schedule:r1: Stand*up*",
			`final in schedule:r1: All is well ~ ${foot} ${under("r1")}`,
		],
	},
	{
		what: "a silent schedule shows nothing of a run that ends well",
		events: [
			...fires("r1", origin("silent")),
			lists("r1", "in_progress"),
			retries("r1", 2),
			answers("silent", "All is well"),
			says("r2", "hi", "m2"),
		],
		shown: [],
	},
	{
		what: "a silent schedule shows a failure",
		events: [...fires("r1", origin("silent")), answers("silent", "", "the budget is spent")],
		shown: [`error: Your request failed: the budget is spent. ~ ${foot} [Again = again r1]`],
	},
	{
		what: "a due time without a run says why",
		events: [
			[
				"schedule.trigger",
				{
					...origin("silent"),
					trigger: "cron",
					skill_name: "",
					task_id: "",
					run_id: "",
					error: "only members can schedule messages: ask the operator",
				},
			],
		],
		shown: ["error: ⏰ **Stand\\*up\\*** did not run: only members can schedule messages: ask the operator."],
	},
	{
		what: "a schedule is announced, and so is its removal by a person",
		events: [
			[
				"schedule.created",
				{
					...entry,
					source: "dynamic",
					when: "every 2 hours",
					interval_sec: 7200,
					show: "silent",
					owner: "o",
				},
			],
			["schedule.removed", { ...entry, reason: "removed", by: "o" }],
			["schedule.removed", { ...entry, reason: "completed", by: "" }],
		],
		shown: [
			"milestone: ⏰ **Stand\\*up\\*** is scheduled: every 2 hours. The result is shown only if the run fails.",
			"milestone: ⏰ **Stand\\*up\\*** is no longer scheduled.",
		],
	},
])("$what", ({ events, shown }) => {
	expect(reduceAnswers(events).shown).toEqual(shown);
});
