import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import { expect, test } from "vitest";
import { noFailpoints } from "../failpoints.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { GroupCommit, type TransactionControl } from "./group-commit.ts";
import { StorageHealth } from "./storage-health.ts";

const tx = new Kysely<unknown>({
	dialect: {
		createAdapter: () => new PostgresAdapter(),
		createDriver: () => new DummyDriver(),
		createIntrospector: (db) => new PostgresIntrospector(db),
		createQueryCompiler: () => new PostgresQueryCompiler(),
	},
});

function recorded(failing: readonly (keyof TransactionControl)[] = [], undone = 0) {
	const done: string[] = [];
	const tries: number[] = [];
	/** For each transaction, the number of commands in the transaction, and then `done`. */
	const transactions: (number | "done")[] = [];
	const statement = (name: keyof TransactionControl) => () => {
		done.push(name);
		if (failing.includes(name)) throw new Error(`${name} failed`);
	};
	const control: TransactionControl = {
		begin: statement("begin"),
		commit: statement("commit"),
		rollback: statement("rollback"),
		savepoint: statement("savepoint"),
		releaseSavepoint: statement("releaseSavepoint"),
		rollbackToSavepoint: statement("rollbackToSavepoint"),
		isUndone: () => tries.length < undone,
	};
	const health = new StorageHealth(new ManualClock());
	const watch = (commands: number) => {
		transactions.push(commands);
		return () => transactions.push("done");
	};
	const onUndone = (_: unknown, nextTry: number): void => {
		tries.push(nextTry);
		// The next transaction succeeds.
		if (tries.length === undone) failing = [];
	};
	const commits = new GroupCommit<unknown>({
		tx,
		control,
		failpoints: noFailpoints,
		health,
		watch,
		onUndone,
	});
	const command = (name: string) =>
		commits.commit(async () => {
			done.push(name);
			return name;
		});
	const refused = (name: string) =>
		commits.commit(async () => {
			done.push(name);
			throw new Error(`${name} refused`);
		});
	return { done, transactions, tries, commits, command, refused };
}

test("the commands of a tick share a transaction, each in its savepoint", async () => {
	const { done, command, refused } = recorded();
	await Promise.allSettled([command("a"), refused("b")]);
	expect(done).toEqual([
		"begin",
		"savepoint",
		"a",
		"releaseSavepoint",
		"savepoint",
		"b",
		"rollbackToSavepoint",
		"releaseSavepoint",
		"commit",
	]);
});

test("commands that arrive during a flush share the next one", async () => {
	const { done, commits, command } = recorded();
	const later: Promise<string>[] = [];
	await commits.commit(async () => {
		later.push(command("b"), command("c"));
	});
	expect(done).toEqual(["begin", "commit"]);
	await Promise.all(later);
	expect(done.slice(2)).toEqual([
		"begin",
		"savepoint",
		"b",
		"releaseSavepoint",
		"savepoint",
		"c",
		"releaseSavepoint",
		"commit",
	]);
});

test.each(["begin", "savepoint", "rollbackToSavepoint", "commit"] as const)(
	"when %s fails, every command of the tick is unavailable for that reason",
	async (failing) => {
		const { done, command, refused } = recorded([failing]);
		const results = await Promise.allSettled([command("a"), refused("b"), command("c")]);
		for (const result of results) {
			expect(result).toMatchObject({
				status: "rejected",
				reason: { code: "unavailable", cause: { message: `${failing} failed` } },
			});
		}
		expect(done.at(-1)).toBe("rollback");
	},
);

test("a command alone in its tick is rolled back with its transaction, and rejects with its own error", async () => {
	const { done, refused, command } = recorded();
	await expect(refused("a")).rejects.not.toMatchObject({ code: "unavailable" });
	expect(done).toEqual(["begin", "a", "rollback"]);
	await expect(command("b")).resolves.toBe("b");
});

test.each(["begin", "commit"] as const)("when %s fails, a command alone is unavailable", async (failing) => {
	const { done, command } = recorded([failing]);
	await expect(command("a")).rejects.toMatchObject({
		code: "unavailable",
		cause: { message: `${failing} failed` },
	});
	expect(done.at(-1)).toBe("rollback");
});

test("when the rollback fails too, both causes are kept", async () => {
	const { command } = recorded(["commit", "rollback"]);
	const failed = expect(command("a")).rejects;
	await failed.toMatchObject({
		code: "unavailable",
		cause: { errors: [{ message: "commit failed" }, { message: "rollback failed" }] },
	});
});

test("no command resolves before the commit", async () => {
	const { done, command } = recorded();
	await command("a").then(() => done.push("resolved"));
	expect(done.slice(-2)).toEqual(["commit", "resolved"]);
});

test("closing waits for queued commands, also behind a running flush", async () => {
	const { done, commits, command } = recorded();
	const last: Promise<string>[] = [];
	const first = commits.commit(async () => {
		last.push(command("last"));
		closing = commits.close().then(() => done.push("closed"));
	});
	let closing: Promise<unknown> = Promise.resolve();
	await first;
	await closing;
	expect(done.slice(-3)).toEqual(["last", "commit", "closed"]);
	await expect(last[0]).resolves.toBe("last");
	await expect(command("late")).rejects.toMatchObject({ code: "unavailable" });
});

test("the watch is called for every transaction, also for a failed one", async () => {
	const { transactions, command, refused } = recorded();
	await Promise.allSettled([command("a"), refused("b")]);
	await command("c");
	expect(transactions).toEqual([2, "done", 1, "done"]);
	const failing = recorded(["commit"]);
	await Promise.allSettled([failing.command("d")]);
	expect(failing.transactions).toEqual([1, "done"]);
});

test("a transaction that was rolled back is retried with all its commands, and resolves once", async () => {
	const { done, tries, transactions, commits, command, refused } = recorded(["commit"], 2);
	const results = await Promise.allSettled([command("a"), refused("b"), command("c")]);
	expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	expect(results[1]).toMatchObject({ reason: { message: "b refused" } });
	const commandsOf = done.filter((name) => ["begin", "a", "b", "c", "rollback", "commit"].includes(name));
	const once = ["begin", "a", "b", "c", "commit"];
	expect(commandsOf).toEqual([...once, "rollback", ...once, "rollback", ...once]);
	expect(tries).toEqual([2, 3]);
	expect(transactions).toEqual([3, "done"]);
	expect(commits.health()).toEqual({ state: "ok" });
});

test("a single command whose transaction was rolled back is retried", async () => {
	const { done, command } = recorded(["commit"], 1);
	await expect(command("a")).resolves.toBe("a");
	expect(done).toEqual(["begin", "a", "commit", "rollback", "begin", "a", "commit"]);
});

test("a transaction that is rolled back each time fails after ten attempts", async () => {
	const { done, tries, command } = recorded(["commit"], Number.POSITIVE_INFINITY);
	await expect(command("a")).rejects.toMatchObject({ code: "unavailable" });
	expect(done.filter((name) => name === "a")).toHaveLength(10);
	expect(tries).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
