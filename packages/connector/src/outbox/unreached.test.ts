import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openConnectorDatabase } from "../store/connector-database.ts";
import { readUnreached } from "./unreached.ts";

const row = {
	...{ session: "s", seq: 1, conversation: "c", lane: "approval", card: null, at: 1, attempts: 1 },
	...{ state: "confirmed" as const, remote: "7", reason: "a direct message failed", changed_at: 5 },
	payload: JSON.stringify({
		type: "post",
		body: "x",
		notifies: { people: ["1"], ways: ["direct"], channels: [] },
	}),
};

test("undelivered notices are listed, and no other posts", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-unreached-"));
	const where = { platform: "chat", dataDir: directory.path, clock: new ManualClock() };
	expect(await readUnreached(where)).toEqual([]);
	const { store } = await openConnectorDatabase(where);
	const payload = JSON.stringify({ type: "post", body: '"notifies":{' });
	await store.commit((tx) =>
		tx
			.insertInto("outbox")
			.values([
				{ ...row, id: "a" },
				{ ...row, id: "b", state: "dead", reason: "no way", changed_at: 6 },
				{ ...row, id: "c", reason: null },
				{ ...row, id: "d", payload },
				{ ...row, id: "e", state: "planned" },
			])
			.execute(),
	);
	await store.close();
	expect(await readUnreached(where)).toEqual([
		{ reason: "no way", at: 6 },
		{ reason: "a direct message failed", at: 5 },
	]);
});
