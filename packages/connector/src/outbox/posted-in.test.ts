import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "../testing/open-stores.ts";
import { postedIn } from "./posted-in.ts";

test("the outbox returns the post of a card, and the row that created a post", async () => {
	const store = await openSqlite();
	onTestFinished(() => store.close());
	const row = {
		session: "s",
		seq: 1,
		conversation: "c",
		lane: "final",
		card: null,
		payload: "{}",
		at: 1,
		state: "confirmed" as const,
		attempts: 1,
		reason: null,
		remote: "m1",
		changed_at: 1,
	};
	await store.commit(async (tx) => {
		await tx.insertInto("cards").values({ card: "run:1", remote: "m1", changed_at: 1 }).execute();
		await tx
			.insertInto("outbox")
			.values([
				{ id: "first", ...row },
				{ id: "edit", ...row },
			])
			.execute();
	});
	const posted = postedIn(store);
	expect([await posted.cards("run:1"), await posted.cards("run:2")]).toEqual(["m1", undefined]);
	expect([await posted.ownerOf("m1"), await posted.ownerOf("m2")]).toEqual(["first", undefined]);
});
