import { expect, test } from "vitest";
import { type AnswerEvent, ends, reduceAnswers, says, under } from "../../testing/render-answers.ts";
import { answerTexts } from "../../texts/answers.ts";

const next = `progress queue:r2 > m2: ${answerTexts.queue.waiting({ position: 1, waitsFor: undefined })} [Stop = stop r2]`;
const queued = next.replace("progress", "acknowledgement");

const shown = (events: readonly AnswerEvent[]): string[] =>
	reduceAnswers(events, { reacts: () => true }).shown;

test("reactions show that a message is accepted, queued and answered, and no notice is posted", () => {
	expect(
		shown([says("r1", "one", "m1"), says("r2", "two", "m2"), ends("r1", "1"), ends("r2", "", "overloaded")]),
	).toEqual([
		"status:m1: 👀",
		`status:m2: ⏳ or ${queued}`,
		`final > m1: 1 ${under("r1")}`,
		"status:m2: 👀",
		"status:m1: ✅",
		expect.stringContaining("error > m2: Your request failed: overloaded."),
		"status:m2: ❌",
	]);
});

test("the reactions of a stopped run and of a withdrawn message are removed", () => {
	const events = [says("r1", "one", "m1"), says("r2", "two", "m2"), ends("r2", "", "cancelled")];
	expect(shown([...events, ends("r1", "", "cancelled")]).slice(2)).toEqual([
		"status:m2: none or progress queue:r2 > m2: Removed from the queue.",
		expect.stringContaining("final > m1: Stopped"),
		"status:m1: none",
	]);
	const deleted: AnswerEvent = ["session.deleted", {}];
	expect(shown([says("r1", "one", "m1"), says("r2", "two", "m2"), deleted]).slice(2)).toEqual([
		"status:m1: none",
		expect.stringMatching(/^status:m2: none or progress queue:r2/),
	]);
});

test("a repeated answer shows its state on the same message, and an answer from the terminal shows none", () => {
	const again: AnswerEvent = ["user.message", { content: "one", run_id: "r2", retry_of: "r1" }];
	const typed: AnswerEvent = ["user.message", { content: "here", run_id: "r3" }];
	const all = shown([
		says("r1", "one", "m1"),
		ends("r1", "1"),
		again,
		ends("r2", "1"),
		typed,
		ends("r3", "3"),
	]);
	expect(all.filter((each) => each.startsWith("status"))).toEqual([
		"status:m1: 👀",
		"status:m1: ✅",
		"status:m1: 👀",
		"status:m1: ✅",
	]);
});

test("a run uses the setting from its start", () => {
	let reacts = true;
	const { shown: first } = reduceAnswers([says("r1", "one", "m1"), ends("r1", "1")], {
		reacts: () => {
			const was = reacts;
			reacts = false;
			return was;
		},
	});
	expect(first.filter((each) => each.startsWith("status"))).toEqual(["status:m1: 👀", "status:m1: ✅"]);
});
