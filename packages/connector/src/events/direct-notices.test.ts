import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Posting } from "../platform/posting.ts";
import { ada, general, scriptedContext } from "../testing/question-context.ts";
import { DirectNotices } from "./direct-notices.ts";

const notified = { room: general, person: ada.id, message: "7", now: 0 };

function open() {
	const clock = new ManualClock();
	const { platform } = scriptedContext({}).context;
	const linked = { ...platform, linkTo: () => "https://chat.example/2" };
	return { clock, notices: new DirectNotices({ platform: linked, clock }) };
}

const waysOf = (notices: DirectNotices) =>
	notices.rows(notified).map(({ payload }) => {
		const post = Posting.parse(payload);
		return post.type === "post" ? post.notifies?.ways : undefined;
	});

test("a person without access gets instructions by direct message, else as a reply without a mention", () => {
	const [row, ...others] = open().notices.rows(notified);
	expect(others).toEqual([]);
	expect(row).toMatchObject({
		conversation: "2#notice:7",
		payload: {
			body: "You have no access yet in [this channel](https://chat.example/2). Use `/pair` there (or `!pair` after my name) to request it.",
			replyTo: "7",
			notifies: { people: ["42"], ways: ["direct", "reply"], channels: [] },
		},
	});
});

test("after ten direct messages in ten minutes, people get replies", () => {
	const { clock, notices } = open();
	for (let count = 0; count < 10; count++) expect(waysOf(notices)).toEqual([["direct", "reply"]]);
	expect(waysOf(notices)).toEqual([["reply"]]);
	clock.advance(10 * 60_000);
	expect(waysOf(notices)).toEqual([["direct", "reply"]]);
});
