import { setImmediate as tick } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { type ToyOptions, ToySession } from "./testing/toy-session.ts";
import { chance, prose } from "./testing/toy-text.ts";

const random = chance(9);
const window: ToyOptions = { contextWindow: 4_000, maxOutput: 1_000 };

async function sessionOf(words: number, countTokens: ToyOptions["countTokens"]): Promise<ToySession> {
	const toy = await ToySession.open({ ...window, ...(countTokens && { countTokens }) });
	await toy.ask("Begin.");
	toy.says(prose(random, words));
	await toy.ask("And now?");
	return toy;
}

test("a small request is not counted, and one near the limit is counted once", async () => {
	const counted: number[] = [];
	const countTokens = async (): Promise<number> => counted.push(1) && 2_000;
	await using small = await sessionOf(500, countTokens);
	await small.fit();
	expect(counted).toHaveLength(0);
	await using large = await sessionOf(2_000, countTokens);
	await large.fit();
	const { read } = large.store;
	large.store.read = () => Promise.reject(new Error("nothing needs to be read"));
	await large.fit();
	large.store.read = read;
	expect(counted).toHaveLength(1);
	large.restart();
	await large.fit();
	expect(counted).toHaveLength(1);
});

test("the provider's token count has precedence over the estimate", async () => {
	await using fits = await sessionOf(2_500, async () => 2_900);
	expect((await fits.fit()).messages).toHaveLength(3);
	expect(await fits.compactions()).toEqual([]);
	await using exceeds = await sessionOf(1_600, async () => 3_100);
	await exceeds.fit();
	expect(await exceeds.compactions()).toHaveLength(1);
});

test("the provider does not count tokens if few tokens follow a counted request", async () => {
	const counted: number[] = [];
	await using toy = await sessionOf(2_000, async () => counted.push(1) && 2_000);
	await toy.call();
	toy.says("Well.");
	await toy.ask("Yes?");
	await toy.call();
	expect(counted).toHaveLength(1);
});

test.each([
	["fails", async () => Promise.reject(new ParleyError("overloaded", { code: "unavailable" }))],
	["returns no count", async () => undefined],
	["returns an impossible count", async () => -1],
])("a provider that %s gets no requests for five minutes, and the estimate is used", async (_what, count) => {
	const counted: number[] = [];
	await using toy = await sessionOf(1_600, () => {
		counted.push(1);
		return count();
	});
	expect((await toy.fit()).messages).toHaveLength(3);
	toy.clock.advance(299_999);
	await toy.fit();
	expect(counted).toHaveLength(1);
	toy.clock.advance(1);
	await toy.fit();
	expect(counted).toHaveLength(2);
});

test("a count that takes more than five seconds is abandoned", async () => {
	await using toy = await sessionOf(1_600, (_request, signal) => {
		const { promise, reject } = Promise.withResolvers<undefined>();
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		return promise;
	});
	const fitting = toy.fit();
	while (toy.clock.pending === 0) await tick();
	toy.clock.advance(5_000);
	expect((await fitting).messages).toHaveLength(3);
	expect(toy.clock.pending).toBe(0);
});

test("a run that is stopped while its request is counted stops", async () => {
	await using toy = await sessionOf(1_600, async (_request, signal) => {
		toy.abort();
		signal.throwIfAborted();
		return 1;
	});
	await expect(toy.fit()).rejects.toMatchObject({ name: "AbortError" });
});
