import { expect, test } from "vitest";
import type { ScriptedReply } from "../testing/scripted-model.ts";
import { ModelError } from "../vocabulary/model-error.ts";
import { answers, large, png, Showing, sent, shownAs, table, times } from "./testing/showing.ts";

const refuse: ScriptedReply = () => {
	throw new ModelError("too much", { fault: "rejected", refusesContent: true });
};

test("a conversation with too many images continues without the oldest after a refused request", async () => {
	const before = await Showing.begin(answers(3), { table });
	for (let n = 0; n < 3; n++) await before.prompt(`prompt ${n}`, sent(3), sent(3));
	const images = JSON.stringify(times(3, () => sent(3)));
	await before.t.store.commit((tx) => tx.updateTable("runs").set({ images }).execute());
	await using after = await before.restart([refuse, ...answers(2)], { table });
	const end = await after.prompt("and now?");
	expect(end).toMatchObject({ content: "answer 0", error: "" });
	expect([after.shown(0), after.shown()]).toEqual([
		[3, 3, 3, 0],
		[0, 0, 3, 0],
	]);
});

test("attached images above the limit are also removed after a refused request, and there is no other attempt", async () => {
	const before = await Showing.begin(answers(2), { table });
	await before.attach(...times(20, () => png));
	await before.attach(png);
	await before.t.store.commit(async (tx) => {
		const rows = await tx.selectFrom("runs").select("id").where("ordinal", "=", 2).execute();
		const images = JSON.stringify([shownAs(large)]);
		for (const { id } of rows) await tx.updateTable("runs").set({ images }).where("id", "=", id).execute();
	});
	await using after = await before.restart([refuse, ...answers(1), refuse], { table });
	await expect(after.prompt("and now?")).resolves.toMatchObject({ content: "answer 0" });
	expect([after.shown(0), after.shown()]).toEqual([
		[20, 2, 0],
		[0, 2, 0],
	]);
	await expect(after.prompt("more")).resolves.toMatchObject({ error: "too much" });
});
