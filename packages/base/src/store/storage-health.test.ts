import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { expect, test } from "vitest";
import { noFailpoints } from "../failpoints.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { GroupCommit } from "./group-commit.ts";
import { StorageHealth } from "./storage-health.ts";

const tx = new Kysely<unknown>({
	dialect: {
		createAdapter: () => new PostgresAdapter(),
		createDriver: () => new DummyDriver(),
		createIntrospector: (db) => new PostgresIntrospector(db),
		createQueryCompiler: () => new PostgresQueryCompiler(),
	},
});

class DiskFull extends Error {}

function onDisk() {
	const disk = { full: false, probes: 0 };
	const reported: unknown[] = [];
	const clock = new ManualClock();
	const health = new StorageHealth(clock, (state) => reported.push(state));
	const nothing = (): void => undefined;
	const write = async (): Promise<string> => {
		if (disk.full) throw new DiskFull();
		return "written";
	};
	const control = {
		begin: nothing,
		commit: nothing,
		rollback: nothing,
		savepoint: nothing,
		releaseSavepoint: nothing,
		rollbackToSavepoint: nothing,
		probe: async () => {
			disk.probes += 1;
			await write();
		},
		failure: (error: unknown) => (error instanceof DiskFull ? ("full" as const) : undefined),
	};
	const commits = new GroupCommit<unknown>({ tx, control, failpoints: noFailpoints, health });
	return { disk, reported, clock, commits, write };
}

const refusal = {
	status: "rejected",
	reason: {
		code: "unavailable",
		message: "the store could not commit: the disk is full; free some space, nothing acknowledged was lost",
	},
};

test("on a full disk, the complete transaction of a command fails with that reason", async () => {
	const { disk, commits, write } = onDisk();
	disk.full = true;
	const others = async (): Promise<string> => "nothing written";
	const results = await Promise.allSettled([commits.commit(others), commits.commit(write)]);
	expect(results).toMatchObject([refusal, refusal]);
	expect(await Promise.allSettled([commits.commit(write)])).toMatchObject([refusal]);
});

test("a command error without a disk error does not change the storage health", async () => {
	const { commits, reported } = onDisk();
	const own = commits.commit(() => Promise.reject(new Error("no such session")));
	await expect(own).rejects.toThrow("no such session");
	expect(commits.health()).toEqual({ state: "ok" });
	expect(reported).toEqual([]);
});

test("on a full disk, a transaction without writes does not count as success", async () => {
	const { disk, commits, write } = onDisk();
	disk.full = true;
	await Promise.allSettled([commits.commit(write)]);
	expect(await Promise.allSettled([commits.commit(async () => "nothing written")])).toMatchObject([refusal]);
	expect(commits.health().state).toBe("full");
});

test("each change is reported once with the time of the first failure, and a query makes the store try again", async () => {
	const { disk, reported, clock, commits, write } = onDisk();
	disk.full = true;
	const since = clock.now();
	for (let n = 0; n < 3; n++) {
		await Promise.allSettled([commits.commit(write)]);
		clock.advance(1_000);
	}
	expect(commits.health()).toEqual({ state: "full", since });
	expect(commits.health()).toEqual({ state: "full", since });
	await expect(commits.commit(async () => undefined)).rejects.toThrow();
	expect(disk.probes).toBe(1);
	disk.full = false;
	commits.health();
	await commits.commit(async () => undefined);
	expect(commits.health()).toEqual({ state: "ok" });
	expect(reported).toEqual([{ state: "full", since }, { state: "ok" }]);
	const probed = disk.probes;
	await commits.commit(write);
	expect(disk.probes).toBe(probed);
});

test("a closed store is not retried", async () => {
	const { disk, commits, write } = onDisk();
	disk.full = true;
	await Promise.allSettled([commits.commit(write)]);
	await commits.close();
	expect(commits.health().state).toBe("full");
	expect(disk.probes).toBe(0);
});
