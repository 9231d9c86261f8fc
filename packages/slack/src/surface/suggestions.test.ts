import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { refused, ScriptedPort } from "../testing/scripted-slack.ts";
import { Caller } from "./caller.ts";
import { RateLimits } from "./rate-limits.ts";
import { Suggestions } from "./suggestions.ts";

const method = "assistant.threads.setSuggestedPrompts";

test("suggestions are sent once, and again after a change or half an hour", async () => {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedPort()];
	const suggestions = new Suggestions(new Caller({ port, limits: new RateLimits(clock), clock, log }), clock);
	const long = "x".repeat(100);
	const show = (...prompts: readonly string[]) => suggestions.show("D1", prompts);
	await show("one", long, "three", "four", "five");
	expect(port.calls).toEqual([
		{
			method,
			args: {
				channel_id: "D1",
				prompts: [
					{ title: "one", message: "one" },
					{ title: expect.stringMatching(/^x{70,}…$/), message: long },
					{ title: "three", message: "three" },
					{ title: "four", message: "four" },
				],
			},
		},
	]);
	await show("one", long, "three", "four", "five");
	expect(port.calls).toHaveLength(1);
	await show("two");
	clock.advance(31 * 60_000);
	await show("two");
	expect(port.calls).toHaveLength(3);
	port.answer(method, refused("channel_not_found"));
	await expect(show("three")).rejects.toThrow("channel_not_found");
	await show("three");
	expect(port.calls).toHaveLength(5);
});
