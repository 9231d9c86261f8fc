import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { answered, approval, play, scene, token, tokenOf, writes } from "../../testing/question-scene.ts";

test("answered cards are dropped before cards that wait", () => {
	const [waiting, ended] = [195, 8].map((count, run) =>
		Array.from({ length: count }, (_, place) =>
			approval({ reply: { id: `run_${run}/${place}`, place: 1, count: 1 } }, { token: `t_${run}_${place}` }),
		),
	);
	if (!waiting || !ended) throw new Error("there are no calls");
	const answers = ended.map((question) => answered({ token: tokenIn(question) }));
	const { cards = [] } = play([
		...waiting,
		...ended.flatMap((one, index) => [one, answers[index] ?? one]),
	]).slice;
	const tokens = cards.map(({ rows: [first] }) => first.token);
	expect(tokens.slice(0, 195)).toEqual(waiting.map(tokenIn));
	expect(tokens.slice(195)).toEqual(ended.slice(-5).map(tokenIn));
});

test("a card has at most as many calls as a choice of the platform has options", () => {
	const limits = { ...scene.platform.limits, options: 2 };
	const { posts } = play(writes(["a", "b", "c"]), { ...scene, platform: { ...scene.platform, limits } });
	expect(posts.map(({ card }) => card)).toEqual([token, tokenOf(3)].map((of) => `prompt:${of}`));
});

function tokenIn({ payload }: OzzieEvent): string {
	return "token" in payload && typeof payload.token === "string" ? payload.token : "";
}
