import { expect, test } from "vitest";
import { type AnswerEvent, ends, reduceAnswers, says, under } from "../../testing/render-answers.ts";
import { answerTexts } from "../../texts/answers.ts";

const offers = () => true;
const reacts = () => true;
const notice = (run: string, position: number): string =>
	`queue:${run} > m${run.slice(1)}: ${answerTexts.queue.waiting({ position, waitsFor: undefined })} [Stop = stop ${run}]`;
const offered = (run: string, position: number): string =>
	notice(run, position).replace("]", `, Add to running request = join ${run}]`);

function joins(run: string, host: string, message: string): AnswerEvent[] {
	const author = { id: "discord:1:2", name: "Bo" };
	const steered = { content: "two", run_id: host, author, correlation_id: message, steered: true } as const;
	const ended = { content: "", error: "cancelled", context: {}, run_id: run, joined: host };
	return [
		["user.message", steered],
		["assistant.message", ended],
	];
}

const three = [says("r1", "one", "m1"), says("r2", "two", "m2"), says("r3", "three", "m3")];

test("without the setting, a queued message has no button that adds it", () => {
	expect(reduceAnswers(three).shown).toEqual([
		`acknowledgement ${notice("r2", 1)}`,
		`acknowledgement ${notice("r3", 2)}`,
	]);
});

test("the notice of a message that has joined is deleted, later messages move up, and no answer is posted for it", () => {
	const { shown, slice } = reduceAnswers([...three, ...joins("r2", "r1", "m2"), ends("r1", "both")], {
		offers,
	});
	expect(shown).toEqual([
		`acknowledgement ${offered("r2", 1)}`,
		`acknowledgement ${offered("r3", 2)}`,
		"delete queue:r2",
		`progress ${offered("r3", 1)}`,
		`final > m1: both ${under("r1")}`,
		"delete queue:r3",
	]);
	expect(slice.open.map(({ id }) => id)).toEqual(["r3"]);
});

test("the run that a message has joined is the newest again, so its answer can be repeated", () => {
	const [one, two] = [says("r1", "one", "m1"), says("r2", "two", "m2")];
	expect(reduceAnswers([one, two, ...joins("r2", "r1", "m2")], { offers }).slice.newest).toBe("r1");
});

test("a message with files and a message of another client cannot be added", () => {
	const file = { file_id: "f", name: "a.png", type: "image/png", bytes: 1, url: "/f" };
	const author = { id: "discord:1:2", name: "Bo" };
	const content = { content: "look", run_id: "r2" };
	const withFile: AnswerEvent = [
		"user.message",
		{ ...content, author, correlation_id: "m2", attachments: [file] },
	];
	const elsewhere: AnswerEvent = ["user.message", content];
	for (const each of [withFile, elsewhere]) {
		const { shown } = reduceAnswers([says("r1", "one", "m1"), each], { offers });
		expect(shown.join()).toContain("Your message is next");
		expect(shown.join()).not.toContain("Add to running request");
	}
});

test("with reactions, the notice has the button, and both messages show the end of the run", () => {
	const [one, two] = [says("r1", "one", "m1"), says("r2", "two", "m2")];
	const { shown } = reduceAnswers([one, two, ...joins("r2", "r1", "m2"), ends("r1", "both")], {
		offers,
		reacts,
	});
	expect(shown).toEqual([
		"status:m1: 👀",
		"status:m2: ⏳",
		`acknowledgement ${offered("r2", 1)}`,
		"delete queue:r2",
		"status:m2: 👀",
		`final > m1: both ${under("r1")}`,
		"status:m1: ✅",
		"status:m2: ✅",
	]);
});

test("an event about a message that this connector does not know posts nothing", () => {
	expect(reduceAnswers(joins("r8", "r9", "m8")).shown).toEqual([]);
});
