import { expect, test } from "vitest";
import { ToySession } from "./testing/toy-session.ts";
import { chance, prose } from "./testing/toy-text.ts";

const random = chance(5);
const window = { contextWindow: 20_000, maxOutput: 500 };

test("a request above the threshold of its model is shortened, although it fits the window", async () => {
	const turns = async (toy: ToySession) => {
		for (const id of ["a", "b", "c", "d"]) {
			await toy.ask(`Read ${id}.`);
			const call = { id, name: "read_file", arguments: { path: `${id}.txt` } };
			toy.calls({ ...call, text: `${id} ${prose(random, 450)}`, failed: false });
			toy.says(`I have read ${id}.`);
		}
		await toy.ask("And now?");
		return toy.call();
	};
	await using free = await ToySession.open(window);
	expect((await turns(free)).tokens).toBeGreaterThan(1_800);
	expect(await free.compactions()).toEqual([]);
	await using toy = await ToySession.open({ ...window, compactAbove: 1_500 });
	expect((await turns(toy)).tokens).toBeLessThan(1_500);
	expect((await toy.compactions()).map(({ level }) => level)).toContain("tool_results");
});

test("a threshold that the newest parts exceed is tried again when the request has grown by a quarter", async () => {
	await using toy = await ToySession.open({ ...window, compactAbove: 600 });
	await toy.ask("Begin.");
	toy.says(prose(random, 50));
	await toy.ask(`Consider: ${prose(random, 1_500)}`);
	const { tokens } = await toy.call();
	expect(tokens).toBeGreaterThan(1_500);
	const sizes: number[] = [];
	const tried = (await toy.compactions()).length;
	while ((await toy.compactions()).length === tried && sizes.length < 20) {
		toy.says(prose(random, 60));
		await toy.ask("Go on.");
		sizes.push((await toy.call()).tokens);
	}
	expect(sizes.length).toBeGreaterThan(3);
	expect(sizes.at(-1)).toBeLessThan(600);
	expect(toy.written.length).toBeGreaterThan(0);
});
