import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { PromptCache } from "./prompt-cache.ts";
import { type PromptBlock, promptBlocks, wordsAndSigns } from "./tokenizer.ts";

/**
 * Returns one block of 1000 tokens for each name. One star in a name means a five-minute breakpoint, and two stars a
 * one-hour breakpoint.
 */
function prompt(...names: readonly string[]): PromptBlock[] {
	const ttls = [undefined, "5m", "1h"] as const;
	return names.map((name) => {
		const [text = "", ...stars] = name.split(/(?=\*)/);
		return { text, tokens: 1_000, ttl: ttls[stars.length] };
	});
}

function cache(clock = new ManualClock()): PromptCache {
	return new PromptCache(clock);
}

test("the prefix of a breakpoint is written once and then read", () => {
	const cached = cache();
	expect(cached.use("m", prompt("a", "b*", "c"))).toEqual({
		read: 0,
		written5m: 2_000,
		written1h: 0,
		rest: 1_000,
	});
	expect(cached.use("m", prompt("a", "b*", "c"))).toEqual({
		read: 2_000,
		written5m: 0,
		written1h: 0,
		rest: 1_000,
	});
});

test("a growing prompt reads the old prefix and writes the new part", () => {
	const cached = cache();
	cached.use("m", prompt("a", "b*"));
	expect(cached.use("m", prompt("a", "b", "c", "d*"))).toEqual({
		read: 2_000,
		written5m: 2_000,
		written1h: 0,
		rest: 0,
	});
});

test("one changed character invalidates the cache after it", () => {
	const cached = cache();
	cached.use("m", prompt("a", "b*"));
	expect(cached.use("m", prompt("A", "b*")).read).toBe(0);
});

test("an early breakpoint still hits when a later part has changed", () => {
	const cached = cache();
	cached.use("m", prompt("a", "b*", "c*"));
	expect(cached.use("m", prompt("a", "b*", "C*"))).toMatchObject({ read: 2_000, written5m: 1_000 });
});

test("a prefix without a breakpoint is not cached", () => {
	const cached = cache();
	cached.use("m", prompt("a", "b", "c*"));
	expect(cached.use("m", prompt("a", "b*")).read).toBe(0);
});

test("exactly twenty blocks before a breakpoint are checked", () => {
	const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
	const cached = cache();
	cached.use("m", prompt("a", "b*"));
	expect(cached.use("m", prompt("a", "b", ...names(18), "z*")).read).toBe(2_000);
	expect(cached.use("m", prompt("a", "b", ...names(19), "y", "x*")).read).toBe(0);
});

test("short prefixes are not cached", () => {
	const cached = cache();
	expect(cached.use("m", prompt("a*", "b"))).toEqual({ read: 0, written5m: 0, written1h: 0, rest: 2_000 });
	expect(cached.use("m", prompt("a*", "b")).read).toBe(0);
});

test("another model has another cache", () => {
	const cached = cache();
	cached.use("m", prompt("a", "b*"));
	expect(cached.use("n", prompt("a", "b*")).read).toBe(0);
});

test("an entry lives five minutes since its last use, or an hour", () => {
	const clock = new ManualClock();
	const cached = cache(clock);
	expect(cached.use("m", prompt("a", "b**", "c*"))).toMatchObject({ written1h: 2_000, written5m: 1_000 });
	clock.advance(299_000);
	expect(cached.use("m", prompt("a", "b**", "c*")).read).toBe(3_000);
	clock.advance(299_000);
	expect(cached.use("m", prompt("a", "b**", "c*")).read).toBe(3_000);
	clock.advance(301_000);
	expect(cached.use("m", prompt("a", "b**", "c*"))).toMatchObject({ read: 2_000, written5m: 1_000 });
});

test("a prompt has tools, then system, then messages, and breakpoints are not compared", () => {
	const request = {
		messages: [{ role: "user" as const, content: "Hello there" }],
		system: [{ type: "text" as const, text: "You help.", cache_control: { type: "ephemeral" as const } }],
		tools: [{ name: "look", input_schema: { type: "object" as const } }],
	};
	const blocks = promptBlocks(request, wordsAndSigns);
	expect(blocks.map(({ ttl }) => ttl)).toEqual([undefined, "5m", undefined]);
	expect(blocks.map(({ text }) => text)).toEqual([
		expect.stringContaining("look"),
		'{"type":"text","text":"You help."}',
		expect.stringContaining("Hello there"),
	]);
	expect(blocks[1]?.tokens).toBe(3);
	expect(blocks[2]?.tokens).toBe(4 + 2);
});

test("a breakpoint on a request applies to its last block", () => {
	const request = {
		messages: [{ role: "user" as const, content: "Hello there" }],
		cache_control: { type: "ephemeral" as const },
	};
	expect(promptBlocks(request, wordsAndSigns).map(({ ttl }) => ttl)).toEqual(["5m"]);
});
