import { ManualClock } from "@parley/base/testing";
import { CardMessages, type OutboxRow } from "@parley/connector";
import { expect, test } from "vitest";
import { PostChannels } from "./post-channels.ts";

test("the threads of the latest 10,000 conversations with posts are known", async () => {
	const clock = new ManualClock();
	const places = new PostChannels(new CardMessages(async (card) => `thread of ${card}`, clock), clock);
	const postTo = async (task: number): Promise<void> => {
		const row: OutboxRow = {
			...{ id: `s/${task}/0`, nonce: "n", conversation: `10#task:${task}`, lane: "final", attempt: 1 },
			...{ at: clock.now(), payload: {} },
		};
		await places.act(row, `${task}`, async () => undefined);
	};
	for (let task = 0; task < 10_000; task++) await postTo(task);
	expect(places.channelsOf("10#task:1")).toEqual(["10", "thread of 1"]);
	for (const task of [0, 10_000]) await postTo(task);
	expect(places.channelsOf("10#task:0")).toEqual(["10", "thread of 0"]);
	expect(places.channelsOf("10#task:1")).toEqual(["10"]);
});
