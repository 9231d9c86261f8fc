import { expect, test } from "vitest";
import { stamp } from "../store/tables.ts";
import { says } from "../testing/scripted-model.ts";
import { unkeyed } from "../testing/test-runtime.ts";
import { operator } from "../vocabulary/principal.ts";
import { answers, mebibyte, padded, readPhoto, Showing, sent, times } from "./testing/showing.ts";

test("images that a summary replaced are removed from the record if they exceed the limit, also attached ones", async () => {
	await using showing = await Showing.begin([
		...times(4, (round) => [
			[readPhoto(`c${round}`), readPhoto(`d${round}`)],
			[says("seen")],
			[says("a summary")],
		]).flat(),
		...answers(1),
	]);
	await showing.put(padded(3 * mebibyte));
	const recorded: number[] = [];
	const attached: number[] = [];
	for (let round = 0; round < 4; round++) {
		const content = async function* () {
			yield padded(3 * mebibyte);
		};
		const { id } = await showing.t.runtime.files.store(operator, { name: "mine.png", content: content() });
		await showing.t.runtime.send(unkeyed(), showing.session, {
			...{ content: `round ${round}`, images: times(3, () => sent(3)), attachments: [id] },
		});
		await showing.log.next("assistant.message");
		expect(showing.shown().slice(-3)).toEqual([4, 1, 1]);
		recorded.push(await showing.recorded());
		attached.push(await showing.attached());
		await showing.compact();
	}
	expect(recorded).toEqual([15, 30, 15, 30]);
	expect(attached).toEqual([1, 2, 1, 2]);
	await using after = await showing.restart(answers(1));
	await after.prompt("and now?");
	expect(after.shown()).toEqual([0, 0]);
});

test("when images are removed for space, those that a summary replaced are removed with them", async () => {
	await using showing = await Showing.begin([...answers(1), [says("a summary")], ...answers(2)]);
	await showing.prompt("old", sent(3));
	await showing.compact();
	await showing.prompt("first", ...times(6, () => sent(3)));
	expect(await showing.recorded()).toBe(21);
	await showing.prompt("second", sent(3));
	expect(showing.shown()).toEqual([0, 0, 1]);
	expect(await showing.recorded()).toBe(3);
});

test("cleared results are removed from the record, and the model reads the same text for them", async () => {
	const first = await Showing.begin([[readPhoto("c1"), readPhoto("c2")], [says("seen")]]);
	await first.put(padded(3 * mebibyte));
	await first.prompt("look");
	const place = { session_id: first.session, n: 1, run_ordinal: 2, message: 0 };
	const clearing = { ...place, level: "tool_results", summary: null, at: 0, ...stamp } as const;
	await first.t.store.commit(async (tx) => {
		await tx.insertInto("compactions").values(clearing).execute();
		for (const { n, data } of await tx.selectFrom("steps").select(["n", "data"]).execute()) {
			if (!data.includes('"callId":"c2"')) continue;
			const longer = data.replace("1 x 1 pixels", "x".repeat(500));
			await tx.updateTable("steps").set({ data: longer }).where("n", "=", n).execute();
		}
	});
	const before = await first.restart(answers(2));
	await before.prompt("first", ...times(6, () => sent(3)));
	expect(before.shown()).toEqual([0, 0, 0, 6]);
	expect(await before.recorded()).toBe(24);
	await before.prompt("second", sent(3));
	expect(before.shown()).toEqual([0, 0, 0, 0, 1]);
	expect(await before.recorded()).toBe(3);
	const same = before.messages(0).slice(0, 4);
	expect(JSON.stringify(same)).toMatch(
		/"photo\.png\\" is .*image was cleared.*\d{3} characters from read_file/,
	);
	expect(before.messages().slice(0, 4)).toEqual(same);
	await using after = await before.restart(answers(1));
	await after.prompt("third");
	expect(JSON.stringify(after.messages().slice(0, 4))).toBe(JSON.stringify(same));
});
