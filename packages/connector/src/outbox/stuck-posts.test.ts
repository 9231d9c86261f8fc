import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openConnectorDatabase } from "../store/connector-database.ts";
import { decideStuckPost, readStuckPosts } from "./decisions.ts";

const undecided = {
	session: "s",
	seq: 1,
	conversation: "c",
	lane: "final",
	card: null,
	payload: "{}",
	at: 1,
	state: "held" as const,
	attempts: 1,
	reason: "it is old",
	remote: null,
	changed_at: 5,
};

test("a held post is listed once, until a decision", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-stuck-"));
	const where = { platform: "chat", dataDir: directory.path, clock: new ManualClock() };
	expect(await readStuckPosts(where, 10)).toEqual([]);
	const { store } = await openConnectorDatabase(where);
	await store.commit((tx) =>
		tx
			.insertInto("outbox")
			.values([
				{ id: "a", ...undecided },
				{ id: "b", ...undecided },
			])
			.execute(),
	);
	expect(await readStuckPosts(where, 10)).toMatchObject([
		{ id: "b", state: "held", reason: "it is old" },
		{ id: "a", state: "held" },
	]);
	await store.close();
	const decide = (id: string, send: boolean): Promise<void> =>
		decideStuckPost(where, { id, decision: { send, by: "me" } });
	await decide("a", true);
	await decide("b", false);
	expect(await readStuckPosts(where, 10)).toMatchObject([
		{ id: "b", state: "dead", reason: "dropped by me" },
	]);
	await expect(decide("b", true)).rejects.toMatchObject({ code: "failed_precondition" });
	await expect(decide("c", true)).rejects.toMatchObject({ code: "not_found" });
});
