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

const targetOf = (notices: DirectNotices) =>
	notices.rows(notified).map(({ payload }) => {
		const post = Posting.parse(payload);
		return post.type === "post" ? post.notifies : undefined;
	});
const toPerson = { people: ["42"], channels: [] };

test("a person without access gets instructions by direct message, else as a reply without a mention", () => {
	const [row, ...others] = open().notices.rows(notified);
	expect(others).toEqual([]);
	expect(row).toMatchObject({
		conversation: "2#notice:7",
		payload: {
			body: "You do not have access yet in [this channel](https://chat.example/2). To request access, use `/pair` in the channel, or mention me there with `!pair`.",
			replyTo: "7",
			notifies: { people: ["42"], ways: ["direct", "reply"], channels: [] },
		},
	});
});

test("after ten direct messages in ten minutes, people get replies, and the direct messages are only searched", () => {
	const { clock, notices } = open();
	const direct = { ...toPerson, ways: ["direct", "reply"] };
	for (let count = 0; count < 10; count++) expect(targetOf(notices)).toEqual([direct]);
	expect(targetOf(notices)).toEqual([{ ...toPerson, ways: ["reply"], earlierWays: ["direct"] }]);
	clock.advance(10 * 60_000);
	expect(targetOf(notices)).toEqual([direct]);
});
