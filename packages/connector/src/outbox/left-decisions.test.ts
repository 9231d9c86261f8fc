import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openConnectorDatabase } from "../store/connector-database.ts";
import { connectorMigrations } from "../store/migrations.ts";
import { WatchedStore } from "../testing/open-stores.ts";
import { PostOffice } from "../testing/post-office.ts";
import { leaveDecisionOn, startDecisionPolling } from "./left-decisions.ts";

const clock = new ManualClock();

interface Undecided extends AsyncDisposable {
	readonly office: PostOffice;
	readonly store: WatchedStore;
	leave(id: string, send: boolean): Promise<void>;
	polls(): Promise<void>;
}

async function twoUndecided(): Promise<Undecided> {
	const directory = await mkdtempDisposable(join(tmpdir(), "parley-decisions-"));
	const where = { platform: "chat", dataDir: directory.path, clock };
	const store = new WatchedStore((await openConnectorDatabase(where)).store);
	const office = await PostOffice.open(async () => store);
	for (const payload of ["one", "two"])
		await office.plan([{ payload, decisionReason: "a guest has joined" }]);
	const decisions = startDecisionPolling(office);
	return {
		office,
		store,
		leave: (id, send) => leaveDecisionOn(where, { id, decision: { send, by: "me" } }),
		async polls() {
			office.clock.advance(2_000);
			await office.store.quiet();
		},
		async [Symbol.asyncDispose]() {
			await decisions.stop();
			await office.outbox.stop();
			await store.close();
			await directory[Symbol.asyncDispose]();
		},
	};
}

test("a running connector applies decisions of another process about held posts", async () => {
	await using undecided = await twoUndecided();
	const { office } = undecided;
	await undecided.leave("sess_1/1/0", true);
	await undecided.leave("sess_1/2/0", false);
	expect(office.shown).toEqual([]);
	await undecided.polls();
	expect(office.shown).toEqual(["one"]);
	expect(await office.outbox.stuck(10)).toMatchObject([{ id: "sess_1/2/0", reason: "dropped by me" }]);
	await expect(undecided.leave("sess_1/1/0", false)).rejects.toMatchObject({ code: "failed_precondition" });
	await expect(undecided.leave("sess_1/9/0", true)).rejects.toMatchObject({ code: "not_found" });
});

test("the first of two decisions is used, a different one is refused, and a late one is forgotten", async () => {
	await using undecided = await twoUndecided();
	const { office, store } = undecided;
	await undecided.leave("sess_1/1/0", false);
	await undecided.leave("sess_1/1/0", false);
	await expect(undecided.leave("sess_1/1/0", true)).rejects.toMatchObject({ code: "failed_precondition" });
	await undecided.leave("sess_1/2/0", true);
	await expect(undecided.leave("sess_1/2/0", false)).rejects.toThrow(
		"cannot drop post sess_1/2/0: me has already decided to send it",
	);
	await undecided.polls();
	expect(office.shown).toEqual(["two"]);
	await store.commit((tx) =>
		tx.insertInto("decisions").values({ id: "sess_1/1/0", send: 1, by: "you", at: 1 }).execute(),
	);
	await undecided.polls();
	expect(office.shown).toEqual(["two"]);
	expect(await store.read((db) => db.selectFrom("decisions").selectAll().execute())).toEqual([]);
});

test("a running connector of an earlier version is not changed", async () => {
	await using undecided = await twoUndecided();
	const { name } = connectorMigrations.at(-1) ?? { name: "" };
	await undecided.store.commit((tx) =>
		// Simulates the database of an earlier version, which lacks the last migration.
		tx
			.deleteFrom("kysely_migration" as never)
			.where("name" as never, "=", name as never)
			.execute(),
	);
	await expect(undecided.leave("sess_1/1/0", true)).rejects.toThrow("restart the connector, then try again");
});
