import { expect, test } from "vitest";
import { only, streamed, ZotClient } from "../conformance/drivers/zot-client.ts";

test("three prompts in one write run in their order, a hundred times", async () => {
	await using agent = await ZotClient.start();
	for (let round = 0; round < 100; round++) {
		const ids = ["a", "b", "c"].map((name) => `${name}${round}`);
		const from = agent.frames.length;
		agent.send(...ids.map((id) => ({ id, type: "prompt", message: `say: ${id}` })));
		for (const _ of ids) await agent.turn();
		const frames = agent.frames.slice(from);
		const owners = frames.map((frame) => (frame.type === "response" ? frame.id : frame.request_id));
		// No prompt emits a line before the previous prompt has ended.
		expect(owners.filter((owner, at) => owner !== owners[at - 1])).toEqual(ids);
		expect(only(frames, "done").map(({ request_id }) => request_id)).toEqual(ids);
		expect(streamed(frames)).toBe(ids.map((id) => `[offline] ${id}`).join(""));
		expect(only(frames, "turn_end").map(({ stop }) => stop)).toEqual(ids.map(() => "end_turn"));
	}
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});
